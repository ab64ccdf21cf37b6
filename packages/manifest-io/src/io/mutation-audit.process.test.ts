import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { closeAttempt, reopenAttempt } from "../attempt-ledger.ts";
import { validateShape } from "../document-kind.ts";
import type { MutationSnapshot } from "../mutation-snapshot.ts";
import type { InvocationRecord } from "../schemas/execution-manifest.ts";
import { mutationSnapshot } from "../schemas/mutation-snapshot.ts";
import type { WritePolicy } from "../write-policy.ts";
import { writeDocument } from "./document.ts";
import {
  compareWithSnapshotFile,
  compareWithTree,
  orchestratorPaths,
  takeSnapshot,
} from "./mutation-audit.ts";
import { readOutOfPlanEdits } from "./out-of-plan-edits.ts";
import { prepareTestRun } from "../../../../test/prepared-run.ts";

const folder = () => realpathSync(mkdtempSync(join(tmpdir(), "okstra-audit-")));

function write(root: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

function git(root: string, ...args: string[]): string {
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "core.hooksPath=/"];
  return execFileSync("git", ["-C", root, ...who, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  });
}

function makeRepository(files: Record<string, string>, root: string = folder()): string {
  mkdirSync(root, { recursive: true });
  git(root, "init", "-q", "-b", "main");
  write(root, files);
  git(root, "add", "-A");
  git(root, "commit", "-q", "--allow-empty", "-m", "one");
  return root;
}

function makePolicy(root: string, allowedRoot: string | null = null): WritePolicy {
  return {
    role: "analyser",
    projectRoot: root,
    sourcePolicy: { allowedRoot, plannedPaths: [], plannedPathsDeclared: true },
    artifactPaths: [],
    auxiliaryRoots: [],
    precision: "none",
  };
}

const ended = { attemptSucceeded: true, resultPresent: true };
const compare = (snapshot: MutationSnapshot, allowedRoot: string | null = null) =>
  compareWithTree(snapshot, [makePolicy(snapshot.roots[0]!.path, allowedRoot)], ended)
    .changeSummary;
const violations = (root: string, change: () => void): readonly string[] => {
  const before = takeSnapshot([root], []);
  assertEquals(before.problems, []);
  change();
  return compare(before).violations;
};
const names = (snapshot: MutationSnapshot) => snapshot.roots[0]!.files.map((file) => file.path);

