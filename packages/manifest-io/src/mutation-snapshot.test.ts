import { assertEquals, assertNotEquals } from "@std/assert";
import { describe, it } from "node:test";
import { validateShape } from "./document-kind.ts";
import { digestBytes } from "./digest.ts";
import {
  type AuditOptions,
  compareSnapshots,
  digestRoots,
  type MutationSnapshot,
  NOT_AUDITED,
} from "./mutation-snapshot.ts";
import {
  mutationSnapshot,
  type RepositoryState,
  type SnapshotFile,
  type SnapshotRoot,
} from "./schemas/mutation-snapshot.ts";
import type { WritePolicy } from "./write-policy.ts";

const ended: AuditOptions = { attemptSucceeded: true, resultPresent: true };

function file(path: string, content = "x", changes: Partial<SnapshotFile> = {}): SnapshotFile {
  return {
    path,
    kind: "file",
    mode: 0o644,
    sizeBytes: content.length,
    mtimeMs: 1,
    ctimeSeconds: 1,
    inode: "1",
    digest: digestBytes(content),
    ...changes,
  };
}

function repository(changes: Partial<RepositoryState> = {}): RepositoryState {
  return {
    path: ".",
    headRef: "refs/heads/main",
    headCommit: "c1",
    indexDigest: digestBytes("index"),
    statusDigest: digestBytes("status"),
    ...changes,
  };
}

function snapshot(
  files: SnapshotFile[],
  more: Partial<SnapshotRoot> & { readonly problems?: MutationSnapshot["problems"] } = {},
): MutationSnapshot {
  const { problems = [], ...place } = more;
  const roots = [{ path: "/p", givenPath: "/p", repositories: [], files, ...place }];
  return {
    schemaVersion: "1.0",
    takenAtMs: 5,
    orchestratorPaths: ["/p/.okstra/run"],
    roots,
    problems,
    digest: digestRoots(roots),
  };
}

interface PolicyChanges extends Partial<Omit<WritePolicy, "sourcePolicy">> {
  readonly allowedRoot?: string | null;
  readonly plannedPaths?: readonly string[];
}

function policy(
  { allowedRoot = null, plannedPaths = [], ...rest }: PolicyChanges = {},
): WritePolicy {
  return {
    role: "analyser",
    projectRoot: "/p",
    sourcePolicy: { allowedRoot, plannedPaths, plannedPathsDeclared: true },
    artifactPaths: [],
    auxiliaryRoots: [],
    precision: "none",
    ...rest,
  };
}

const empty = snapshot([]);
const audit = (
  before: MutationSnapshot,
  after: MutationSnapshot,
  policies: readonly WritePolicy[] = [policy()],
  options: AuditOptions = ended,
) => compareSnapshots(before, after, policies, options).changeSummary;

