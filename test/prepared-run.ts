// A run in a project of its own, and everything below a folder: what tests of several packages start from.
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PrepareOptions, prepareRun } from "../packages/manifest-io/src/io/prepare.ts";
import { openRun, type Run } from "../packages/manifest-io/src/io/run.ts";

/** Prepares a run of two workers, `alpha` and `beta`, in a new project. */
export function prepareTestRun(options: Partial<PrepareOptions> = {}): Run {
  const projectRoot = realpathSync(mkdtempSync(join(tmpdir(), "okstra-run-")));
  const providerFile = join(projectRoot, "providers.json");
  const lint = { argv: ["sh", "-c", "true"] };
  writeFileSync(providerFile, JSON.stringify({ schemaVersion: "1.0", providers: { lint } }));
  const { runManifestPath } = prepareRun({
    projectRoot,
    taskKey: "demo/review/src",
    taskType: "discussion",
    brief: "Look at everything.\n",
    workers: ["alpha,provider=lint,model=m-1", "beta,provider=lint"],
    leadRuntime: "external",
    backend: "cli-wrapper",
    providerFile,
    now: "2026-01-31T09:05:00Z",
    ...options,
  });
  return openRun(runManifestPath);
}

/** Lists every file below a directory with its bytes, locks left out. */
export function listTree(directory: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(directory, { recursive: true }) as string[]) {
    const path = join(directory, name);
    if (statSync(path).isFile() && !name.endsWith(".lock")) {
      files[name] = readFileSync(path, "latin1");
    }
  }
  return files;
}
