import { parseArgs, type ParseArgsConfig } from "node:util";

/**
 * Parses the words of a script as `parseArgs` does; wrong ones are told as the tools tell them, and `null` is returned
 * with the exit status set to 2.
 */
export function parseWords<const T extends ParseArgsConfig>(script: string, config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!/^ERR_PARSE_ARGS/.test((error as { code?: string }).code ?? "")) throw error;
    refuseWords(
      script,
      (error as Error).message.replace(/[.]( .*)?$/, ""),
      `head scripts/${script}`,
    );
    return null;
  }
}

/** Tells that a script cannot take its words, and sets the exit status to 2. */
export function refuseWords(script: string, message: string, hint: string): void {
  console.error(`${script}: error: ${message}\n${script}: hint: ${hint}`);
  process.exitCode = 2;
}
