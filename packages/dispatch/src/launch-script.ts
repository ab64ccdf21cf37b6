import { formatCommand, quoteWord } from "@okstra/kit/command-line";

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
    `\nexec ${formatCommand(command)}\n`;
}
