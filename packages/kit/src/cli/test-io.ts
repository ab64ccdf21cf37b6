import { inUtf8 } from "../host/process.ts";
import type { Io } from "./command.ts";
import { readSourceDate } from "./source-date.ts";

/** What a test decides of a fake `Io`. */
export interface TestIoOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Default `/`. */
  readonly cwd?: string;
  readonly stdin?: string;
  /** Default `pipe` if `stdin` is given, else `other` (as `/dev/null` is). */
  readonly stdinKind?: ReturnType<Io["stdinKind"]>;
  /** Default `2026-01-01T00:00:00Z`. */
  readonly now?: string;
  /** Streams that are terminals; default none. */
  readonly terminals?: readonly (0 | 1 | 2)[];
}

/** Creates an `Io` for tests that keeps what a command prints. */
export function testIo(
  options: TestIoOptions = {},
): Io & { readonly stdout: string; readonly stderr: string } {
  const { env = {}, cwd = "/", stdin, now = "2026-01-01T00:00:00Z", terminals = [] } = options;
  const input = new TextEncoder().encode(stdin ?? "");
  const io = {
    stdout: "",
    stderr: "",
    env: (name: string) => inUtf8(name, () => Object.hasOwn(env, name) ? env[name] : undefined),
    environment: () => env,
    cwd: () => cwd,
    out: (text: string) => {
      io.stdout += text;
    },
    err: (text: string) => {
      io.stderr += text;
    },
    isTerminal: (fd: 0 | 1 | 2) => terminals.includes(fd),
    terminalSize: () => ({ columns: 80, rows: 24 }),
    stdinKind: () => options.stdinKind ?? (stdin === undefined ? "other" : "pipe"),
    readStdin: () => input,
    readStdinWithin: () => Promise.resolve(input),
    now: () => readSourceDate(io) ?? new Date(now),
  };
  return io;
}
