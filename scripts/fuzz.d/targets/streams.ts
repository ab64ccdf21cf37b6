// What agents print: the events of each provider, whole and damaged.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { FAILURE_CLASSES } from "../../../packages/manifest-io/src/vocabulary.ts";
import { foldLine, NO_FINDINGS } from "../../../packages/wrapper-status/src/events/findings.ts";
import { EVENT_STREAMS, type EventStream } from "../../../packages/manifest-io/src/vocabulary.ts";
import { EVENT_FOLDS } from "../../../packages/wrapper-status/src/events/streams.ts";
import type { JsonValue } from "../../../packages/manifest-io/src/json-text.ts";
import type { Chooser } from "../chooser.ts";
import { type Target, target } from "../target.ts";
import { damage, mutate } from "../values.ts";

const FOLDER = fileURLToPath(
  new URL("../../../packages/wrapper-status/testdata/events", import.meta.url),
);

/** One target for each format of events. */
export const STREAM_TARGETS: readonly Target[] = EVENT_STREAMS.map((name) => {
  const lines = readdirSync(`${FOLDER}/${name}`).flatMap((file) =>
    readFileSync(`${FOLDER}/${name}/${file}`, "utf8").trimEnd().split("\n")
  );
  return target(
    `events-${name}`,
    `damaged events of ${name}, to their reader`,
    (chooser) => ({ lines: chooser.list(8, () => makeLine(chooser, lines)) }),
    (input) => check(name, input.lines),
  );
});

function makeLine(chooser: Chooser, lines: readonly string[]): string {
  const { pick, once } = chooser, line = pick(lines);
  if (once(3)) return line;
  if (once(3)) return damage(line, chooser);
  try {
    return JSON.stringify(mutate(JSON.parse(line) as JsonValue, chooser));
  } catch {
    return line;
  }
}

function check(name: string, lines: readonly string[]): string | null {
  const fold = EVENT_FOLDS[name as EventStream];
  const findings = lines.reduce((so, line) => foldLine(fold, so, line), NO_FINDINGS);
  const { sessionId, lastMessage, usage, trouble, denial, draft } = findings;
  for (const text of [sessionId, lastMessage, denial, trouble?.message ?? null]) {
    if (text !== null && typeof text !== "string") return `${JSON.stringify(text)} is no text`;
  }
  if (typeof draft !== "string") return "the draft is no text";
  if (trouble !== null) {
    if (!FAILURE_CLASSES.includes(trouble.failureClass)) return `a class ${trouble.failureClass}`;
    for (const time of [trouble.retryAfterMs, trouble.retryAt]) {
      if (time !== null && (!Number.isFinite(time) || time < 0)) return `a time ${time}`;
    }
  }
  for (const [key, count] of Object.entries(usage ?? {})) {
    const isCount = typeof count === "number"
      ? Number.isSafeInteger(count) && count >= 0
      : count === null;
    if (key !== "source" && !isCount) return `${key} is ${JSON.stringify(count)}`;
  }
  return null;
}
