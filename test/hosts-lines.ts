// The command lines that the texts of the host adapters name, as the hosts get them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runProgram, toolEnv } from "./support.ts";

export const HOSTS = join(ROOT, "scripts", "hosts");

/** Why a long test of a text or a script runs on one runtime only. */
export const SCRIPT_ONCE =
  "what is tested is no TypeScript; the commands are tested on both runtimes elsewhere";

/** The hosts, and what each writes into its runs as lead. */
export const LEADS: Readonly<Record<string, string>> = {
  "claude-code": "claude",
  "codex": "codex",
  "gemini": "gemini",
  "lead": "external",
};

/** A text, by what it is called in messages. */
export type Texts = ReadonlyMap<string, string>;

/** Installs every adapter into folders below `scratch`; returns its texts and the READMEs. */
export function readTexts(scratch: string): Texts {
  const texts = new Map<string, string>();
  const read = (folder: string, label: string) => {
    for (const name of readdirSync(folder, { recursive: true }) as string[]) {
      if (!/\.(md|toml)$/.test(name)) continue;
      texts.set(`${label}/${name}`, readFileSync(join(folder, name), "utf8"));
    }
  };
  for (const host of Object.keys(LEADS)) {
    const folder = join(scratch, host);
    const words = ["sh", "-c", 'mkdir "$1" && "$2/install" "$0" "$1"', host, folder, HOSTS];
    const { status, stderr } = runProgram(words, { cwd: scratch, env: toolEnv(HOSTS) });
    if (status !== 0) throw new Error(stderr);
    read(folder, host);
  }
  for (const host of ["", "shell", ...Object.keys(LEADS)]) {
    const name = join(host, "README.md");
    texts.set(name, readFileSync(join(HOSTS, name), "utf8"));
  }
  return texts;
}

/** Lists the lines of shell blocks that match, continued lines put together and comments left out. */
export function listLines(text: string, pattern: RegExp): string[] {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, body]) => body!);
  const injected = [...text.matchAll(/!\{(.*)\}$/gm)].map(([, line]) => line!);
  return [...blocks.join("\n").replace(/\s*\\\n\s*/g, " ").split("\n"), ...injected]
    .map((line) => line.replace(/\s+# .*$/, "").trim())
    .filter((line) => pattern.test(line));
}

/** Lists the code in running text that matches. */
export function listInline(text: string, pattern: RegExp): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code]) => code!.replace(/\s+/g, " "))
    .filter((code) => pattern.test(code));
}

/** Fills in the words in capitals of a line. */
export function fillIn(line: string, values: Readonly<Record<string, string>>): string {
  const quote = (word: string) =>
    /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  return line.replace(/\$ARGUMENTS|\{\{args\}\}/g, "KEY")
    .replace(/(?<![\w-])([A-Z][A-Z0-9]*)(?![\w-])/g, (_, name: string) => {
      if (values[name] === undefined) throw new Error(`no value for ${name} in: ${line}`);
      return quote(values[name]);
    });
}