for (const kind of ["in a git repository", "outside a git repository"]) {
  const make = (files: Record<string, string>) => {
    if (kind === "in a git repository") return makeRepository(files);
    const root = folder();
    write(root, files);
    return root;
  };

  describe(`compareWithTree() ${kind}`, () => {
    it("finds a change, deletion, rename, mode change, link and new file (T-042)", () => {
      const root = make({
        "changed": "1",
        "src/deleted": "1",
        "src/renamed": "1",
        "mode": "1",
        "link": "1",
        "same": "1",
      });
      const found = violations(root, () => {
        writeFileSync(join(root, "changed"), "2");
        rmSync(join(root, "src/deleted"));
        renameSync(join(root, "src/renamed"), join(root, "src/moved"));
        chmodSync(join(root, "mode"), 0o755);
        rmSync(join(root, "link"));
        symlinkSync("same", join(root, "link"));
        write(root, { "new/deep/file": "1" });
      });
      const mode = statSync(join(root, "same")).mode & 0o777;
      assertEquals(found, [
        '"changed" was changed',
        '"link" became a link',
        `"mode" changed its mode from ${mode.toString(8)} to 755`,
        '"new/deep/file" is new',
        '"src/deleted" was deleted',
        '"src/moved" is new',
        '"src/renamed" was deleted',
      ]);
    });

    it("finds a change that keeps size and times (T-042)", () => {
      const root = make({ "a": "1234" });
      const found = violations(root, () => {
        const { atime, mtime } = statSync(join(root, "a"));
        writeFileSync(join(root, "a"), "1235");
        utimesSync(join(root, "a"), atime, mtime);
      });
      assertEquals(found, ['"a" was changed']);
    });

    it("finds nothing if files were only touched, or written as they were (T-042)", () => {
      const root = make({ "a": "1", "b": "2" });
      const found = violations(root, () => {
        utimesSync(join(root, "a"), 5, 5);
        rmSync(join(root, "b"));
        writeFileSync(join(root, "b"), "2");
      });
      assertEquals(found, []);
    });

    it("finds another target of a link, and does not follow links (T-042)", () => {
      const outside = folder();
      write(outside, { "x": "1" });
      const root = make({ "a": "1" });
      symlinkSync(outside, join(root, "folder"));
      symlinkSync("a", join(root, "file"));
      symlinkSync("/no/where", join(root, "dangling"));
      const found = violations(root, () => {
        write(outside, { "x": "2", "y": "3" });
        rmSync(join(root, "file"));
        symlinkSync("b", join(root, "file"));
      });
      assertEquals(found, ['"file" was changed']);
    });

    it("finds a directory that a link has replaced, though the files behind it are the same (T-042)", () => {
      const root = make({ "src/a": "1" });
      const found = violations(root, () => {
        renameSync(join(root, "src"), join(folder(), "src"));
        const copy = folder();
        write(copy, { "a": "1" });
        symlinkSync(copy, join(root, "src"));
      });
      assertEquals(found, ['"src" is new', '"src/a" was deleted']);
    });

    it("copes with every name that is UTF-8 (T-042)", () => {
      const odd = [
        "a b",
        "line\nbreak",
        "tab\there",
        "quo\"te'",
        "back\\slash",
        "-dash",
        "é",
        "e\u0301",
        "\u{1f600}",
        "__proto__",
        "constructor",
        "? x",
        "H 100644 x",
        "..a",
        " ",
      ];
      const root = make(Object.fromEntries(odd.map((name) => [`d/${name}`, "1"])));
      write(root, Object.fromEntries(odd.map((name) => [name, "1"])));
      const before = takeSnapshot([root], []);
      assertEquals(before.problems, []);
      assertEquals(names(before).length, 2 * odd.length);
      for (const name of odd) {
        assert(names(before).includes(name) && names(before).includes(`d/${name}`), name);
        writeFileSync(join(root, "d", name), "2");
        rmSync(join(root, name));
      }
      const { changedPaths, mutationStatus } = compare(before);
      assertEquals(mutationStatus, "violation");
      assertEquals(new Set(changedPaths), new Set(odd.flatMap((name) => [name, `d/${name}`])));
    });

    it("is unverifiable, and says where, if a name or a link's target is not UTF-8 (T-042)", () => {
      const root = make({ "a": "1" });
      execFileSync("sh", ["-c", "printf 1 >\"$(printf 'b\\377d')\""], { cwd: root });
      const byName = compare(takeSnapshot([root], []));
      assertEquals(byName.mutationStatus, "unverifiable");
      assertStringIncludes(byName.violations.join(), "its name is not UTF-8");
      execFileSync("sh", ["-c", "rm b*; ln -s \"$(printf '\\377')\" l"], { cwd: root });
      const byTarget = compare(takeSnapshot([root], []));
      assertEquals(byTarget.mutationStatus, "unverifiable");
      assertStringIncludes(byTarget.violations.join(), '"l" could not be read');
    });

    it("takes a pipe in a file's place for a deletion, and does not wait for it (T-042)", () => {
      const root = make({ "a": "1" });
      const found = violations(root, () => {
        rmSync(join(root, "a"));
        execFileSync("mkfifo", [join(root, "a")]);
      });
      assertEquals(found, ['"a" was deleted']);
    });

    it("never reports .git, .okstra at the top, or the paths of the orchestrator (T-038)", () => {
      const root = make({ "a": "1", ".okstra/x": "1", "run/manifests/m.json": "1", "state": "1" });
      const own = ["run", "state", "state.lock"].map((name) => join(root, name));
      const before = takeSnapshot([root], own);
      assertEquals(names(before), ["a"]);
      write(root, {
        ".okstra/x": "2",
        ".okstra/tasks/y": "2",
        "run/manifests/m.json": "2",
        "run/prompts/p.md": "2",
        "state": "2",
        "state.lock": "",
        "state.lock.not": "2",
        "src/.okstra/z": "2",
      });
      if (existsSync(join(root, ".git"))) {
        appendFileSync(join(root, ".git/config"), "[x]\n\ty = 1\n");
      }
      assertEquals(compare(before).violations, [
        '"src/.okstra/z" is new',
        '"state.lock.not" is new',
      ]);
    });

    it("gives the same summary again, so that closing an attempt twice changes nothing (T-044)", () => {
      const root = make({ "a": "1" });
      const before = takeSnapshot([root], []);
      write(root, { "a": "2", "b": "1" });
      const close = (ledger: Parameters<typeof closeAttempt>[0]) =>
        closeAttempt(ledger, {
          invocationRef: "i",
          attempt: 1,
          finishedAt: "2026-01-31T09:05:00Z",
          status: "violation",
          changeSummary: { ...compare(before) },
        });
      const opened = reopenAttempt(
        { schemaVersion: "1.0", revision: 1, taskKey: "a/b/c", invocations: [], attempts: [] },
        { invocationRef: "i" } as unknown as InvocationRecord,
        { invocationRef: "i", attempt: 1, startedAt: "2026-01-31T09:05:00Z" },
      );
      const closed = close(opened!);
      assertNotEquals(closed, null);
      assertEquals(close(closed!), null);
    });

    it("is unverifiable if a directory cannot be listed, and still tells what it found (T-042)", () => {
      const root = make({ "a": "1" });
      const before = takeSnapshot([root], []);
      // Deeper than a path may be long; unlike a missing permission it stops an administrator too.
      const half = Array<string>(10).fill("d".repeat(250)).join("/"), other = folder();
      write(root, { [`${half}/a`]: "1" });
      rmSync(join(root, half, "a"));
      write(other, { [`${half}/hidden`]: "1" });
      renameSync(join(other, "d".repeat(250)), join(root, half, "d"));
      const found = compare(before);
      assertEquals([found.mutationStatus, found.violations.length], ["unverifiable", 1]);
      assertStringIncludes(found.violations[0]!, "could not be read");
      writeFileSync(join(root, "a"), "2");
      const worse = compare(before);
      assertEquals([worse.mutationStatus, worse.violations.length], ["violation", 2]);
      assertEquals(worse.violations[0], '"a" was changed');
      assertEquals(compare(takeSnapshot([root], [])).mutationStatus, "unverifiable");
      // Nobody could remove it where it is.
      renameSync(join(root, half, "d"), join(other, "d".repeat(250)));
    });

    it("is unverifiable if the tree is gone (T-042)", () => {
      const root = make({ "a": "1" });
      const before = takeSnapshot([root], []);
      renameSync(root, `${root}.moved`);
      const found = compare(before);
      assertEquals(found.mutationStatus, "unverifiable");
      assertEquals(found.violations, [
        `"${root}" could not be read: there is no such directory`,
      ]);
      assertEquals(found.changedPaths, []);
    });
  });
}

