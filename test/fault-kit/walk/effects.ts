// Makes the steps of a walk in this process, and each once more with every option: something else has to come of it.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { runApp, testIo } from "../../../packages/kit/src/cli.ts";
import { listTree } from "../../support.ts";
import { until } from "../bench.ts";
import { isRunning, listBelonging } from "../processes.ts";
import { assertEquals, assertMatch } from "@std/assert";
import { APPS, COMMANDS } from "./commands.ts";
import { ELSEWHERE } from "./elsewhere.ts";
import { checkRevisions, readDocuments } from "./revisions.ts";
import type { Step, Walk } from "./walk.ts";

/** What came of a call: what was said, and what is on disk. */
interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly files: Readonly<Record<string, string>>;
}

/** What every command has, or many have, and what makes a difference there. */
const EVERYWHERE: Readonly<Record<string, readonly string[]>> = {
  "run-manifest": ["none.json"],
  "if-revision": ["99999"],
  "project-root": ["empty"],
  "task-key": ["walk/another/task"],
  "store": ["empty/store"],
  "lock-timeout": ["0"],
};

/** Options of commands that were seen to make a difference, and those that never did. */
export class Effects {
  readonly #folder: string;
  readonly #bin: string;
  readonly #tools: readonly string[];
  readonly #missed = new Map<string, string>();
  readonly seen = new Set<string>();
  /** Kinds of documents that have changed, each time with a later revision. */
  readonly revised = new Set<string>();

  /**
   * @param folder where the project is kept meanwhile; not in it
   * @param bin where the wrapper is
   * @param tools those whose options are looked at
   */
  constructor(folder: string, bin: string, tools: readonly string[]) {
    this.#folder = folder;
    this.#bin = bin;
    this.#tools = tools;
  }

