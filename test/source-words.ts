// Source files of this repository as programs of their own, on either runtime, for tests that start processes.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { denoPath, ROOT, RUNTIME, type Runtime } from "./support.ts";

let bundles = "";

/** Bundles a source file for Node; the bundles go when this process ends. */
function bundle(file: string): string {
  if (bundles === "") {
    const folder = bundles = mkdtempSync(join(tmpdir(), "okstra-bundles-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  }
  const path = join(bundles, relative(ROOT, file).replace(/\.ts$/, ".mjs"));
  if (!existsSync(path)) {
    const options = ["--bundle", "--platform=node", "--target=node20.16", "--format=esm"];
    const words = [file, ...options, "--minify", "--log-level=error", `--outfile=${path}`];
    execFileSync(join(ROOT, "node_modules", ".bin", "esbuild"), words);
  }
  return path;
}

/**
 * Returns the words that run a source file on a runtime. For Node it is bundled, as the tools are when they are
 * published: translated at every start it takes six times as long. A file of which this is asked knows no path by
 * its own.
 */
export function sourceWords(file: string, runtime: Runtime = RUNTIME): string[] {
  return runtime === "node"
    ? ["node", bundle(file)]
    : [denoPath(), "run", "-A", "--no-check", "--quiet", file];
}
