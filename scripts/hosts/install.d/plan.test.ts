import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { markFile, readMark } from "./mark.mjs";
import { planChanges, type State, type Wanted } from "./plan.mjs";

const bytes = (text: string) => new Uint8Array(new TextEncoder().encode(text));
const FILE: Wanted = { kind: "file", path: "/p/.x/s.md", content: "# Skill\n" };
const SCRIPT: Wanted = { kind: "file", path: "/p/.x/run", content: "#!/bin/sh\n" };
const SECTION: Wanted = { kind: "section", path: "/p/A.md", content: "ours" };
const HOOKS: Wanted = {
  kind: "hooks",
  path: "/p/.x/h.json",
  content: { Stop: [{ hooks: [{ command: "x" }] }] },
};
const ALL = [FILE, SCRIPT, SECTION, HOOKS];
const OPTIONS = { host: "codex", isRemoval: false, isForced: false };

/** What `look` would say of a file. */
function stateOf(path: string, text: string | null, more: object = {}): State {
  return {
    real: path,
    link: null,
    bytes: text === null ? null : Buffer.from(text),
    mode: text === null ? null : 0o644,
    missing: [],
    name: path.slice(path.lastIndexOf("/") + 1),
    leadsHere: () => true,
    lock: null,
    ...more,
  };
}

/** Plans with files that hold these texts; `null`: there is none. */
function plan(
  texts: Readonly<Record<string, string | null>>,
  more: object = {},
  all = ALL,
  state = {},
) {
  const items = all.map((wanted) => ({
    wanted,
    state: stateOf(wanted.path, texts[wanted.path] ?? null, state),
  }));
  return planChanges(items, { ...OPTIONS, ...more });
}

/** What stands in the files after the changes. */
const textsAfter = ({ changes }: ReturnType<typeof plan>) =>
  Object.fromEntries(
    changes.map(({ path, after }) => [path, after && new TextDecoder().decode(after)]),
  );

describe("planChanges()", () => {
  it("writes each file, and takes each out again", () => {
    const installed = plan({});
    assertEquals([installed.kept, installed.problems], [[], []]);
    assertEquals(installed.changes.map(({ mode }) => mode), [null, 0o777, null, null]);
    const texts = textsAfter(installed);
    assertEquals(Object.keys(texts), ALL.map(({ path }) => path));
    const again = plan(texts);
    // A script that cannot be run is mended.
    assertEquals(again.changes.map(({ path, oldMode, mode }) => [path, oldMode, mode]), [
      [SCRIPT.path, 0o644, 0o755],
    ]);
    assertEquals(plan(texts, {}, [SCRIPT], { mode: 0o700 }).changes, []);
    const removed = plan(texts, { isRemoval: true });
    assertEquals(textsAfter(removed), Object.fromEntries(ALL.map(({ path }) => [path, null])));
    assertEquals(plan({}, { isRemoval: true }).changes, []);
  });

  it("counts for each file the folders that are made for it, and keeps the number", () => {
    const first = plan({}, {}, [FILE, SCRIPT], { missing: ["/p/.x", "/p"] });
    const texts = textsAfter(first);
    assertEquals([FILE, SCRIPT].map(({ path }) => readMark(texts[path]!)?.folders), [2, 0]);
    const renewed = plan(texts, {}, [{ ...FILE, content: "# New\n" } as Wanted]);
    assertEquals(readMark(textsAfter(renewed)[FILE.path]!)?.folders, 2);
    const removed = plan(texts, { isRemoval: true }, [FILE]);
    assertEquals(removed.changes.map(({ folders }) => folders), [2]);
  });

  it("refuses to overwrite a file that is not ours, or was changed, unless it is forced to", () => {
    const ours = markFile(FILE.path, "# Old\n", "codex", 0);
    for (
      const text of ["mine\n", "", "# Skill\n", `${ours}\n`, ours.replace("Old", "My"), "\xff"]
    ) {
      const refused = plan({ [FILE.path]: text }, {}, [FILE]);
      assertEquals(refused.changes, []);
      assertEquals(refused.problems.length, 1);
      assertEquals(plan({ [FILE.path]: text }, { isForced: true }, [FILE]).changes.length, 1);
      const removed = plan({ [FILE.path]: text }, { isRemoval: true }, [FILE]);
      assertEquals([removed.changes.length, removed.kept.length], [0, 1]);
    }
    assertEquals(plan({ [FILE.path]: ours }, {}, [FILE]).changes.length, 1);
    const others = { [FILE.path]: markFile(FILE.path, "# Skill\n", "gemini", 0) };
    assertEquals(plan(others, {}, [FILE]).problems.map(({ problem }) => problem.split(",")[0]), [
      "it belongs to gemini",
    ]);
    assertEquals(plan(others, { isRemoval: true }, [FILE]).changes, []);
  });

  it("changes nothing that is not UTF-8, cannot be written, or is one file twice", () => {
    const latin = { bytes: Buffer.from(bytes("Stra_e")).fill(0xdf, 4, 5) };
    for (
      const [state, count] of [
        [latin, 4],
        [{ lock: "it is read-only" }, 4],
        [{ real: "/p/one" }, 3],
        [{ problem: "it is a folder" }, 4],
      ] as const
    ) {
      const { problems } = plan({}, {}, ALL, state);
      assertEquals(problems.length, count, JSON.stringify(problems));
    }
    assertEquals(plan({}, { isRemoval: true }, [SECTION], latin).problems.length, 1);
    assertEquals(plan({}, { isRemoval: true }, [FILE], latin).kept.length, 1);
    // What needs no change may be read-only.
    const texts = textsAfter(plan({}));
    assertEquals(plan(texts, {}, [FILE, SECTION, HOOKS], { lock: "it is read-only" }).problems, []);
  });

  it("keeps the part of a file that another host needs, too", () => {
    const both = textsAfter(plan({}, {}, [SECTION]))[SECTION.path]!.replace("A.md", "A.md B.md");
    const removed = plan({ [SECTION.path]: both }, { isRemoval: true }, [SECTION]);
    assertEquals(textsAfter(removed)[SECTION.path], both.replace("A.md ", ""));
    assertEquals(removed.kept.map(({ reason }) => reason), [
      "its part of okstra is also that of B.md",
    ]);
  });
});
