// The permissions that SECURITY.md states: the story works with exactly these, and no tool with less.
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import {
  type Finished,
  listTree,
  ROOT,
  runProgram,
  RUNTIME,
  snapshotTree,
  toolEnv,
  TOOLS,
  withScratch,
  writeFiles,
  writeProgram,
} from "./support.ts";
import { runStory, STORY_EPOCH, writeStoryProject } from "./story-project.ts";

/** Where the story's workers lie. */
const TESTDATA = join(ROOT, "test", "testdata");

/** The stated permissions by tool, still with the names of folders in capitals. */
function readPermissions(): Map<string, string[]> {
  const text = readFileSync(join(ROOT, "SECURITY.md"), "utf8");
  const lines = [...text.matchAll(/^(okstra-[a-z-]+) +(--allow-.*)$/gm)];
  return new Map(lines.map(([, tool, flags]) => [tool!, flags!.split(" ")]));
}

function makeProject(scratch: string): string {
  const project = realpathSync(mkdtempSync(join(scratch, "project-")));
  writeStoryProject(project);
  // Where this is missing, the folders above are searched for it.
  mkdirSync(join(project, ".okstra"));
  return project;
}

/** Writes the tools as programs that run with these permissions, and returns their environment. */
function writeTools(
  scratch: string,
  project: string,
  permissions: ReadonlyMap<string, readonly string[]>,
): Record<string, string> {
  const bin = mkdtempSync(join(scratch, "bin-"));
  const folders: Record<string, string> = { PROJECT: project, BIN: bin, AGENTS: TESTDATA };
  const place = (flag: string) =>
    flag.replace(/\b(PROJECT|BIN|AGENTS)\b/g, (name) => folders[name]!);
  for (const tool of TOOLS) {
    const name = `okstra-${tool}`, flags = permissions.get(name)!.map((flag) => `'${place(flag)}'`);
    const module = join(ROOT, "dist", "deno", `${name}.mjs`);
    const words = `"${process.execPath}" run --no-config --no-prompt ${flags.join(" ")}`;
    writeProgram(join(bin, name), `#!/bin/sh\nexec ${words} "${module}" "$@"\n`);
  }
  return toolEnv(bin, { SOURCE_DATE_EPOCH: STORY_EPOCH, OKSTRA_BIN_DIR: bin });
}

/** What a grant can be narrowed to; the story needs more of it. */
const NARROWER: Readonly<Record<string, string>> = {
  "--allow-read=PROJECT": "--allow-read=PROJECT/.okstra",
  "--allow-write=PROJECT/.okstra": "--allow-write=PROJECT/.okstra/tasks",
  "--allow-env": "--allow-env=OKSTRA_RUN,OKSTRA_BIN_DIR,SOURCE_DATE_EPOCH,PATH",
};

/** Every way to grant one thing less. */
function reduce(flags: readonly string[]): string[][] {
  return flags.flatMap((flag, i) => {
    const put = (...instead: string[]) => [...flags.slice(0, i), ...instead, ...flags.slice(i + 1)];
    const narrow = NARROWER[flag] === undefined ? [] : [put(NARROWER[flag])];
    return [...narrow, ...drop(flag).map((instead) => put(...instead))];
  });
}
/** What can be put in the place of a flag that grants one thing less. */
function drop(flag: string): string[][] {
  // All but the one that these tools have the least use for.
  const rest = ["read", "write", "env", "run", "sys", "net", "import"];
  if (flag === "--allow-all") return [rest.map((name) => `--allow-${name}`)];
  const [name, values = ""] = flag.split("="), others = values.split(",");
  if (others.length === 1) return [[]];
  return others.map((value) => [`${name}=${others.filter((other) => other !== value).join(",")}`]);
}

/** For each tool a command that needs all that it is given. */
const COMMANDS: Readonly<Record<string, string>> = {
  "manifest-io": "event append --type note",
  "team-state": "worker set --worker claude --status in-progress",
  "wrapper-status": "run --prompt brief.md -- true",
  "dispatch": "run --worker claude --heartbeat 0",
  "convergence": "seed --groups groups.json",
  "discussion": "confirm-subject --subject src --question Why?",
};

/** Prepares a run in a project, and returns its manifest. */
function prepareRun(project: string, env: Record<string, string>): string {
  const call = (words: string) => {
    const { status, stdout, stderr } = runProgram(words.split(" "), { cwd: project, env });
    assertEquals(status, 0, stderr);
    return JSON.parse(stdout);
  };
  const groups = call("okstra-convergence example --kind groups");
  writeFiles(project, { "groups.json": JSON.stringify({ ...groups, taskKey: "demo/review/src" }) });
  const roster = (groups.workers as { worker: string }[]).map(({ worker }) =>
    `--worker ${worker},provider=lint-a`
  );
  const { runManifestPath } = call(
    "okstra-manifest-io prepare --task-key demo/review/src --task-type discussion --brief brief.md " +
      `--backend cli-wrapper --provider-file providers.json ${roster.join(" ")}`,
  );
  return runManifestPath;
}

