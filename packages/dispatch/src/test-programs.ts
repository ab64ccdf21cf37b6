import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { execPath, runtime } from "@okstra/kit/host";

/** Returns the words that run a source file of this repository by the runtime of this process. */
export function sourceCommand(path: string): readonly string[] {
  const file = fileURLToPath(new URL(path, import.meta.url));
  if (runtime === "deno") return [execPath(), "run", "-A", "--no-check", file];
  const loader = createRequire(import.meta.url).resolve("tsx");
  return [execPath(), "--import", pathToFileURL(loader).href, file];
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
