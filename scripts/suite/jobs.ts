// What the test command runs: steps that pass or fail as a whole, and test files on both runtimes.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { CHECKS } from "../checks/all.ts";
import { parseJunit, parseNodeReport, type Result } from "./results.ts";

/** One piece of work; jobs are independent of each other. */
export interface Job {
  readonly label: string;
  run(): Promise<Result[]>;
}

/** Where the repository, its tools and the tree under test are. */
export interface Setting {
  /** The repository: its node_modules and scripts are used. */
  readonly repository: string;
  /** The tree whose tests are run; the repository itself but for tests of this suite. */
  readonly root: string;
  readonly denoPath: string;
  /** Everything that the tests write lies below it. */
  readonly scratch: string;
  readonly env: Record<string, string>;
}

/** The longest that one process may take before it counts as hanging. */
const LIMIT_MS = 480_000;

/** Format, lint, types and the repository's own checks: one result each. */
export function staticJobs(setting: Setting): Job[] {
  const { denoPath, repository } = setting;
  const bin = (path: string): string => join(repository, "node_modules", path);
  const steps: [string, string[]][] = [
    ["format (deno fmt)", [denoPath, "fmt", "--check", "--quiet"]],
    ["lint (deno lint)", [denoPath, "lint", "--quiet"]],
    [
      "lint (no floating promises)",
      [
        "node",
        bin("oxlint/bin/oxlint"),
        "--type-aware",
        "-c",
        "scripts/suite/oxlint.json",
        "packages",
        "scripts",
        "test",
      ],
    ],
    ["types (tsc)", ["node", bin("typescript/bin/tsc"), "-p", ".", "--noEmit"]],
    ["types (deno check)", [denoPath, "check", "--quiet", "packages", "test"]],
  ];
  return [
    ...steps.map(([label, command]) => ({ label, run: () => runStep(label, command, setting) })),
    ...CHECKS.map((check) => ({
      label: `check ${check.name}`,
      run: async (): Promise<Result[]> => {
        const problems = await check.find(setting.root, false);
        return [{
          name: check.name,
          status: problems.length === 0 ? "passed" : "failed",
          text: problems.join("\n"),
        }];
      },
    })),
  ];
}

/** What takes longest, in its order; started last, it would be waited for alone. */
export const LONG: readonly string[] = [
  "test/fault-kit/fault-kit.process.test.ts",
  "test/quickstart.process.test.ts",
  "test/agents/scenarios.process.test.ts",
  "packages/discussion/src/commit.process.test.ts",
  "test/discussion-story-native.process.test.ts",
  "test/discussion-story-replace.process.test.ts",
  "test/story.process.test.ts",
];

/**
 * The test files below the tree, the long ones first: ordinary ones in groups, those that start processes apart; each
 * on both runtimes, but for processes of our scripts, which are for Node.
 */
export function testJobs(setting: Setting, filters: readonly string[]): Job[] {
  const files = listTestFiles(setting.root).filter((file) =>
    filters.length === 0 || filters.some((filter) => file.includes(filter))
  );
  const ordinary = files.filter((file) => !file.endsWith(".process.test.ts"));
  const jobs: Job[] = [];
  const all = join(setting.repository, "scripts", "suite", "all_test.ts");
  for (const runtime of ["node", "deno"] as const) {
    for (const [group, members] of groupFiles(ordinary, runtime)) {
      const label = `${members.length} test files${group} on ${runtime}`;
      const urls = members.map((file) => pathToFileURL(join(setting.root, file)).href);
      const env = { ...setting.env, OKSTRA_TEST_FILES: JSON.stringify(urls) };
      jobs.push({ label, run: () => runTests(runtime, all, label, { ...setting, env }) });
    }
  }
  const apart = files.filter((file) => file.endsWith(".process.test.ts"));
  for (const file of new Set([...LONG.filter((file) => apart.includes(file)), ...apart])) {
    const runtimes = file.startsWith("scripts/") ? ["node"] as const : ["node", "deno"] as const;
    for (const runtime of runtimes) {
      const label = `${file} on ${runtime}`;
      jobs.push({ label, run: () => runTests(runtime, join(setting.root, file), label, setting) });
    }
  }
  return jobs;
}

/**
 * Groups ordinary test files, each group for a process of its own. On Node those of a package are one: a lock is taken
 * by a program there, and what has grown large by the tests of all packages takes ten times as long to start one.
 */
function groupFiles(files: readonly string[], runtime: "node" | "deno"): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const isPackage = runtime === "node" && file.startsWith("packages/");
    const group = isPackage ? ` of ${file.split("/", 2).join("/")}` : "";
    groups.set(group, [...(groups.get(group) ?? []), file]);
  }
  return groups;
}

/** Lists the test files below `packages`, `scripts` and `test`, relative to `root`, in path order. */
export function listTestFiles(root: string): string[] {
  const found: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !["node_modules", "testdata", "dist"].includes(entry.name)) {
        walk(path);
      } else if (entry.isFile() && entry.name.endsWith(".test.ts")) {
        found.push(relative(root, path));
      }
    }
  };
  for (const name of readdirSync(root)) {
    if (["packages", "scripts", "test"].includes(name)) walk(join(root, name));
  }
  return found.sort();
}

async function runStep(name: string, command: string[], setting: Setting): Promise<Result[]> {
  const { status, output } = await runProcess(command, setting.root, setting.env);
  return [{ name, status: status === 0 ? "passed" : "failed", text: status === 0 ? "" : output }];
}

async function runTests(
  runtime: "node" | "deno",
  file: string,
  label: string,
  setting: Setting,
): Promise<Result[]> {
  const folder = mkdtempSync(join(setting.scratch, "report-"));
  try {
    const report = join(folder, "report");
    const reporter =
      pathToFileURL(join(setting.repository, "scripts", "suite", "node-reporter.mjs")).href;
    const command = runtime === "node"
      ? [
        "node",
        "--import",
        "tsx",
        `--test-reporter=${reporter}`,
        `--test-reporter-destination=${report}`,
        file,
      ]
      : [setting.denoPath, "test", "-A", "--no-check", "--quiet", `--junit-path=${report}`, file];
    const { status, output } = await runProcess(command, setting.repository, setting.env);
    const results = (runtime === "node" ? parseNodeReport : parseJunit)(readIfThere(report));
    const named = (results ?? []).map((result) => ({
      ...result,
      name: `${result.name} (${label})`,
    }));
    // A runner that failed without a failed test, or that wrote no report, is itself the failure.
    if (
      status !== 0 && (results === null || !results.some((result) => result.status === "failed"))
    ) {
      named.push({
        name: `${label} ended with ${status} outside its tests`,
        status: "failed",
        text: output,
      });
    } else if (named.length === 0) {
      named.push({ name: `${label} ran no test`, status: "failed", text: output });
    }
    return named;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function runProcess(
  command: string[],
  cwd: string,
  env: Record<string, string>,
): Promise<{ status: string | number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command[0]!, command.slice(1), {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const end = () => {
      try {
        process.kill(-child.pid!, "SIGKILL");
      } catch {
        // it has ended
      }
    };
    process.prependOnceListener("exit", end);
    let output = "";
    let timedOut = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => output += text);
    }
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, LIMIT_MS);
    child.on("error", (error) => resolve({ status: "no start", output: String(error) }));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      process.off("exit", end);
      resolve({
        status: timedOut ? `a time-out after ${LIMIT_MS / 1000} s` : code ?? signal ?? "nothing",
        output,
      });
    });
  });
}
