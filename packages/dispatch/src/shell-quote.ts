/** Writes a word so that a shell reads exactly it. */
export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9_./:=@%+,-]+$/.test(word) && !word.startsWith("=")) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Facts of the start of a worker in a surface that inherits nothing from its caller. */
export interface LaunchScript {
  readonly command: readonly string[];
  /** Variables to set; `null` takes one away. */
  readonly variables: Readonly<Record<string, string | null>>;
  /** What the first lines say, without line breaks. */
  readonly remark: string;
}

/** Writes the script that sets an environment and then becomes a command. */
export function formatLaunchScript({ command, variables, remark }: LaunchScript): string {
  const lines = Object.entries(variables).map(([name, value]) =>
    value === null ? `unset ${name}` : `export ${name}=${quoteWord(value)}`
  );
  return ["#!/bin/sh", `# ${remark.replace(/\s+/g, " ")}`, ...lines].join("\n") +
    `\nexec ${command.map(quoteWord).join(" ")}\n`;
}