describe("compareSnapshots()", () => {
  it("tells each kind of change apart, sorted by code point (T-042)", () => {
    const before = snapshot([file("a"), file("b"), file("c"), file("d"), file("e"), file("same")]);
    const after = snapshot([
      file("b", "y"),
      file("c", "x", { mode: 0o755 }),
      file("d", "x", { kind: "link" }),
      file("e", "longer"),
      file("same", "x", { mtimeMs: 9, ctimeSeconds: 9, inode: "9" }),
      file("\u{1f600}"),
      file("\uff5e"),
    ]);
    const found = audit(before, after);
    assertEquals(found.violations, [
      '"a" was deleted',
      '"b" was changed',
      '"c" changed its mode from 644 to 755',
      '"d" became a link',
      '"e" was changed',
      '"\uff5e" is new',
      '"\u{1f600}" is new',
    ]);
    assertEquals(found.changedPaths, ["a", "b", "c", "d", "e", "\uff5e", "\u{1f600}"]);
    assertEquals([found.mutationStatus, found.sourceChanged], ["violation", true]);
    assertEquals([found.beforeDigest, found.afterDigest], [before.digest, after.digest]);
  });

  it("finds nothing in a tree that only got other times and inodes (T-042)", () => {
    const after = snapshot([file("a", "x", { mtimeMs: 9, ctimeSeconds: 9, inode: "9" })]);
    assertEquals(audit(snapshot([file("a")]), after), {
      mutationStatus: "ok",
      changedPaths: [],
      sourceChanged: false,
      gitChanged: false,
      attribution: "worker",
      retryAllowed: false,
      violations: [],
      beforeDigest: after.digest,
      afterDigest: after.digest,
    });
  });

  it("allows what one of the policies names, and nothing else beside it (T-042)", () => {
    const after = snapshot([
      file("out/r.md"),
      file("planned/a.ts"),
      file("src/a.ts"),
      file("src2/b.ts"),
      file("tools/x"),
    ]);
    const names = (policies: readonly WritePolicy[]) => audit(empty, after, policies).violations;
    const all = [...after.roots[0]!.files].map((each) => `"${each.path}" is new`);
    const without = (...paths: string[]) =>
      all.filter((line) => !paths.some((path) => line.startsWith(`"${path}"`)));
    assertEquals(names([policy()]), all);
    assertEquals(names([]), all);
    assertEquals(names([policy({ allowedRoot: "/p/src" })]), without("src/a.ts"));
    assertEquals(names([policy({ artifactPaths: ["/p/out/r.md"] })]), without("out/r.md"));
    assertEquals(names([policy({ plannedPaths: ["planned/a.ts"] })]), without("planned/a.ts"));
    assertEquals(names([policy({ auxiliaryRoots: ["/p/tools"] })]), without("tools/x"));
    const two = [policy({ allowedRoot: "/p/src" }), policy({ artifactPaths: ["/p/out/r.md"] })];
    assertEquals(names(two), without("src/a.ts", "out/r.md"));
    assertEquals(names([policy({ allowedRoot: "/p" })]), []);
  });

  it("takes a blank path of a policy for no path, not for the whole project (T-042)", () => {
    const blank = policy({
      allowedRoot: "",
      plannedPaths: ["", " ", "\u200b"],
      artifactPaths: [""],
      auxiliaryRoots: [""],
    });
    const options = { ...ended, outOfPlanEdits: ["", " ", "\u200b"] };
    assertEquals(audit(empty, snapshot([file("a")]), [blank], options).violations, ['"a" is new']);
  });

  it("allows an edit that was reported, and still lists it (T-042, T-043)", () => {
    const options = { ...ended, outOfPlanEdits: ["./src/a.ts", "/p/b.ts"] };
    const after = snapshot([file("b.ts"), file("src/a.ts"), file("src/a.ts.bak")]);
    const found = audit(empty, after, [policy()], options);
    assertEquals(found.violations, ['"src/a.ts.bak" is new']);
    assertEquals(found.changedPaths, ["b.ts", "src/a.ts", "src/a.ts.bak"]);
    assertEquals(found.sourceChanged, true);
  });

  it("does not call an artifact source, and says whether another attempt starts from the same (T-042)", () => {
    const allowed = [policy({ artifactPaths: ["/p/out"], allowedRoot: "/p/src" })];
    const retry = (path: string, attemptSucceeded: boolean, resultPresent: boolean) => {
      const options = { attemptSucceeded, resultPresent };
      const found = audit(empty, snapshot([file(path)]), allowed, options);
      return [found.mutationStatus, found.sourceChanged, found.retryAllowed];
    };
    assertEquals(retry("out/r.md", true, true), ["ok", false, false]);
    assertEquals(retry("out/r.md", false, true), ["ok", false, true]);
    assertEquals(retry("out/r.md", true, false), ["ok", false, true]);
    assertEquals(retry("src/a.ts", false, false), ["ok", true, false]);
    assertEquals(retry("b.ts", false, false), ["violation", true, false]);
  });

  it("names a worker as the one only if it ran alone (T-042)", () => {
    const who = (policies: readonly WritePolicy[], ranAlone?: boolean) =>
      audit(empty, empty, policies, ranAlone === undefined ? ended : { ...ended, ranAlone })
        .attribution;
    assertEquals(who([policy()]), "worker");
    assertEquals(who([policy(), policy()]), "batch");
    assertEquals(who([policy()], false), "batch");
    assertEquals(NOT_AUDITED.changeSummary.attribution, "call");
  });

  it("finds a move of HEAD or index, and a repository that came or went (T-042)", () => {
    const state = (...repositories: RepositoryState[]) => snapshot([], { repositories });
    const found = (after: MutationSnapshot, allowedRoot: string | null = null) =>
      audit(state(repository()), after, [policy({ allowedRoot })]);
    assertEquals(found(state(repository())).gitChanged, false);
    const commit = state(repository({ headCommit: "c2" }));
    assertEquals(found(commit).violations, [
      '"/p" has its git HEAD at c2 (refs/heads/main) instead of c1 (refs/heads/main)',
    ]);
    assertEquals(found(state(repository({ headRef: null }))).violations, [
      '"/p" has its git HEAD at c1 (detached) instead of c1 (refs/heads/main)',
    ]);
    const index = state(repository({ indexDigest: digestBytes("other") }));
    assertEquals(found(index).violations, ['"/p" has another git index']);
    assertEquals(found(state()).violations, ['"/p" is no git repository any more']);
    const inner = state(repository(), repository({ path: "lib" }));
    assertEquals(found(inner).violations, ['"lib" became a git repository']);
    for (const after of [commit, index, state(), inner]) {
      assertEquals(found(after).gitChanged, true);
      assertEquals(found(after).changedPaths, []);
    }
    const allowed = found(commit, "/p");
    assertEquals([allowed.mutationStatus, allowed.gitChanged], ["ok", true]);
    assertEquals(found(commit, "/p/src").mutationStatus, "violation");
  });

  it("is unverifiable if a place could not be read, and a violation if something was found all the same (T-042)", () => {
    const problems = [{ path: "/p/sub", reason: "no" }];
    const line = '"sub" could not be read: no';
    const cases = [
      [snapshot([file("a")], { problems }), snapshot([file("a")])],
      [snapshot([file("a")]), snapshot([file("a")], { problems })],
      // What is below a place that could not be read is neither new nor deleted.
      [snapshot([], { problems }), snapshot([file("sub/a")])],
      [snapshot([file("sub/a")]), snapshot([], { problems })],
      [
        snapshot([], { repositories: [repository({ path: "sub" })] }),
        snapshot([], { problems }),
      ],
      [
        snapshot([], { problems }),
        snapshot([], { repositories: [repository({ path: "sub" })] }),
      ],
    ] as const;
    for (const [before, after] of cases) {
      const found = audit(before, after, [policy()], { ...ended, resultPresent: false });
      assertEquals([found.mutationStatus, found.violations], ["unverifiable", [line]]);
      assertEquals([found.retryAllowed, found.gitChanged], [false, false]);
    }
    const worse = audit(snapshot([file("a")]), snapshot([], { problems }));
    assertEquals(worse.mutationStatus, "violation");
    assertEquals(worse.violations, ['"a" was deleted', line]);
    const unread = audit(
      snapshot([file("a")]),
      snapshot([file("a", "x", { digest: null })], { problems: [{ path: "/p/a", reason: "no" }] }),
    );
    assertEquals([unread.mutationStatus, unread.changedPaths], ["unverifiable", []]);
  });

  it("is unverifiable if the snapshot was changed after it was taken (T-042)", () => {
    const before = snapshot([file("a")]);
    const forged = { ...before, roots: [{ ...before.roots[0]!, files: [file("a", "y")] }] };
    const found = audit(forged, snapshot([file("a", "y")]));
    assertEquals(found.mutationStatus, "unverifiable");
    assertEquals(found.violations, ["The snapshot does not have the digest that it states"]);
  });

  it("names paths of a second tree absolutely, and takes a policy by the name its user gave (T-042)", () => {
    // The second tree is named by a link inside the first.
    const place = { path: "/real/w", givenPath: "/p/w" };
    const both = (files: SnapshotFile[]) => {
      const one = snapshot([], place);
      const roots = [snapshot([]).roots[0]!, { ...one.roots[0]!, files }];
      return { ...one, roots, digest: digestRoots(roots) };
    };
    const after = both([file("a.ts")]);
    assertEquals(audit(both([]), after).changedPaths, ["/real/w/a.ts"]);
    assertEquals(audit(both([]), after).violations, ['"/real/w/a.ts" is new']);
    for (const allowedRoot of ["/p/w", "/real/w"]) {
      assertEquals(audit(both([]), after, [policy({ allowedRoot })]).mutationStatus, "ok");
    }
    const planned = policy({ allowedRoot: "/p/w/none", plannedPaths: ["../a.ts"] });
    assertEquals(audit(both([]), after, [planned]).mutationStatus, "ok");
  });

  it("quotes names so that none can break out of its line (T-042)", () => {
    const found = audit(empty, snapshot([file('a"\n\u001b[2Jb'), file("__proto__")]));
    assertEquals(found.violations, ['"__proto__" is new', '"a\\"\\n\\u001b[2Jb" is new']);
    assertEquals(found.changedPaths, ["__proto__", 'a"\n\u001b[2Jb']);
  });
});

