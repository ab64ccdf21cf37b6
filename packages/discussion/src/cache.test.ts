import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDraft } from "./draft.ts";
import { openStore } from "./io/open-store.ts";
import { transact } from "./io/store.ts";
import { projectionPath } from "./io/store-files.ts";
import { renderDraft } from "./render.ts";
import { showStatus } from "./status.ts";
import { Draw, openRandom } from "../testdata/random-discussion.ts";
import { listTree, withProject } from "../testdata/project.ts";
import { runA, TASK } from "../testdata/world.ts";

const NAME = "projection.jsonl";

/** What may happen to the projection that is kept; an empty text is removed. */
const HARM: readonly ((kept: string, foreign: string, draw: Draw) => string)[] = [
  () => "",
  () => "x",
  (kept) => kept.slice(0, kept.length / 2),
  (kept) => kept.slice(0, -1),
  (kept) => kept.replace('"kinds":"', '"kinds":"aa'),
  (kept) => kept.replace('"recordsDigest":"sha256:', '"recordsDigest":"sha256:0'),
  (kept) => kept.replace('"rules":"', '"rules":"0'),
  (kept, foreign) => foreign || kept,
  (kept, foreign) => `${kept.split("\n")[0]}\n${foreign.split("\n")[1] ?? ""}\n`,
  (kept, _foreign, draw) => {
    const at = draw.below(kept.length);
    return kept.slice(0, at) + (kept[at] === "1" ? "2" : "1") + kept.slice(at + 1);
  },
];

function tell(storeDirectory: string) {
  const draft = openDraft(openStore(storeDirectory, { skipRevisions: true }).book);
  return { status: showStatus(draft, runA), text: renderDraft(draft, TASK) };
}

describe("the projection that is kept", () => {
  it("openStore() answers the same whatever became of the projection beside the record", () =>
    withProject((root) => {
      for (let seed = 1; seed <= 2; seed++) {
        const draw = new Draw(seed), left = openRandom(seed), right = openRandom(seed);
        const kept = join(root, `kept-${seed}`), harmed = join(root, `harmed-${seed}`);
        let foreign = "";
        for (let step = 0; step < 50; step++) {
          const run = (storeDirectory: string, random: typeof left) =>
            transact(
              { storeDirectory, projectRoot: root, now: "2026-01-31T09:05:00Z" },
              (ledger) => {
                random.step(ledger);
                return { payload: ledger.lines.length, files: [] };
              },
            ).payload;
          assertEquals(run(harmed, right), run(kept, left));
          if (!existsSync(projectionPath(kept))) continue; // nothing is recorded yet
          assert(openStore(kept, { skipRevisions: true }).isCached);
          assertEquals(tell(harmed), tell(kept));
          const { [NAME]: a, ...mine } = listTree(kept), { [NAME]: b, ...other } = listTree(harmed);
          assertEquals(other, mine);
          assertEquals(b, a, "it was written anew");
          const text = draw.of(HARM)(readFileSync(projectionPath(harmed), "utf8"), foreign, draw);
          foreign = draw.below(4) === 0 ? readFileSync(projectionPath(kept), "utf8") : foreign;
          if (text === "") rmSync(projectionPath(harmed));
          else writeFileSync(projectionPath(harmed), text);
          assertEquals(tell(harmed), tell(kept));
        }
      }
    }));

  it("openStore() writes nothing, and needs no right to", () =>
    withProject((root) => {
      const storeDirectory = join(root, "store");
      const random = openRandom(3), options = { storeDirectory, projectRoot: root };
      for (let step = 0; step < 20; step++) {
        transact({ ...options, now: "2026-01-31T09:05:00Z" }, (ledger) => {
          random.step(ledger);
          return { payload: null, files: [] };
        });
      }
      writeFileSync(projectionPath(storeDirectory), "harmed");
      const before = listTree(root);
      tell(storeDirectory);
      assertEquals(listTree(root), before);
    }));

  it("transact() renews a harmed projection even if it records nothing", () =>
    withProject((root) => {
      const storeDirectory = join(root, "store"), now = "2026-01-31T09:05:00Z";
      const act = (isFirst: boolean) =>
        transact({ storeDirectory, projectRoot: root, now }, (ledger) => {
          if (isFirst) {
            ledger.append({
              kind: "subject",
              author: "user",
              sourceRun: "",
              fields: { subject: "a", question: "b" },
            });
          }
          return { payload: null, files: [] };
        });
      act(true);
      const good = readFileSync(projectionPath(storeDirectory), "utf8");
      writeFileSync(projectionPath(storeDirectory), good.slice(9));
      act(false);
      assertEquals(readFileSync(projectionPath(storeDirectory), "utf8"), good);
    }));
});