/** Finds the permissions that are stated beside those of the story for a command, and what is left of the others. */
function readFurther(tool: string, command: string): { rest: string[]; further: string[] } {
  const text = readFileSync(join(ROOT, "SECURITY.md"), "utf8").replaceAll(/\s+/g, " ");
  const flags = new RegExp(`\`(--allow-[^\`]+)\` for \`${command}\``).exec(text)?.[1];
  assert(flags !== undefined, `SECURITY.md has no permissions for ${command}`);
  const further = flags.split(" "), kindOf = (flag: string) => flag.split("=")[0];
  const kinds = further.map(kindOf), stated = readPermissions().get(`okstra-${tool}`)!;
  return { further, rest: stated.filter((flag) => !kinds.includes(kindOf(flag))) };
}

/** For each command that needs more a look at whether it did all of its work; the project is a git repository. */
const FURTHER: readonly {
  readonly tool: string;
  readonly command: string;
  readonly works: (call: (words: string) => Finished, project: string) => boolean;
}[] = [{
  tool: "manifest-io",
  command: "with-lock",
  works: (call) => call("with-lock .okstra/tasks/demo -- echo done").stdout === "done\n",
}, {
  tool: "team-state",
  command: "ledger record",
  works: (call, project) => {
    const metadata = listTree(project).find((path) => path.endsWith(".md.meta.json"))!;
    const words = `--metadata ${metadata} --enforcement core-pre-dispatch --allow-native-core`;
    if (call(`ledger record ${words}`).status !== 0) return false;
    const snapshot = readFileSync(join(project, `${metadata}.mutation-audit.json`), "utf8");
    return JSON.parse(snapshot).problems.length === 0;
  },
}];

const skip = RUNTIME === "node" && "Node gives every program every permission";

describe("the permissions in SECURITY.md", () => {
  it("are enough to tell the whole story", { skip }, () =>
    withScratch((scratch) => {
      const project = makeProject(scratch);
      const story = runStory(project, writeTools(scratch, project, readPermissions()));
      assertEquals(story.status, 0, story.stderr);
    }));

  for (const tool of TOOLS) {
    it(`are not more than okstra-${tool} needs`, { skip }, () =>
      withScratch((scratch) => {
        const all = new Map(TOOLS.map((name) => [`okstra-${name}`, ["--allow-all"]]));
        const call = (reduction: ((flags: string[]) => string[]) | null) => {
          const project = makeProject(scratch);
          const run = prepareRun(project, writeTools(scratch, project, all));
          const before = snapshotTree(project);
          const stated = readPermissions().get(`okstra-${tool}`)!;
          const flags = reduction === null ? stated : reduction(stated);
          const env = writeTools(scratch, project, new Map([...all, [`okstra-${tool}`, flags]]));
          const words = [`okstra-${tool}`, ...COMMANDS[tool]!.split(" ")];
          const finished = runProgram(words, { cwd: project, env: { ...env, OKSTRA_RUN: run } });
          return { ...finished, flags, isSame: same(before, snapshotTree(project)) };
        };
        const { status, stderr } = call(null);
        assertEquals(status, 0, stderr);
        const count = reduce(readPermissions().get(`okstra-${tool}`)!).length;
        for (let i = 0; i < count; i++) {
          const { flags, ...less } = call((stated) => reduce(stated)[i]!);
          assertNotEquals(less.status, 0, flags.join(" "));
          assertMatch(
            less.stderr,
            /Deno was not given|Requires run access|is not installed/,
            `${flags.join(" ")}: ${less.stderr}`,
          );
          // These two write down what they are about to do, and how it failed.
          if (!["wrapper-status", "dispatch"].includes(tool)) assert(less.isSame, flags.join(" "));
        }
      }));
  }
});

describe("the permissions in SECURITY.md for what the story does not have", () => {
  for (const { tool, command, works } of FURTHER) {
    it(`are what ${command} needs, and not more`, { skip }, () =>
      withScratch((scratch) => {
        const all = new Map(TOOLS.map((name) => [`okstra-${name}`, ["--allow-all"]]));
        const { rest, further } = readFurther(tool, command);
        for (const flags of [further, ...reduce(further)]) {
          const project = makeProject(scratch), env = writeTools(scratch, project, all);
          const OKSTRA_RUN = prepareRun(project, env);
          const finish = (words: string[], env: Record<string, string>) =>
            runProgram(words, { cwd: project, env: { ...env, OKSTRA_RUN } });
          for (const words of ["git init -q", "okstra-manifest-io prompt materialize"]) {
            assertEquals(finish(words.split(" "), env).status, 0, words);
          }
          const stated = new Map([...all, [`okstra-${tool}`, [...rest, ...flags]]]);
          const less = writeTools(scratch, project, stated);
          const call = (words: string) => finish([`okstra-${tool}`, ...words.split(" ")], less);
          assertEquals(works(call, project), flags === further, flags.join(" "));
        }
      }));
  }
});

/** Compares two looks at a folder; empty lock files do not count. */
function same(before: Record<string, string>, after: Record<string, string>): boolean {
  const names = (files: Record<string, string>) =>
    JSON.stringify(Object.entries(files).filter(([name]) => !name.endsWith(".lock")));
  return names(before) === names(after);
}
