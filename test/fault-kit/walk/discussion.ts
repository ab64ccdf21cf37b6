import { walkRounds } from "./convergence.ts";
import type { Walk } from "./walk.ts";

const TALK = "okstra-discussion";

/** Every command of okstra-discussion and most of okstra-convergence, as one story. */
export async function walkDiscussion(walk: Walk): Promise<void> {
  await walk.prepare("walk/discussion/it", ["alpha,provider=lint-a", "beta,provider=lint-b"]);
  await walk.step(`${TALK} confirm-subject --subject src --question`, ["Which faults?"], {
    subject: ["test"],
    question: ["Why?"],
  }, { lock: ".okstra/discussions/walk/discussion/it/records.jsonl.lock" });
  const text = ["--text", "a fact"], file = { "text-file": ["other.md"] };
  await walk.step(`${TALK} add-material --kind evidence`, text, {
    kind: ["alternative"],
    text: ["another fact"],
    ...file,
    author: ["lead"],
    location: ["src/a.txt"],
  });
  const opened = await walk.step(`${TALK} cycle-open`);
  await walk.step("okstra-dispatch run --parallel 1 --batch", [opened.batchPath]);
  await walk.step(`${TALK} settle`);
  await walk.step(`${TALK} collect-questions`);
  await walkRounds(walk);
  await walk.step(`${TALK} cycle-close`);
  await walkQuestions(walk);
  const { draftVersion } = await walk.step(`${TALK} status`);
  await walk.step(`${TALK} decide`, ["--text", "so be it"], {
    text: ["otherwise"],
    ...file,
    settles: ["M-0001"],
  });
  const now = await walk.step(`${TALK} status`);
  await walk.step(`${TALK} complete --draft-version`, [now.draftVersion], {
    "draft-version": [draftVersion],
  });
  await walk.step(`${TALK} reopen --reason`, ["look again"], {
    reason: ["look anew"],
    revision: ["RV-0009"],
  });
  await walk.step(`${TALK} show`, [], { format: ["html"] }, { prints: "text" });
  await walk.step(`${TALK} verify`);
  await walk.step(`${TALK} replay`);
  await walk.step(`${TALK} log`, [], {
    kind: ["subject"],
    author: ["user"],
    cycle: ["R-0001"],
    question: ["Q-0001"],
    after: ["Q-0001"],
  }, { prints: "lines" });
  await walkFailure(walk);
}

async function walkQuestions(walk: Walk): Promise<void> {
  const text = ["--text", "Is it so?"], other = { text: ["Why?"], "text-file": ["other.md"] };
  const asked = await walk.step(`${TALK} ask --to user --author alpha`, text, {
    to: ["beta"],
    author: ["beta"],
    ...other,
  });
  const first = asked.record.recordId;
  const again = await walk.step(`${TALK} ask --to user --author beta`, text);
  await walk.step(`${TALK} answer --question`, [first, "--text", "Yes"], {
    question: [again.record.recordId],
    text: ["No"],
    "text-file": ["other.md"],
  });
  await walk.step(`${TALK} drop --question`, [again.record.recordId, "--reason", "no matter"], {
    question: ["Q-0009"],
    reason: ["another one"],
  });
  const { record: { recordId } } = await walk.step(`${TALK} address --to alpha`, text, {
    to: ["beta"],
    ...other,
  });
  const { batchPath } = await walk.step(`${TALK} question-prompt --question`, [recordId], {
    question: ["Q-0009"],
  });
  await walk.step("okstra-dispatch run --parallel 1 --batch", [batchPath]);
  await walk.step(`${TALK} collect-answer --question`, [recordId], { question: ["Q-0009"] });
}

/** A second cycle whose worker fails. */
async function walkFailure(walk: Walk): Promise<void> {
  const prepared = await walk.step(
    "okstra-manifest-io prepare --discussion-start walk/discussion/it --backend cli-wrapper",
    ["--provider-file", "providers.json"].concat(
      ["gamma", "delta"].flatMap((name) => ["--worker", `${name},provider=idle`]),
    ),
    { "discussion-start": ["walk/discussion/nowhere"] },
  );
  walk.env = { OKSTRA_RUN: prepared.runManifestPath };
  await walk.step(`${TALK} add-material --kind evidence`, ["--text", "something new"]);
  const { batchPath } = await walk.step(`${TALK} cycle-open`);
  await walk.step("okstra-dispatch run --no-retry --batch", [batchPath], {}, { status: 1 });
  const { failures: [failure] } = await walk.step(`${TALK} settle`, [], { "not-run": ["gamma"] });
  await walk.step(`${TALK} recover --choice reduce --failure`, [failure.recordId], {
    failure: ["FL-0009"],
    choice: ["retry"],
  });
}
