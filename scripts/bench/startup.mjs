// Starts are interleaved and medians compared, so that a busy moment hits all alike. Standard streams are
// pipes, as in a pipeline; NODE_EXTRA_CA_CERTS is unset, since it adds 30 ms to every start of Node 20.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { TOOLS } from "../tools/build.mjs";
import { denoPath } from "../tools/deno-path.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = parseArgs({
  options: { runs: { type: "string", default: "41" }, limit: { type: "boolean", default: false } },
});
const folder = mkdtempSync(join(tmpdir(), "okstra-bench-"));
const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, OKSTRA_RUN: ___, ...rest } = process.env;
const env = {
  ...rest,
  DENO_DIR: rest.DENO_DIR ?? join(root, "node_modules/.cache/deno"),
  DENO_NO_UPDATE_CHECK: "1",
  PATH: `${join(root, "dist/bin")}:${rest.PATH}`,
};

function run(command) {
  const start = process.hrtime.bigint();
  const child = spawnSync(command[0], command.slice(1), {
    cwd: folder,
    env,
    input: "",
    encoding: "utf8",
  });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (child.status !== 0) {
    throw new Error(`${command.join(" ")} ended with ${child.status}\n${child.stderr}`);
  }
  return { ms, stdout: child.stdout };
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** Measures rows of one runtime against its empty program; returns whether all keep their limits. */
function measure(title, baseline, rows) {
  const commands = [baseline, ...rows.map((row) => row.command)];
  const times = commands.map(() => []);
  for (const command of commands) run(command);
  for (let i = 0; i < Number(values.runs); i++) {
    commands.forEach((command, j) => times[j].push(run(command).ms));
  }
  const base = median(times[0]);
  console.log(`${title}: ${base.toFixed(1)} ms`);
  let good = true;
  rows.forEach(({ label, limit }, i) => {
    const ms = median(times[i + 1]);
    const ratio = ms / base;
    good &&= ratio <= limit;
    console.log(
      `  ${label.padEnd(36)} ${ms.toFixed(1).padStart(6)} ms  ${ratio.toFixed(2)}  ${
        ratio <= limit ? "" : `over ${limit}`
      }`.trimEnd(),
    );
  });
  return good;
}

try {
  writeFileSync(join(folder, "brief.md"), "Measure.\n");
  writeFileSync(join(folder, "empty.ts"), "");
  const bin = (tool) => join(root, "dist/bin", `okstra-${tool}`);
  const source = (tool) => [denoPath(), "run", "-A", join(root, "packages", tool, "src/main.ts")];
  const prepared = run([
    ...[
      "node",
      bin("manifest-io"),
      "prepare",
      "--project-root",
      folder,
      "--task-key",
      "bench/start/up",
    ],
    ...["--task-type", "discussion", "--brief", "brief.md", "--worker", "claude"],
  ]);
  const show = ["show", "--run-manifest", JSON.parse(prepared.stdout).runManifestPath];
  const rows = (program, limits) => [
    ...TOOLS.flatMap((tool) => [
      {
        label: `okstra-${tool} --version`,
        command: [...program(tool), "--version"],
        limit: limits.start,
      },
      {
        label: `okstra-${tool} --help`,
        command: [...program(tool), "--help"],
        limit: limits.start,
      },
    ]),
    {
      label: "okstra-team-state show",
      command: [...program("team-state"), ...show],
      limit: limits.read,
    },
  ];
  const onNode = measure(
    "node -e 0",
    ["node", "-e", "0"],
    rows((tool) => ["node", bin(tool)], { start: 1.15, read: 1.3 }),
  );
  measure(
    "deno run empty.ts",
    [denoPath(), "run", "-A", "empty.ts"],
    rows(source, { start: 1.1, read: 1.35 }),
  );
  // Only Node's limits are promised; those of Deno are goals.
  if (values.limit && !onNode) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