describe("compareWithTree()", () => {
  it("finds a move of HEAD, by commit and by branch, and a move of the index (T-042)", () => {
    const root = makeRepository({ "a": "1", "b": "1", ".gitignore": "ignored/\n" });
    const head = git(root, "rev-parse", "HEAD").trim();
    const commit = violations(root, () => git(root, "commit", "-q", "--allow-empty", "-m", "two"));
    const next = git(root, "rev-parse", "HEAD").trim();
    assertEquals(commit, [
      `"${root}" has its git HEAD at ${next} (refs/heads/main) instead of ${head} (refs/heads/main)`,
    ]);
    assertEquals(violations(root, () => git(root, "checkout", "-q", "-b", "other")), [
      `"${root}" has its git HEAD at ${next} (refs/heads/other) instead of ${next} (refs/heads/main)`,
    ]);
    assertEquals(violations(root, () => git(root, "checkout", "-q", "--detach")), [
      `"${root}" has its git HEAD at ${next} (detached) instead of ${next} (refs/heads/other)`,
    ]);
    const index = [`"${root}" has another git index`];
    write(root, { "new": "1" });
    assertEquals(violations(root, () => git(root, "add", "new")), index);
    assertEquals(violations(root, () => git(root, "rm", "-q", "--cached", "a")), index);
    assertEquals(violations(root, () => git(root, "update-index", "--chmod=+x", "b")), index);
    assertEquals(
      violations(root, () => git(root, "update-index", "--assume-unchanged", "b")),
      index,
    );
  });

  it("knows a repository before its first commit, and finds the commit (T-042)", () => {
    const root = folder();
    git(root, "init", "-q", "-b", "main");
    write(root, { "a": "1" });
    const before = takeSnapshot([root], []);
    const [state] = before.roots[0]!.repositories;
    assertEquals([state!.headRef, state!.headCommit], ["refs/heads/main", null]);
    git(root, "add", "a");
    git(root, "commit", "-q", "-m", "one");
    const head = git(root, "rev-parse", "HEAD").trim();
    assertEquals(compare(before).violations, [
      `"${root}" has another git index`,
      `"${root}" has its git HEAD at ${head} (refs/heads/main) instead of no commit (refs/heads/main)`,
    ]);
  });

  it("allows a commit and any file below the allowed root (T-042)", () => {
    const root = makeRepository({ "a": "1" });
    const before = takeSnapshot([root], []);
    write(root, { "a": "2", "b": "1" });
    git(root, "add", "-A");
    git(root, "commit", "-q", "-m", "two");
    const found = compare(before, root);
    assertEquals([found.mutationStatus, found.gitChanged, found.sourceChanged], ["ok", true, true]);
    assertEquals(found.changedPaths, ["a", "b"]);
    assertEquals(compare(before).mutationStatus, "violation");
  });

  it("does not report what git ignores, but does what was listed and is ignored now (T-038, T-042)", () => {
    const root = makeRepository({ ".gitignore": "dist/\n*.log\n", "a": "1" });
    write(root, { "dist/x": "1", "b.log": "1", "untracked": "1", "kept": "1" });
    const before = takeSnapshot([root], []);
    assertEquals(names(before), [".gitignore", "a", "kept", "untracked"]);
    write(root, { "dist/x": "2", "dist/y": "1", "b.log": "2", "c.log": "1" });
    assertEquals(compare(before).mutationStatus, "ok");
    write(root, { ".gitignore": "*\n", "untracked": "2" });
    assertEquals(compare(before).violations, [
      '".gitignore" was changed',
      '"untracked" was changed',
    ]);
  });

  it("finds a repository that was removed, without a word on what it had ignored (T-042)", () => {
    const root = makeRepository({ ".gitignore": "dist/\n", "a": "1" });
    write(root, { "dist/x": "1" });
    const found = violations(root, () => {
      rmSync(join(root, ".git"), { recursive: true });
      write(root, { "a": "2" });
    });
    assertEquals(found, [`"${root}" is no git repository any more`, '"a" was changed']);
  });

  it("is unverifiable if git cannot read the repository (T-042)", () => {
    const root = makeRepository({ "a": "1" });
    const before = takeSnapshot([root], []);
    writeFileSync(join(root, ".git/index"), "no index");
    const found = compare(before);
    assertEquals(found.mutationStatus, "unverifiable");
    assertStringIncludes(
      found.violations.join(),
      `"${root}" could not be read: git ls-files failed`,
    );
    const late = compare(takeSnapshot([root], []));
    assertEquals(late.mutationStatus, "unverifiable");
  });

  it("looks into nested repositories by their own rules, their HEAD included (T-042)", () => {
    const root = makeRepository({ "a": "1" });
    makeRepository({ "x": "1", ".gitignore": "out/\n" }, join(root, "lib/inner"));
    write(root, { "lib/inner/out/y": "1" });
    const before = takeSnapshot([root], []);
    assertEquals(names(before), ["a", "lib/inner/.gitignore", "lib/inner/x"]);
    assertEquals(before.roots[0]!.repositories.map((each) => each.path), [".", "lib/inner"]);
    write(root, { "lib/inner/x": "2", "lib/inner/out/z": "1" });
    git(join(root, "lib/inner"), "checkout", "-q", "--detach");
    const [first, second, ...rest] = compare(before).violations;
    assertStringIncludes(first!, '"lib/inner" has its git HEAD');
    assertEquals([second, ...rest], ['"lib/inner/x" was changed']);
  });

  it("looks into a submodule, and into one without its repository, where git lists nothing (T-042)", () => {
    const library = makeRepository({ "x": "1" });
    const root = makeRepository({ "a": "1" });
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "sub");
    git(root, "commit", "-q", "-m", "sub");
    const before = takeSnapshot([root], []);
    assertEquals(names(before), [".gitmodules", "a", "sub/x"]);
    write(root, { "sub/x": "2", "sub/y": "1" });
    assertEquals(compare(before).violations, ['"sub/x" was changed', '"sub/y" is new']);

    git(root, "submodule", "--quiet", "deinit", "-f", "sub");
    const found = violations(root, () => write(root, { "sub/hidden": "1" }));
    assertEquals(found, ['"sub/hidden" is new']);
    const again = violations(root, () => write(root, { "sub/.git/empty": "", "sub/more": "1" }));
    assertEquals(again, ['"sub/more" is new']);
  });

  it("does not take what stands behind a link for the submodule that was there (T-042)", () => {
    const root = makeRepository({ "a": "1" });
    makeRepository({ "x": "1" }, join(root, "lib/sub"));
    git(root, "add", "-A");
    const found = violations(root, () => {
      const place = folder();
      execFileSync("mv", [join(root, "lib"), join(place, "lib")]);
      symlinkSync(join(place, "lib"), join(root, "lib"));
    });
    assertEquals(found, [
      '"lib" is new',
      '"lib/sub" is no git repository any more',
      '"lib/sub/x" was deleted',
    ]);
  });

  it("does not count what is staged or untracked below .okstra (T-038)", () => {
    const root = makeRepository({ "a": "1" });
    write(root, { ".okstra/x": "1" });
    const before = takeSnapshot([root], []);
    write(root, { ".okstra/y": "1" });
    const untracked = compare(before);
    git(root, "add", "-f", ".okstra/x");
    const staged = compare(before);
    for (const found of [untracked, staged]) {
      assertEquals([found.mutationStatus, found.gitChanged], ["ok", false]);
      assertEquals(found.afterDigest, before.digest);
    }
  });

  it("finds a new repository that hides its files (T-042)", () => {
    const root = makeRepository({ "a": "1" });
    const found = violations(root, () => {
      makeRepository({}, join(root, "hidden"));
      writeFileSync(join(root, "hidden/.git/info/exclude"), "*\n");
      write(root, { "hidden/x": "1" });
    });
    assertEquals(found, ['"hidden" became a git repository']);
  });

  it("judges a worktree outside the project, by whatever name it was given (T-042)", () => {
    const root = makeRepository({ "a": "1" });
    const place = folder(), real = join(place, "tree"), link = join(place, "link");
    git(root, "worktree", "add", "-q", "-b", "work", real);
    symlinkSync(real, link);
    const before = takeSnapshot([root, link, "", real], []);
    assertEquals(before.roots.map((tree) => [tree.path, tree.givenPath]), [[root, root], [
      real,
      link,
    ]]);
    write(link, { "a": "2", ".okstra/x": "1" });
    git(link, "commit", "-q", "-a", "-m", "two");
    const found = compare(before, link);
    assertEquals([found.mutationStatus, found.gitChanged], ["ok", true]);
    assertEquals(found.changedPaths, [join(real, "a")]);
    assertEquals(compare(before).violations.length, 3);
    write(root, { "a": "2" });
    assertEquals(compare(before, link).violations, ['"a" was changed']);
  });

  it("takes a worktree inside the project, even inside .okstra or ignored, once and for itself (T-042)", () => {
    const root = makeRepository({ "a": "1", ".gitignore": ".trees/\n" });
    for (const name of [".okstra/trees/one", ".trees/two", "trees/three"]) {
      const tree = join(root, name);
      git(root, "worktree", "add", "-q", "--detach", tree);
      const before = takeSnapshot([root, tree], []);
      write(tree, { "a": "2" });
      assertEquals(compare(before, tree).changedPaths, [`${name}/a`]);
      assertEquals(compare(before).violations, [`"${name}/a" was changed`]);
      write(tree, { "a": "1" });
    }
  });

  it("walks a project that the repository around it ignores, where git lists nothing (T-042)", () => {
    const outer = makeRepository({ ".gitignore": "work/\n" });
    const root = join(outer, "work/project");
    write(root, { "a": "1" });
    const before = takeSnapshot([root], []);
    assertEquals([names(before), before.roots[0]!.repositories], [["a"], []]);
    write(root, { "a": "2" });
    assertEquals(compare(before).violations, ['"a" was changed']);
  });

  it("sees only its own part of a repository that begins above it (T-042)", () => {
    const outer = makeRepository({ "other": "1", "project/a": "1" });
    const root = join(outer, "project");
    const before = takeSnapshot([root], []);
    write(outer, { "other": "2", "more": "1" });
    git(outer, "add", "-A");
    assertEquals(compare(before).mutationStatus, "ok");
    git(outer, "commit", "-q", "-m", "two");
    assertEquals(compare(before).gitChanged, true);
  });
});