describe("digestRoots()", () => {
  it("depends on names, kinds, modes, content and repositories alone (T-042)", () => {
    const digest = (one: SnapshotFile, more: Partial<SnapshotRoot> = {}) =>
      snapshot([one], more).digest;
    const base = digest(file("a"));
    assertEquals(digest(file("a", "x", { mtimeMs: 7 }), { path: "/q", givenPath: "/q" }), base);
    const others = [
      digest(file("b")),
      digest(file("a", "y")),
      digest(file("a", "x", { mode: 0o600 })),
      digest(file("a", "x", { kind: "link" })),
      digest(file("a", "x", { digest: null })),
      digest(file("a"), { repositories: [repository()] }),
      digest(file("a"), { repositories: [repository({ statusDigest: digestBytes("") })] }),
    ];
    for (const other of others) assertNotEquals(other, base);
    assertEquals(new Set(others).size, others.length);
  });
});

describe("mutationSnapshot", () => {
  it("takes a snapshot and names what is wrong with a damaged one (T-042)", () => {
    const good = snapshot([file(" "), file("__proto__", "x", { digest: null })], {
      repositories: [repository({ headCommit: null, headRef: null })],
    });
    assertEquals(validateShape(mutationSnapshot, good), []);
    const bad = structuredClone(good) as unknown as Record<string, unknown>;
    Object.assign((bad["roots"] as { files: object[] }[])[0]!.files[0]!, {
      kind: "pipe",
      mode: -1,
    });
    delete bad["digest"];
    assertEquals(validateShape(mutationSnapshot, bad).map((issue) => issue.pointer), [
      "/roots/0/files/0/kind",
      "/roots/0/files/0/mode",
      "/digest",
    ]);
  });
});
