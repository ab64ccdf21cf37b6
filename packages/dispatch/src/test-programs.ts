import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import type { CrashPoint } from "./crash-points.ts";
import { FAKE_WRAPPERS, type TestRun } from "./test-run.ts";
import { sourceWords } from "../../../test/source-words.ts";

/** Returns the words that run a source file of this repository by the runtime of this process. */
export function sourceCommand(path: string): readonly string[] {
  return sourceWords(fileURLToPath(new URL(path, import.meta.url)));
}

/** Puts the real wrapper, run from its source, into a directory and returns the directory. */
export function installWrapper(root: string): string {
  const directory = join(root, "bin"), path = join(directory, "okstra-wrapper-status");
  const words = sourceCommand("../../wrapper-status/src/main.ts").map((word) => `'${word}'`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(path, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
  chmodSync(path, 0o755);
  return directory;
}

/** Runs a command of the tool in a process of its own that kills itself at a point. */
export async function stopAt(
  run: TestRun,
  point: CrashPoint,
  command: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [program = "", ...words] = [
    ...sourceCommand("../testdata/stop-at.ts"),
    point,
    command,
    run.run.manifestPath,
  ];
  const all = {
    ...process.env,
    OKSTRA_BIN_DIR: FAKE_WRAPPERS,
    SOURCE_DATE_EPOCH: "1767225600",
    ...env,
  };
  const child = spawn(program, words, { env: all, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => said += text);
  const signal = await new Promise((resolve) => child.once("exit", (_, name) => resolve(name)));
  assertEquals(signal, "SIGKILL", `it never came to ${point}: ${said}`);
}
