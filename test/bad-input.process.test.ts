// Input that a tool has to refuse: the status and the words of the contract, and nothing written.
import { describe, it } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  listTree,
  makeScratch,
  ROOT,
  runProgram,
  snapshotTree,
  toolEnv,
  toolFolder,
  withScratch,
  writeFiles,
} from "./support.ts";

const PROVIDERS = JSON.stringify({
  schemaVersion: "1.0",
  providers: { script: { argv: ["worker"] } },
});

/** The call of `prepare` that works; a case changes one thing of it. */
function prepareWords(
  changes: Readonly<Record<string, string>> = {},
  workers = ["alpha,provider=script", "beta,provider=script"],
): string[] {
  const options = {
    "task-key": "demo/review/src",
    "task-type": "discussion",
    "brief": "brief.md",
    "provider-file": "providers.json",
    "backend": "cli-wrapper",
    "project-root": ".",
    ...changes,
  };
  return [
    "okstra-manifest-io",
    "prepare",
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    ...workers.flatMap((worker) => ["--worker", worker]),
  ];
}

interface Case {
  readonly name: string;
  readonly words: string[];
  readonly files?: Record<string, string | Uint8Array>;
  readonly status: number;
  readonly error: RegExp;
  /** Left out where nothing but the error can be said. */
  readonly hint?: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: "a brief that is missing",
    words: prepareWords({ brief: "none.md" }),
    status: 2,
    error: /Cannot read .*none\.md.*: /,
    hint: /\S/,
  },
  {
    name: "an empty brief",
    words: prepareWords({ brief: "empty.md" }),
    files: { "empty.md": " \n\t\n" },
    status: 2,
    error: /Cannot prepare a run: the brief is empty/,
    hint: /--brief/,
  },
  {
    name: "a brief that is not UTF-8",
    words: prepareWords({ brief: "latin.md" }),
    files: { "latin.md": new Uint8Array([0x67, 0x72, 0xfc, 0xdf]) },
    status: 2,
    error: /latin\.md.*UTF-8/,
  },
  {
    name: "two workers of one name",
    words: prepareWords({}, ["alpha,provider=script", "alpha,provider=script"]),
    status: 2,
    error: /two workers are named "alpha"/,
    hint: /\S/,
  },
  {
    name: "a task key of two segments",
    words: prepareWords({ "task-key": "demo/review" }),
    status: 2,
    error: /"demo\/review"/,
    hint: /project\/group\/task/i,
  },
  {
    name: "a task key that climbs out",
    words: prepareWords({ "task-key": "demo/../src" }),
    status: 2,
    error: /"demo\/\.\.\/src"/,
    hint: /\S/,
  },
  {
    name: "a task key with a blank",
    words: prepareWords({ "task-key": "demo/my review/src" }),
    status: 2,
    error: /"demo\/my review\/src"/,
    hint: /\S/,
  },
  {
    name: "an unknown provider",
    words: prepareWords({}, ["alpha,provider=nobody"]),
    status: 2,
    error: /"nobody"/,
    hint: /script/,
  },
  {
    name: "a project root that is a file",
    words: prepareWords({ "project-root": "brief.md" }),
    status: 2,
    error: /brief\.md.*not a directory/,
    hint: /\S/,
  },
  {
    name: "a project root that is not there",
    words: prepareWords({ "project-root": "nowhere" }),
    status: 2,
    error: /nowhere/,
    hint: /\S/,
  },
  {
    name: "a provider file that is no JSON",
    words: prepareWords({ "provider-file": "broken.json" }),
    files: { "broken.json": '{"schemaVersion": "1.0", ' },
    status: 2,
    error: /broken\.json/,
  },
];

/** Asserts the form that the contract gives to every refusal. */
function assertRefusal(stderr: string, error: RegExp, hint: RegExp | undefined): void {
  const lines = stderr.trimEnd().split("\n");
  const errorLine = lines.find((line) => line.startsWith("okstra-manifest-io: error: ")) ?? "";
  assertMatch(errorLine, error, stderr);
  assert(!errorLine.endsWith("."), errorLine);
  assert(!/^\s+at /m.test(stderr), `a stack is shown: ${stderr}`);
  const hintLine = lines.find((line) => line.startsWith("okstra-manifest-io: hint: "));
  if (hint !== undefined) assertMatch(hintLine ?? "", hint, stderr);
}

describe("okstra-manifest-io prepare", () => {
  it("takes the input that the cases below break", () =>
    withScratch((scratch) => {
      const project = join(scratch, "project");
      writeFiles(project, { "brief.md": "Review.\n", "providers.json": PROVIDERS });
      const { status, stderr } = runProgram(prepareWords(), {
        cwd: project,
        env: toolEnv(toolFolder(scratch)),
      });
      assertEquals([status, stderr], [0, ""]);
    }));

  for (const { name, words, files, status, error, hint } of CASES) {
    it(`refuses ${name} and writes nothing`, () =>
      withScratch((scratch) => {
        const project = join(scratch, "project");
        writeFiles(project, { "brief.md": "Review.\n", "providers.json": PROVIDERS, ...files });
        const before = snapshotTree(project);
        const result = runProgram(words, { cwd: project, env: toolEnv(toolFolder(scratch)) });
        assertEquals([result.status, result.stdout], [status, ""], result.stderr);
        assertRefusal(result.stderr, error, hint);
        assertEquals(snapshotTree(project), before);
      }));
  }
});

