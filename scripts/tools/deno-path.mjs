// Finds the Deno binary that the npm package `deno` brings, and prints its path if run as a script.
// The package's own command is a Node script that starts the binary: twice the start-up time, and
// signals would end the wrong process. The binary is in the optional package of this platform.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the absolute path of the pinned Deno binary; throws if `scripts/setup` has not installed it. */
export function denoPath() {
  const shim = createRequire(import.meta.url).resolve("deno/package.json");
  const beside = createRequire(shim);
  const { optionalDependencies } = JSON.parse(readFileSync(shim, "utf8"));
  const binary = process.platform === "win32" ? "deno.exe" : "deno";
  for (const name of Object.keys(optionalDependencies)) {
    try {
      return join(dirname(beside.resolve(`${name}/package.json`)), binary);
    } catch {
      // not this platform's package
    }
  }
  throw new Error(`the package deno has no binary for ${process.platform} ${process.arch} here`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(denoPath());
