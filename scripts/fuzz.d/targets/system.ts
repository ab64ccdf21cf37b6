// What the system, terminals and command lines say.
import { parseWords } from "../../../packages/kit/src/cli/parse.ts";
import { stripControl } from "../../../packages/kit/src/cli/strip-control.ts";
import { UsageError } from "../../../packages/kit/src/cli/usage-error.ts";
import { parseCaller, parseSurface } from "../../../packages/dispatch/src/cmux-words.ts";
import { parseClaim } from "../../../packages/dispatch/src/launch-words.ts";
import { quoteWord } from "../../../packages/kit/src/command-line.ts";
import { parsePaneState } from "../../../packages/dispatch/src/tmux-words.ts";
import { delayIn, parseRetryAfter } from "../../../packages/wrapper-status/src/events/classify.ts";
import { parsePs, parseStat } from "../../../packages/wrapper-status/src/process-table.ts";
import { COMMANDS } from "../../../test/fault-kit/walk/commands.ts";
import type { Chooser } from "../chooser.ts";
import { attempt, type Target, target } from "../target.ts";
import { damage, makeText } from "../values.ts";

const ALL = Object.values(COMMANDS).flatMap((commands) => Object.values(commands));

export const SYSTEM_TARGETS: readonly Target[] = [
  target("command-line", "words, to the options of every command", makeLine, checkLine),
  target("process-table", "lines of /proc and ps, with odd names", makeStat, checkStat),
  target("pane-answers", "what tmux and cmux answer", (chooser) => ({
    tmux: damage("%5 1 [0] [] run:attempt-1", chooser),
    cmux: damage("OK surface:7 pane:2 workspace:1", chooser),
    caller: damage('{"caller":{"surface_ref":"surface:7","surface_id":"S-1"}}', chooser),
    claim: damage("4242 1151745", chooser),
  }), checkPanes),
  target("retry-after", "times that providers ask for", (chooser) => ({
    text: damage(
      chooser.pick(["2", "Wed, 21 Oct 2026 07:28:00 GMT", "try again in 11.054s", "1.5"]),
      chooser,
    ),
  }), checkRetry),
  target("strip-control", "texts with escapes, for a terminal", (chooser) => ({
    text: damage(
      makeText(chooser, 8) + chooser.pick(["\u001b]0;x\u0007", "\u001b[2J", "\u009b1m", "\u202e"]),
      chooser,
    ),
  }), checkStrip),
  target(
    "shell-quote",
    "words, for a shell",
    (chooser) => ({ word: makeText(chooser, 8) }),
    checkQuote,
  ),
];

interface Line {
  readonly command: number;
  readonly words: readonly string[];
}

function makeLine(chooser: Chooser): Line {
  const { number, pick, list, once } = chooser, command = number(ALL.length);
  const names = Object.keys(ALL[command]!.options);
  const word = () => {
    const name = once(4) || names.length === 0 ? makeText(chooser, 2) : pick(names);
    return pick([
      `--${name}`,
      `--${name}=${makeText(chooser, 1)}`,
      `--no-${name}`,
      `-${name[0] ?? ""}`,
      name,
    ]);
  };
  return {
    command,
    words: list(6, () => once(2) ? word() : pick(["1", "x", "--", "-", makeText(chooser, 2)])),
  };
}

function checkLine({ command, words }: Line): string | null {
  const known = ALL[command]!;
  const answer = attempt(() => parseWords(known, words), (error) => error instanceof UsageError);
  if ("refusal" in answer) return answer.refusal.message === "" ? "refused without words" : null;
  const { values, args, rest } = answer.value;
  const given = words.indexOf("--");
  if (rest.length > 0 && given < 0) return "words behind a -- that is not there";
  if (args.length + rest.length > words.length) return "more words than were given";
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "number" && !Number.isFinite(value)) return `--${name} is ${value}`;
  }
  return Object.keys({}).length === 0 && ({} as Record<string, unknown>)["errors"] === undefined
    ? null
    : "every object was changed";
}

interface Stat {
  readonly pid: number;
  readonly name: string;
  readonly text: string;
  readonly isWhole: boolean;
}

function makeStat(chooser: Chooser): Stat {
  const pid = 1 + chooser.number(100_000), name = makeText(chooser, 4);
  const text = `${pid} (${name}) S 1 ${pid} ${pid} 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 777 0 0\n`;
  return chooser.once(2)
    ? { pid, name, text, isWhole: true }
    : { pid, name, text: damage(text, chooser), isWhole: false };
}

function checkStat({ pid, text, isWhole }: Stat): string | null {
  const row = parseStat(text);
  parsePs(text);
  if (!isWhole) return null;
  const isRight = row?.pid === pid && row.parent === 1 && row.startTime === "777" &&
    row.state === "S";
  return isRight ? null : `read as ${JSON.stringify(row)}`;
}

function checkPanes(
  input: { tmux: string; cmux: string; caller: string; claim: string },
): string | null {
  const pane = parsePaneState(input.tmux, "%5", "run:attempt-1");
  if (pane.kind === "dead" && pane.status !== null && !Number.isSafeInteger(pane.status)) {
    return "a status";
  }
  if (pane.kind !== "absent" && !input.tmux.trim().startsWith("%5 ")) {
    return "another pane is believed";
  }
  const surface = parseSurface(input.cmux);
  if (surface !== null && !/^surface:\d+$/.test(surface)) return `a surface ${surface}`;
  const caller = parseCaller(input.caller);
  if (caller !== null && Object.values(caller).some((value) => typeof value !== "string")) {
    return "no text";
  }
  const claim = parseClaim(input.claim);
  if (claim.kind === "started" && !(Number.isSafeInteger(claim.pid) && claim.pid >= 0)) {
    return `process ${claim.pid}`;
  }
  return null;
}

function checkRetry({ text }: { text: string }): string | null {
  const { retryAfterMs = 0, retryAt = 0 } = parseRetryAfter(text), delay = delayIn(text) ?? 0;
  const isBad = !Number.isFinite(retryAt) ||
    [retryAfterMs, delay].some((ms) => !(ms >= 0 && ms < Infinity));
  return isBad ? `times ${retryAfterMs}, ${retryAt}, ${delay}` : null;
}

/** What may not come to a terminal; line feeds and tabs are looked at apart. */
// deno-lint-ignore no-control-regex
const UNSAFE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

function checkStrip({ text }: { text: string }): string | null {
  for (const keepLines of [false, true]) {
    const shown = stripControl(text, { keepLines });
    if (UNSAFE.test(shown) || (!keepLines && /[\n\t]/.test(shown))) {
      return `${JSON.stringify(shown)} is left`;
    }
    if (stripControl(shown, { keepLines }) !== shown) {
      return "the second time something more is taken away";
    }
  }
  return null;
}

function checkQuote({ word }: { word: string }): string | null {
  const quoted = quoteWord(word);
  let out = "", rest = quoted;
  while (rest !== "") {
    const match = /^(?:'([^']*)'|\\([\s\S])|"([^"$`\\]*)"|([A-Za-z0-9_/.:=@%+,-]+))/.exec(rest);
    if (match === null) return `${quoted} holds what a shell reads`;
    out += match[1] ?? match[2] ?? match[3] ?? match[4] ?? "";
    rest = rest.slice(match[0].length);
  }
  return out === word ? null : `a shell reads ${out}`;
}