/** Mounts a small file system of its own on a new folder; null if this process may not. */
function mountSmall(
  size: string,
): { folder: string; remount(options: string): void; remove(): void } | null {
  const folder = makeScratch();
  const remove = (): void => rmSync(folder, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], {
      stdio: "ignore",
    });
  } catch {
    remove();
    return null;
  }
  return {
    folder,
    remount: (options) =>
      execFileSync("mount", ["-o", `remount,${options}`, folder], { stdio: "ignore" }),
    remove: () => {
      execFileSync("umount", ["-l", folder], { stdio: "ignore" });
      remove();
    },
  };
}

const probe = mountSmall("64k");
probe?.remove();
const skip = probe === null ? "this process may not mount a file system" : false;

describe("okstra-manifest-io prepare on a file system that fails", { skip }, () => {
  it(
    "exits 4 on a read-only project and leaves no trace",
    { skip },
    () =>
      withScratch((scratch) => {
        const mount = mountSmall("1m")!;
        try {
          const project = join(mount.folder, "project");
          writeFiles(project, { "brief.md": "Review.\n", "providers.json": PROVIDERS });
          const before = snapshotTree(project);
          mount.remount("ro");
          const { status, stdout, stderr } = runProgram(prepareWords(), {
            cwd: project,
            env: toolEnv(toolFolder(scratch)),
          });
          assertEquals([status, stdout], [4, ""], stderr);
          assertMatch(stderr, /^okstra-manifest-io: error: Cannot .*read-only/i);
          assertEquals(snapshotTree(project), before);
        } finally {
          mount.remove();
        }
      }),
  );

  it(
    "exits 4 on a full disk, leaves no document behind, and works once there is room",
    { skip },
    () =>
      withScratch((scratch) => {
        const mount = mountSmall("128k")!;
        try {
          const project = join(mount.folder, "project");
          const filler = join(mount.folder, "filler");
          writeFiles(project, { "brief.md": "Review.\n", "providers.json": PROVIDERS });
          fillUp(filler, 128);
          const before = listDocuments(project);
          const env = toolEnv(toolFolder(scratch));
          const { status, stdout, stderr } = runProgram(prepareWords(), { cwd: project, env });
          assertEquals([status, stdout], [4, ""], stderr);
          assertMatch(stderr, /^okstra-manifest-io: error: Cannot .*(space|full)/i);
          assertEquals(listDocuments(project), before);
          rmSync(filler);
          mount.remount("size=2m");
          assertEquals(runProgram(prepareWords(), { cwd: project, env }).status, 0);
        } finally {
          mount.remove();
        }
      }),
  );
});

/** Lists the files below a folder; a lock file may stay, and so the directories above it. */
function listDocuments(folder: string): string[] {
  return listTree(folder).filter((path) => !path.endsWith("/") && !path.endsWith(".lock"));
}

/** Writes until the disk has no room, 4 KiB at a time. */
function fillUp(file: string, limitKib: number): void {
  mkdirSync(join(file, ".."), { recursive: true });
  for (let kib = 4; kib <= limitKib; kib += 4) {
    try {
      writeFileSync(file, new Uint8Array(4096), { flag: "a" });
    } catch {
      return;
    }
  }
}

describe("a provider whose program is not installed", () => {
  it("makes okstra-dispatch run exit 2 before anything is written", () =>
    withScratch((scratch) => {
      const project = join(scratch, "project");
      const providers = {
        schemaVersion: "1.0",
        providers: { script: { argv: ["no-such-linter-here"] } },
      };
      writeFiles(project, { "brief.md": "Review.\n", "providers.json": JSON.stringify(providers) });
      const env = toolEnv(toolFolder(scratch));
      const call = (...words: string[]) => runProgram(words, { cwd: project, env });
      const prepared = call(...prepareWords({}, ["alpha,provider=script"]));
      env.OKSTRA_RUN = (JSON.parse(prepared.stdout) as { runManifestPath: string }).runManifestPath;
      call(
        "okstra-discussion",
        "confirm-subject",
        "--subject",
        "src",
        "--question",
        "Which faults?",
      );
      const opened = JSON.parse(call("okstra-discussion", "cycle-open").stdout) as {
        batchPath: string;
      };
      const before = snapshotTree(project);
      const { status, stdout, stderr } = call(
        "okstra-dispatch",
        "run",
        "--batch",
        opened.batchPath,
        "--poll",
        "1",
      );
      assertEquals([status, stdout], [2, ""], stderr);
      assertMatch(stderr, /^okstra-dispatch: error: Cannot /);
      for (const word of ["alpha", "script", "no-such-linter-here"]) {
        assertStringIncludes(stderr, word);
      }
      assertMatch(stderr, /okstra-dispatch: hint: .*providers --check/);
      assertEquals(snapshotTree(project), before);
    }));
});

describe("scripts/quickstart", () => {
  const quickstart = join(ROOT, "scripts", "quickstart");
  const cases: [string, string[], RegExp][] = [
    [
      "a directory that is not there",
      ["none"],
      /^quickstart: error: Cannot review "none": it does not exist\nquickstart: hint: /,
    ],
    [
      "a file",
      ["file"],
      /^quickstart: error: Cannot review "file": it is not a directory\nquickstart: hint: /,
    ],
    ["two directories", [".", "."], /^quickstart: error: Cannot use 2 arguments: /],
  ];
  for (const [name, words, expected] of cases) {
    it(`refuses ${name} and writes nothing`, () =>
      withScratch((scratch) => {
        writeFiles(scratch, { file: "x" });
        const { status, stdout, stderr } = runProgram([quickstart, ...words], {
          cwd: scratch,
          env: toolEnv(""),
        });
        assertEquals([status, stdout], [2, ""]);
        assertMatch(stderr, expected);
        assertEquals(listTree(scratch), ["file"]);
      }));
  }
});
