import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { realPath } from "@okstra/kit/host";
import { findProgram } from "@okstra/manifest-io/io/find-program";
import { removeTree } from "../../../test/remove-tree.mjs";

const PATH = process.env["PATH"] ?? "";
const TOOLS = fileURLToPath(new URL("../../../test/tools/", import.meta.url));

/** A program that writes down how it was started. */
export const DUMP_START = join(TOOLS, "dump-start");

/** Why tests with a real tmux are skipped; `false`: they are not. */
export const noTmux: false | string = findProgram("tmux", "/", PATH) === null
  ? "tmux is not installed"
  : false;

/** A tmux server of its own, with one session of one pane that stands for the lead's. */
export class TestTmux {
  readonly #folder: string;
  readonly #socket: string;
  /** What a program in the lead's pane would have. */
  readonly env: Readonly<Record<string, string>>;

  constructor(size: { readonly columns: number; readonly rows: number }) {
    this.#folder = mkdtempSync(join(tmpdir(), "okstra-tmux-"));
    this.#socket = join(this.#folder, "s");
    const start = ["-f", "/dev/null", "new-session", "-d", "-P", "-F", "#{pid} #{pane_id}"];
    const sized = ["-x", String(size.columns), "-y", String(size.rows), "--", "sleep", "600"];
    // Nothing of the caller's environment may reach a pane by itself.
    const [pid = "", pane = ""] = this.#run([...start, ...sized], { PATH: "/usr/bin:/bin" })
      .split(" ");
    this.env = { TMUX: `${this.#socket},${pid},0`, TMUX_PANE: pane };
  }

  ask(...words: readonly string[]): string {
    return this.#run(words, { PATH });
  }

  /** One line for each pane of the server, in its order. */
  panes(format: string): readonly string[] {
    return this.ask("list-panes", "-a", "-F", format).split("\n");
  }

  close(): void {
    try {
      this.ask("kill-server");
    } catch { /* it has ended with its last pane */ }
    removeTree(this.#folder);
  }

  #run(words: readonly string[], env: Readonly<Record<string, string>>): string {
    const program = findProgram("tmux", "/", PATH)!;
    return execFileSync(program, ["-u", "-S", this.#socket, ...words], {
      encoding: "utf8",
      env,
      stdio: ["ignore", "pipe", "pipe"],
    }).trimEnd();
  }
}

/** Runs a test with a tmux server of its own. */
export async function withTmux(
  test: (tmux: TestTmux) => Promise<void>,
  size = { columns: 200, rows: 60 },
): Promise<void> {
  const tmux = new TestTmux(size);
  try {
    await test(tmux);
  } finally {
    tmux.close();
  }
}

/** A stand-in for cmux that keeps its own state. */
export class TestCmux {
  readonly folder: string;
  readonly #state: string;
  /** What a program in the lead's surface would have. */
  readonly env: Readonly<Record<string, string>>;

  constructor() {
    this.folder = realPath(mkdtempSync(join(tmpdir(), "okstra-cmux-")));
    this.#state = join(this.folder, "state");
    mkdirSync(this.#state);
    const bin = join(this.folder, "bin");
    mkdirSync(bin);
    const stand = `exec '${join(TOOLS, "cmux")}' '${this.#state}' "$@"`;
    writeFileSync(join(bin, "cmux"), `#!/bin/sh\n${stand}\n`);
    chmodSync(join(bin, "cmux"), 0o755);
    this.env = { CMUX_WORKSPACE_ID: "W-1", PATH: `${bin}:${PATH}` };
  }

  set mode(word: string) {
    writeFileSync(join(this.#state, "mode"), `${word}\n`);
  }

  /** The words of every call so far. */
  calls(): readonly (readonly string[])[] {
    const path = join(this.#state, "calls");
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8").split("\x1e").slice(0, -1)
      .map((call) => call.split("\x1f").slice(0, -1));
  }

  /** The words of every call of a command, without the command itself. */
  callsOf(command: string): readonly (readonly string[])[] {
    return this.calls().filter(([word]) => word === command).map(([, ...words]) => words);
  }

  /** `surface title` of every open surface. */
  surfaces(): readonly string[] {
    return readdirSync(this.#state).filter((name) => name.startsWith("surface-")).sort()
      .map((name) => {
        const path = join(this.#state, name, "title");
        const title = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
        return `surface:${name.slice("surface-".length)} ${title}`;
      });
  }

  /** What the terminal of a surface shows. */
  output(surface: string): string {
    return readFileSync(join(this.#state, surface.replace(":", "-"), "output"), "utf8");
  }

  remove(): void {
    removeTree(this.folder);
  }
}

/** Runs a test with a cmux of its own. */
export async function withCmux(test: (cmux: TestCmux) => Promise<void>): Promise<void> {
  const cmux = new TestCmux();
  try {
    await test(cmux);
  } finally {
    cmux.remove();
  }
}

/** Words that a shell, tmux or cmux would read something into. */
export const ODD_WORDS: readonly string[] = [
  "",
  " a  b ",
  'it\'s "quoted"',
  "$(touch pwned) `touch pwned` $HOME ${HOME} ~ * ?",
  "two\nlines\n",
  "-e",
  "--",
  "ends with ;",
  ";",
  "\\;",
  "#{pane_id} #(touch pwned) ##",
  "back\\slash \\n \\\\",
  "Prüfung – 検証",
  "a=b;c&d|e>f<g!h%i^j",
  "x".repeat(8000),
];

/** Variables that a shell, tmux or cmux would read something into; one is not to be there. */
export const ODD_VARIABLES: Readonly<Record<string, string | null>> = {
  DUMP_A: ' it\'s\n$(touch pwned) "x" #{pane_id};',
  DUMP_B: "",
  DUMP_C: null,
};
