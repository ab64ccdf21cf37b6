// Terminals for workers: a real tmux with a server of its own, and the stand-in for cmux; both write down what they are asked.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, writeProgram } from "../support.ts";
import { type Bench, until } from "./bench.ts";
import { isRunning } from "./processes.ts";

/** Where workers can be shown. */
export interface Panes {
  /** What a program in the lead's own terminal has. */
  readonly env: Record<string, string>;
  /** The commands that were given so far. */
  words(): string[];
  /** Ends them all; whoever opens them again gets the same names for others, as after a reboot. */
  close(): Promise<void>;
}

/** A tmux server of its own, with one pane that stands for the lead's. */
export interface Tmux extends Panes {
  /** Lets it answer for the lead's pane from now on, whatever pane it is asked about. */
  lie(): void;
  ask(...words: readonly string[]): Promise<string>;
  /** What a format says of each pane of a worker. */
  panes(format: string): Promise<string[]>;
}

const PATH = process.env["PATH"] ?? "";

/** Starts a tmux server; the tmux on the tools' PATH writes down its words. */
export async function openTmux(bench: Bench): Promise<Tmux> {
  const socket = join(bench.folder, "s"), calls = join(bench.folder, "tmux-calls");
  const bin = join(bench.folder, "tmux-bin"), liar = join(bench.folder, "tmux-liar");
  writeProgram(
    join(bin, "tmux"),
    `#!/bin/sh\nprintf '%s\\037' "$@" >>'${calls}'\nprintf '\\036' >>'${calls}'\n` +
      `if [ "$4" = display-message ] && [ -e '${liar}' ]; then\n` +
      `  for word; do shift; case $word in %*) word=$(cat '${liar}') ;; esac; set -- "$@" "$word"; done\nfi\n` +
      `PATH='${PATH}'; export PATH; exec tmux "$@"\n`,
  );
  const ask = async (...words: readonly string[]) => {
    const said = await bench.call(["tmux", "-u", "-S", socket, ...words], { env: { PATH } });
    return said.stdout.trimEnd();
  };
  const made = await ask(
    ...["-f", "/dev/null", "new-session", "-d", "-P", "-F", "#{pid} #{pane_id}"],
    ...["-x", "200", "-y", "60", "--", "sleep", "600"],
  );
  const [pid = "", pane = ""] = made.split(" ");
  return {
    env: { TMUX: `${socket},${pid},0`, TMUX_PANE: pane, PATH: `${bin}:${bench.tools}:${PATH}` },
    words: () => readCalls(calls).flatMap(commandsOf),
    lie: () => writeFileSync(liar, pane),
    ask,
    panes: async (format) => {
      const lines = (await ask("list-panes", "-a", "-F", `#{pane_id}\t${format}`)).split("\n");
      return lines.filter((line) => !line.startsWith(`${pane}\t`)).map((line) =>
        line.slice(line.indexOf("\t") + 1)
      );
    },
    close: async () => {
      await ask("kill-server");
      await until(() => !isRunning(Number(pid)), "the end of tmux");
    },
  };
}

/** The stand-in for cmux. */
export interface Cmux extends Panes {
  /** How it misbehaves from now on; see `test/tools/cmux`. */
  set mode(word: string);
  /** The open tabs but the lead's. */
  surfaces(): string[];
  /** Gives the tab of a name another lasting id, as when the name is used again. */
  reuse(surface: string): void;
}

/** Puts the stand-in for cmux on the tools' PATH; it keeps its state in a folder of its own. */
export function openCmux(
  bench: Pick<Bench, "folder" | "tools">,
  state = join(bench.folder, "cmux-state"),
): Cmux {
  const bin = join(bench.folder, "cmux-bin");
  mkdirSync(state, { recursive: true });
  const stand = join(ROOT, "test", "tools", "cmux");
  writeProgram(join(bin, "cmux"), `#!/bin/sh\nexec '${stand}' '${state}' "$@"\n`);
  const listSurfaces = () => readdirSync(state).filter((name) => /^surface-/.test(name)).sort();
  return {
    env: { CMUX_WORKSPACE_ID: "W-1", PATH: `${bin}:${bench.tools}:${PATH}` },
    words: () => readCalls(join(state, "calls")).map(([word = ""]) => word),
    set mode(word: string) {
      writeFileSync(join(state, "mode"), `${word}\n`);
    },
    surfaces: () => listSurfaces().map((name) => name.replace("-", ":")),
    close: () => {
      for (const name of listSurfaces()) rmSync(join(state, name), { recursive: true });
      return Promise.resolve();
    },
    reuse: (surface) =>
      writeFileSync(join(state, surface.replace(":", "-"), "id"), "5A1F0000-0000-4000-8000-1\n"),
  };
}

/** Finds the commands in a call of tmux: behind its own options, and behind each semicolon. */
function commandsOf(call: readonly string[]): string[] {
  const own = call.slice(call.indexOf("-S") + 2);
  return own.filter((_, at) => at === 0 || own[at - 1] === ";");
}

function readCalls(path: string): string[][] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8").split("\x1e").slice(0, -1)
    .map((call) => call.split("\x1f").slice(0, -1));
}
