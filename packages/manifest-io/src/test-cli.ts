import { mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runApp, testIo } from "@okstra/kit/cli";
import { app } from "./cli.ts";

/** A provider file of one provider; for tests only. */
export const PROVIDERS = {
  schemaVersion: "1.0",
  providers: { "lint-a": { argv: ["sh", "-c", "true"], defaultModel: "rules" } },
};

/** Makes a project with a brief and a provider file; for tests only. */
export function project(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "okstra-cli-")));
  // Else the project would be that of a directory above, where one has .okstra.
  mkdirSync(join(root, ".okstra"));
  writeFileSync(join(root, "brief.md"), "Find the faults of src.");
  writeFileSync(join(root, "providers.json"), JSON.stringify(PROVIDERS));
  return root;
}

/** Runs a command in a directory; for tests only. */
export async function run(
  cwd: string,
  argv: readonly string[],
  more: Parameters<typeof testIo>[0] = {},
) {
  const io = testIo({ cwd, now: "2026-01-31T09:05:00Z", ...more });
  const status = await runApp(app, [...argv], io);
  return { status, stdout: io.stdout, stderr: io.stderr };
}

/** The words that prepare a run of a project; for tests only. */
export const PREPARE = [
  "prepare",
  "--task-key=demo/review/src",
  "--task-type=discussion",
  "--brief=brief.md",
  "--provider-file=providers.json",
  "--worker=alpha,provider=lint-a",
  "--worker=codex,model=o9",
];

/** Lists every path below a directory; for tests only. */
export const list = (root: string): readonly string[] =>
  (readdirSync(root, { recursive: true }) as string[]).sort();