describe("takeSnapshot()", () => {
  it("reads only what changed or had not settled since the earlier snapshot (T-042)", () => {
    const root = makeRepository({ "a": "1", "b": "1" });
    const first = takeSnapshot([root], []);
    const [a, b] = first.roots[0]!.files;
    const forged = "sha256:" + "0".repeat(64);
    const digests = (takenAtMs: number, changes: Partial<typeof b>) => {
      const files = [{ ...a!, digest: forged }, { ...b!, digest: forged, ...changes }];
      const previous = { ...first, takenAtMs, roots: [{ ...first.roots[0]!, files }] };
      return takeSnapshot([root], [], previous).roots[0]!.files.map((file) => file.digest);
    };
    // Both were written just before: they may have been written again in the same tick.
    assertEquals(digests(first.takenAtMs, {}), [a!.digest, b!.digest]);
    const later = first.takenAtMs + 60_000;
    assertEquals(digests(later, {}), [forged, forged]);
    const others: Partial<typeof b>[] = [
      { sizeBytes: 2 },
      { mtimeMs: b!.mtimeMs - 1 },
      { ctimeSeconds: b!.ctimeSeconds - 1 },
      { inode: "0" },
      { mode: 0o600 },
      { kind: "link" },
      { digest: null },
    ];
    for (const other of others) assertEquals(digests(later, other), [forged, b!.digest]);
  });

  it("names the caller's clock if that is set back, and never a later time than the real one (T-042)", () => {
    const root = makeRepository({ "a": "1" }), start = Date.now();
    const takenAt = (now: Date) => takeSnapshot([root], [], undefined, now).takenAtMs;
    assertEquals(takenAt(new Date(5000)), 5000);
    const late = takenAt(new Date(start + 3_600_000));
    assert(late >= start && late < start + 3_600_000, String(late - start));
  });

  it("changes nothing, not even the index of a repository whose files were touched (T-042)", () => {
    const root = makeRepository({ "a": "1", "d/b": "1" });
    utimesSync(join(root, "a"), 5, 5);
    const state = () =>
      (readdirSync(root, { recursive: true }) as string[]).sort().map((name) => {
        const { mtimeMs, ino, size } = statSync(join(root, name));
        return [name, mtimeMs, ino, size];
      });
    const before = state(), index = readFileSync(join(root, ".git/index"));
    compare(takeSnapshot([root], []));
    assertEquals(state(), before);
    assertEquals(readFileSync(join(root, ".git/index")), index);
  });

  it("runs no program that a repository names (T-042)", () => {
    const root = makeRepository({ "a": "1", ".gitattributes": "* filter=f diff=d\n" });
    const mark = join(folder(), "mark"), program = join(folder(), "program");
    writeFileSync(program, `#!/bin/sh\necho "$0" >>'${mark}'\n`, { mode: 0o755 });
    const keys = ["core.fsmonitor", "filter.f.clean", "filter.f.process", "diff.d.textconv"];
    for (const key of keys) git(root, "config", key, program);
    git(root, "config", "diff.external", program);
    writeFileSync(join(root, "a"), "2");
    const before = takeSnapshot([root], []);
    writeFileSync(join(root, "a"), "3");
    assertEquals(compare(before).violations, ['"a" was changed']);
    assert(!existsSync(mark), "a program of the repository was run");
  });

  it("is not led to another repository by what a git hook sets (T-042)", () => {
    const root = makeRepository({ "a": "1" }), other = makeRepository({ "b": "1" });
    const names = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] as const;
    const expected = takeSnapshot([root], []).digest;
    process.env["GIT_DIR"] = join(other, ".git");
    process.env["GIT_WORK_TREE"] = other;
    process.env["GIT_INDEX_FILE"] = join(other, ".git/index");
    try {
      assertEquals(takeSnapshot([root], []).digest, expected);
    } finally {
      for (const name of names) delete process.env[name];
    }
  });

  it("takes any time that a file can be given (T-042)", () => {
    // A file system in memory keeps times that others cut.
    const place = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
    const root = realpathSync(mkdtempSync(join(place, "okstra-audit-")));
    try {
      const seconds = [9_200_000_000_000, 9_007_199_254_740, -5.5, 0];
      seconds.forEach((time, i) => {
        writeFileSync(join(root, `${i}`), "1");
        utimesSync(join(root, `${i}`), 5, time);
      });
      const before = takeSnapshot([root], []);
      assertEquals(validateShape(mutationSnapshot, before), []);
      assertEquals(compare(before).mutationStatus, "ok");
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it("records a tree that does not exist as one that could not be read (T-042)", () => {
    const root = join(folder(), "none");
    const before = takeSnapshot([root], []);
    assertEquals(before.problems, [{ path: root, reason: "there is no such directory" }]);
    mkdirSync(root);
    assertEquals(compare(before).mutationStatus, "unverifiable");
  });
});

describe("compareWithSnapshotFile()", () => {
  it("compares with what was written, and is unverifiable if that is missing or damaged (T-042)", () => {
    const root = makeRepository({ "a": "1" }), path = join(folder(), "m.json.mutation-audit.json");
    const found = () => compareWithSnapshotFile(path, [makePolicy(root)], ended);
    assertEquals(found().status, "unverifiable");
    writeDocument(mutationSnapshot, path, takeSnapshot([root], []));
    assertEquals(found().status, "ok");
    write(root, { "b": "1" });
    assertEquals(found().changeSummary.violations, ['"b" is new']);
    const text = readFileSync(path, "utf8");
    for (const damaged of [text.slice(0, -9), "{}", text.replace('"path": "a"', '"path": "b"')]) {
      writeFileSync(path, damaged);
      const { status, changeSummary } = found();
      assertEquals([status, changeSummary.mutationStatus], ["unverifiable", "unverifiable"]);
      assertEquals(changeSummary.violations.length, 1);
      assertEquals(changeSummary.retryAllowed, false);
    }
  });
});

describe("orchestratorPaths()", () => {
  it("names the run directory, manifest, team state, its lock and the snapshot (T-038)", () => {
    const run = prepareTestRun();
    const directory = run.at(run.manifest.runDirectoryPath);
    const teamState = run.at(run.manifest.teamStatePath);
    assertEquals(orchestratorPaths(run, "x/s.json"), [
      directory,
      run.manifestPath,
      teamState,
      `${teamState}.lock`,
      run.at("x/s.json"),
    ]);
  });
});

describe("readOutOfPlanEdits()", () => {
  it("reads the reported files of a JSON result (T-043)", () => {
    const root = folder(), path = join(root, "results/r.json");
    const edits = [{ file: "src/a.ts" }, { file: " " }, { file: "\u200b" }, { file: 7 }, {}, null, {
      file: "b",
    }];
    write(root, {
      "results/r.json": JSON.stringify({ implementation: { outOfPlanEdits: edits } }),
    });
    assertEquals(readOutOfPlanEdits(root, path), ["src/a.ts", "b"]);
    assertEquals(readOutOfPlanEdits(join(root, "results"), path), ["src/a.ts", "b"]);
  });

  it("reads none from a result that is no JSON, damaged, missing or outside the project (T-043)", () => {
    const root = folder(),
      good = JSON.stringify({ implementation: { outOfPlanEdits: [{ file: "a" }] } });
    const other = folder();
    write(other, { "r.json": good });
    write(root, { "r.md": good, "cut.json": good.slice(1), "x.json": '{"implementation": 1}' });
    symlinkSync(join(other, "r.json"), join(root, "link.json"));
    symlinkSync(other, join(root, "folder"));
    const paths = ["r.md", "cut.json", "x.json", "none.json", "link.json", "folder/r.json"];
    for (const path of paths) assertEquals(readOutOfPlanEdits(root, join(root, path)), [], path);
    assertEquals(readOutOfPlanEdits(root, join(other, "r.json")), []);
  });
});