  /** Lists the options that made no difference, with why, those of commands that were never called included. */
  listMissed(): string[] {
    const all = this.#tools.flatMap((tool) =>
      Object.entries(COMMANDS[tool]!).flatMap(([name, { options }]) =>
        Object.keys(options).map((option) => `${tool} ${name} --${option}`)
      )
    );
    return all.filter((key) => !this.seen.has(key) && !Object.hasOwn(ELSEWHERE, key))
      .map((key) => `${key}: ${this.#missed.get(key) ?? "its command is never called"}`);
  }

  /** Makes a step, and before it the same call with each of its options, which is taken back. */
  async make(walk: Walk, step: Step): Promise<unknown> {
    const [tool = "", ...words] = step.words;
    const name = Object.keys(COMMANDS[tool]!)
      .filter((each) => `${words.join(" ")} `.startsWith(`${each} `))
      .sort((a, b) => b.length - a.length)[0]!;
    const options = this.#tools.includes(tool) ? COMMANDS[tool]![name]!.options : {};
    const wanted = Object.keys(options)
      .map((option) => ({ option, key: `${tool} ${name} --${option}` }))
      .filter(({ key }) => !this.seen.has(key) && !Object.hasOwn(ELSEWHERE, key));
    const variants = new Map<string, Outcome>();
    const backup = join(this.#folder, "backup");
    if (wanted.length > 0) cpSync(walk.project, backup, { recursive: true });
    const before = { status: 0, stdout: "", stderr: "", files: describeFiles(walk.project) };
    const isChanged = ({ files }: Outcome) => differences({ ...before, files }, before).length > 0;
    for (const { option, key } of wanted) {
      const value = step.options[option] ?? EVERYWHERE[option];
      if (value === undefined) {
        if (!this.#missed.has(key)) this.#missed.set(key, "the walk gives it nowhere");
        continue;
      }
      const changed = withOption(step.words, option, value);
      const holder = option === "lock-timeout" ? await holdLocks(walk.project, step.lock) : null;
      variants.set(key, await this.#call(walk, changed, step));
      await holder?.();
      const outcome = variants.get(key)!;
      // Whoever has read another state is told so, and nothing comes of it.
      if (option === "if-revision") {
        assertEquals([outcome.status, isChanged(outcome)], [3, false], changed.join(" "));
        assertMatch(outcome.stderr, /it is at revision \d+, not 99999/);
      }
      if (isChanged(outcome)) restore(backup, walk.project);
    }
    const control = variants.size > 0 ? await this.#call(walk, step.words, step) : null;
    if (control !== null && isChanged(control)) restore(backup, walk.project);
    const documents = readDocuments(walk.project);
    const plain = await this.#call(walk, step.words, step);
    for (const path of checkRevisions(documents, readDocuments(walk.project), step.words)) {
      this.revised.add(basename(path).replace(/-discussion-\d+\.json$/, ""));
    }
    if (plain.status !== step.status) {
      throw new Error(
        `${step.words.join(" ")} ended with ${plain.status}\n${plain.stdout}${plain.stderr}`,
      );
    }
    // Otherwise any difference would count.
    if (control !== null) assertEquals(differences(plain, control), [], step.words.join(" "));
    for (const [key, outcome] of variants) {
      if (differences(outcome, plain).length === 0) {
        this.#missed.set(key, "nothing else came of it");
      } else {
        this.seen.add(key);
        this.#missed.delete(key);
      }
    }
    rmSync(backup, { recursive: true, force: true });
    return step.prints === "json" ? JSON.parse(this.#stdout) : null;
  }

  #stdout = "";

  async #call(walk: Walk, [tool = "", ...words]: readonly string[], step: Step): Promise<Outcome> {
    const app = APPS.find(({ name }) => name === tool)!;
    const io = testIo({
      cwd: walk.project,
      env: {
        ...{ PATH: process.env["PATH"] ?? "", SOURCE_DATE_EPOCH: "1767225600" },
        OKSTRA_BIN_DIR: this.#bin,
        ...walk.env,
      },
      stdin: step.stdin,
    });
    const status = await runApp(app, words, io);
    // What a start has started ends by itself.
    const isStarting = tool === "okstra-dispatch" || tool === "okstra-wrapper-status";
    const left = () =>
      !isStarting
        ? []
        : listBelonging(walk.project).filter(({ line }) => !/^(flock|sleep) /.test(line));
    await until(() => left().every(({ pid }) => !isRunning(pid)), "the end of workers");
    this.#stdout = io.stdout;
    return {
      status,
      stdout: blank(io.stdout),
      stderr: blank(io.stderr),
      files: describeFiles(walk.project),
    };
  }
}

/** Gives an option another value; without values it is a switch. */
export function withOption(
  words: readonly string[],
  option: string,
  values: readonly string[],
): string[] {
  if (values.some((value) => value.startsWith("--"))) return [...words, ...values];
  const rest: string[] = [], end = words.indexOf("--");
  const own = end < 0 ? words : words.slice(0, end);
  for (let at = 0; at < own.length; at++) {
    if (own[at] === `--${option}` && values.length > 0) at++;
    else rest.push(own[at]!);
  }
  const given = values.length === 0
    ? [`--${option}`]
    : values.flatMap((value) => [`--${option}`, value]);
  return [...rest, ...given, ...(end < 0 ? [] : words.slice(end))];
}

/** Holds every lock that there is below a folder, as another program would; returns what lets them go. */
async function holdLocks(project: string, more?: string): Promise<() => Promise<void>> {
  if (more !== undefined) mkdirSync(dirname(join(project, more)), { recursive: true });
  const locks = listTree(project).filter((path) => path.endsWith(".lock")).map((path) =>
    join(project, path)
  );
  const documents = listTree(project).filter((path) =>
    /(\.jsonl?)$/.test(path) && path.startsWith(".okstra")
  )
    .map((path) => `${join(project, path)}.lock`);
  const mark = join(project, "held");
  const chain = [...new Set([...locks, ...documents, ...(more ? [join(project, more)] : [])])]
    .reduceRight(
      (words: string[], path) => ["flock", "-x", path, ...words],
      ["sh", "-c", ': >"$0"; exec sleep 60', mark],
    );
  const [program = "", ...words] = chain;
  const child = spawn(program, words, { stdio: "ignore", detached: true });
  const ended = new Promise((resolve) => child.on("close", resolve));
  await until(() => existsSync(mark), "the locks");
  rmSync(mark);
  return async () => {
    if (child.exitCode === null) process.kill(-child.pid!, "SIGKILL");
    await ended;
  };
}

function restore(backup: string, project: string): void {
  for (const name of readdirSync(project)) rmSync(join(project, name), { recursive: true });
  const { status } = spawnSync("cp", ["-a", `${backup}/.`, project]);
  if (status !== 0) throw new Error("cannot take a call back");
}

/** Leaves out what is another one each time; wrappers have a clock of their own. */
function blank(text: string): string {
  return text.replace(
    /"(pid|startTime|pgid|mark|sessionId|lastActivityAt|beforeDigest|afterDigest|snapshotDigest)": ("[^"]*"|\d+|null)/g,
    '"$1": 0',
  )
    // Whether there is something to wait for is a matter of moments.
    .replace(/^WAITING .*\n/gm, "")
    .replace(/(?!2026-0[12]-01T00:00:00Z)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME")
    .replace(/5A1F0000-0000-4000-8000-\d+/g, "SURFACE")
    .replace(/"durationMs": \d+/g, "")
    .replace(/"descendants": \[[^\]]*\]/, "");
}

function describeFiles(project: string): Record<string, string> {
  return Object.fromEntries(
    listTree(project).filter((path) => !IGNORED.test(path))
      .map((path) => [path, blank(readFileSync(join(project, path), "utf8"))]),
  );
}

/** Folders, locks, and what only says when and where something was. */
const IGNORED = /\/$|\.lock$|\.launch-\d+$|mutation-audit|\/projection\.jsonl$/;

/** Lists in what two outcomes differ. */
function differences(a: Outcome, b: Outcome): string[] {
  const paths = [...new Set([...Object.keys(a.files), ...Object.keys(b.files)])];
  const said = (["status", "stdout", "stderr"] as const).filter((name) => a[name] !== b[name])
    .map((name) => `${name}: ${a[name]}, not ${b[name]}`);
  return [
    ...said,
    ...paths.filter((path) => a.files[path] !== b.files[path])
      .map((path) => `${path}: ${firstDifference(a.files[path], b.files[path])}`),
  ];
}

function firstDifference(a = "(not there)", b = "(not there)"): string {
  const lines = b.split("\n");
  const at = a.split("\n").findIndex((line, i) => line !== lines[i]);
  return `line ${at + 1}: ${a.split("\n")[at]}, not ${lines[at]}`;
}
