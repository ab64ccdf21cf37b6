import { reasonText } from "@okstra/kit/host";
import type { x as Start } from "tinyexec";

type Running = ReturnType<typeof Start>;

/** What a short command answered. */
export interface ShortAnswer {
  /** `null`: it did not end by itself. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why there is no status, for people; empty if there is one. */
  readonly failure: string;
}

/** Says in one line, for people, how a command failed. */
export function describeFailure({ failure, stderr, stdout, status }: ShortAnswer): string {
  return failure || stderr.trim().split("\n")[0] || stdout.trim().split("\n")[0] ||
    `status ${status}`;
}

const LATE_MS = 200;

/**
 * Runs a command that answers at once, without a shell and without standard input. Never throws.
 *
 * @param program absolute path, or a name to look up on `PATH`
 * @param limitMs after which it is ended, whatever it left behind
 */
export async function runShort(
  program: string,
  args: readonly string[],
  limitMs: number,
): Promise<ShortAnswer> {
  const none = (failure: string): ShortAnswer => ({
    status: null,
    stdout: "",
    stderr: "",
    failure,
  });
  const { x } = await import("tinyexec");
  const running = x(program, [...args], {
    timeout: limitMs,
    nodePath: false,
    nodeOptions: { stdio: ["ignore", "pipe", "pipe"] },
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A child of it may hold its output open for longer than itself lives.
  const late = new Promise<ShortAnswer>((resolve) => {
    timer = setTimeout(() => {
      abandon(running);
      resolve(none(`no answer within ${limitMs} ms`));
    }, limitMs + LATE_MS);
  });
  try {
    return await Promise.race([late, answerOf(running, none, limitMs)]);
  } finally {
    clearTimeout(timer);
  }
}

async function answerOf(
  running: Running,
  none: (failure: string) => ShortAnswer,
  limitMs: number,
): Promise<ShortAnswer> {
  try {
    const { exitCode, stdout, stderr } = await running;
    if (exitCode !== undefined) return { status: exitCode, stdout, stderr, failure: "" };
    return none("it was ended by a signal");
  } catch (error) {
    const { code, name, message } = error as { code?: string; name?: string; message?: string };
    if (name === "AbortError") return none(`no answer within ${limitMs} ms`);
    return none(
      code === "ENOENT"
        ? "it is not installed"
        : code
        ? reasonText(code)
        : message ?? String(error),
    );
  }
}

/** Lets go of a command, so that nothing of it keeps this process from ending. */
function abandon(running: Running): void {
  running.kill("SIGKILL");
  running.process?.stdout?.destroy();
  running.process?.stderr?.destroy();
  running.process?.unref();
}
