// Short texts that people and programs give: times, keys, paths, options, templates, headers.
import { OkstraError } from "../../../packages/manifest-io/src/errors.ts";
import { absolutePath, isInside } from "../../../packages/manifest-io/src/project-path.ts";
import {
  escapePromptHeaders,
  findLostHeaders,
  formatPromptHeaders,
  parsePromptHeaders,
  PROMPT_LABELS,
} from "../../../packages/manifest-io/src/prompt-headers.ts";
import { expandArgv, type ProviderValues } from "../../../packages/manifest-io/src/providers.ts";
import {
  discussionStoreDirectory,
  isSameTask,
  parseTaskKey,
} from "../../../packages/manifest-io/src/task-key.ts";
import { formatTime, parseTime, TIME_PATTERN } from "../../../packages/manifest-io/src/time.ts";
import { parseRoster } from "../../../packages/manifest-io/src/worker-spec.ts";
import type { Chooser } from "../chooser.ts";
import { attempt, type Target, target } from "../target.ts";
import { damage, makeText } from "../values.ts";

const isOurs = (error: Error) => error instanceof OkstraError;

export const WORD_TARGETS: readonly Target[] = [
  target("time", "times and texts like them", makeTime, checkTime),
  target("task-key", "task keys and texts like them", makeKeys, checkKeys),
  target("project-path", "paths, to the rule that keeps them in a project", (chooser) => ({
    root: chooser.pick(["/p", "/p/q r", "/"]),
    path: makePath(chooser),
  }), checkPath),
  target("worker-option", "values of --worker", makeWorker, checkWorker),
  target(
    "provider-argv",
    "templates of command lines, with odd values",
    makeTemplate,
    checkTemplate,
  ),
  target("prompt-headers", "prompts with texts from elsewhere in them", (chooser) => ({
    values: chooser.list(4, () => makeText(chooser)),
    body: makeBody(chooser),
  }), checkHeaders),
];

function makeTime(chooser: Chooser): { text: string } {
  const { number, once, pick } = chooser;
  const two = (below: number) => String(number(below)).padStart(2, "0");
  const zone = pick(["Z", "Z", "+00:00", "-00:00", "+0000", "+01:00", ""]);
  const seconds = pick([`:${two(62)}`, "", `:${two(60)}.${number(1000)}`]);
  const text =
    `${pick(["2026", "0000", "9999", "2024"])}-${two(14)}-${two(33)}${pick(["T", " "])}` +
    `${two(26)}:${two(61)}${seconds}${zone}`;
  return { text: once(3) ? damage(text, chooser) : text };
}

function checkTime({ text }: { text: string }): string | null {
  const answer = attempt(() => parseTime(text), isOurs);
  if ("refusal" in answer) {
    const isGood = TIME_PATTERN.test(text) && !Number.isNaN(Date.parse(text)) &&
      formatTime(new Date(text)) === text;
    return isGood ? "a time of ours was refused" : null;
  }
  if (!TIME_PATTERN.test(answer.value)) return `read as ${answer.value}`;
  if (formatTime(new Date(answer.value)) !== answer.value) return "there is no such time";
  return parseTime(answer.value) === answer.value ? null : "read as another time the second time";
}

function makeKeys(chooser: Chooser): { a: string; b: string } {
  const segment = () =>
    chooser.pick(["demo", "Demo", "a.b", "x_y", "..", ".", "", makeText(chooser, 2)]);
  const key = () =>
    [segment(), segment(), segment()].slice(chooser.number(2)).join(chooser.pick(["/", ":"]));
  const a = key();
  return { a, b: chooser.once(2) ? a.toUpperCase().replaceAll("/", ":") : key() };
}

function checkKeys({ a, b }: { a: string; b: string }): string | null {
  if (isSameTask(a, b) !== isSameTask(b, a)) {
    return "the one is the other, and not the other way round";
  }
  const answer = attempt(() => parseTaskKey(a), isOurs);
  if ("refusal" in answer) return null;
  if (answer.value.join("/") !== a) return `read as ${answer.value}`;
  if (!isSameTask(a, a)) return "no key is itself";
  const store = discussionStoreDirectory(a);
  const isKept = store.split("/").length === 5 && !store.split("/").includes("..");
  return isKept ? null : `it leads to ${store}`;
}

function makePath(chooser: Chooser): string {
  const { list, pick, once } = chooser;
  const parts = list(5, () => pick(["a", "..", ".", "", "b c", "~", makeText(chooser, 2)]));
  return (once(3) ? "/" : "") + parts.join("/");
}

function checkPath({ root, path }: { root: string; path: string }): string | null {
  const answer = attempt(() => absolutePath(root, path), isOurs);
  if ("refusal" in answer) return null;
  const absolute = answer.value;
  if (!absolute.startsWith("/")) return `${absolute} is not absolute`;
  if (absolute.split("/").some((part) => part === ".." || part === ".")) {
    return `${absolute} still climbs`;
  }
  if (!isInside(root, root)) return "a directory is not inside itself";
  const isBelow = root === "/" || absolute === root || absolute.startsWith(`${root}/`);
  return isInside(root, absolute) === isBelow ? null : `${absolute} inside ${root}: ${!isBelow}`;
}

function makeWorker(chooser: Chooser): { specs: string[] } {
  const { pick, once, list } = chooser;
  const setting = () =>
    `${pick(["provider", "model", "role", "", "modell"])}${pick(["=", "=", ""])}${
      pick(["claude", "codex", "analyser", "critic", makeText(chooser, 2)])
    }`;
  const spec = () =>
    [pick(["claude", "codex", "alpha", makeText(chooser, 2)]), ...list(3, setting)].join(",");
  return { specs: list(3, () => once(4) ? damage(spec(), chooser) : spec()) };
}

function checkWorker({ specs }: { specs: string[] }): string | null {
  const answer = attempt(() => parseRoster(specs, "discussion", {}), isOurs);
  if ("refusal" in answer) return null;
  if (answer.value.length !== specs.length) {
    return `${answer.value.length} workers of ${specs.length}`;
  }
  for (const { workerId, model, provider, entry } of answer.value) {
    if (!/^[A-Za-z0-9._-]+$/.test(workerId) || Object.hasOwn(Object.prototype, workerId)) {
      return `a worker is named ${JSON.stringify(workerId)}`;
    }
    if (/[\r\n]/.test(model) || model.trim() !== model) return `a model ${JSON.stringify(model)}`;
    if (entry.argv.length === 0) return `${provider} has no command line`;
  }
  const names = answer.value.map(({ workerId }) => workerId.toLowerCase());
  return new Set(names).size === names.length ? null : "two workers of one name";
}

type Template = { argv: (string | string[])[]; values: ProviderValues };

function makeTemplate(chooser: Chooser): Template {
  const { pick, list, once } = chooser;
  const word = () =>
    list(
      3,
      () =>
        pick([
          "{model}",
          "{promptPath}",
          "{addDirs}",
          "{sessionId}",
          "{none}",
          makeText(chooser, 1),
        ]),
    )
      .join("");
  const value = () => pick(["", "none", "{model}", "$&", "$1", makeText(chooser)]);
  return {
    argv: [word(), ...list(4, () => once(3) ? list(3, word) : word())],
    values: {
      ...{ model: value(), promptPath: value(), resultPath: value(), projectRoot: value() },
      ...{ worktree: value(), sessionId: value(), addDirs: list(3, value) },
    },
  };
}

function checkTemplate({ argv, values }: Template): string | null {
  const words = expandArgv({ argv }, values);
  const plain = argv.filter((part): part is string => typeof part === "string")
    .filter((word) => !word.includes("{addDirs}"));
  const right = plain.map((word) =>
    // Split at placeholders, so that no value is looked at again.
    word.split(/(\{(?:model|promptPath|sessionId)\})/).map((part) =>
      part === "{model}"
        ? values.model
        : part === "{promptPath}"
        ? values.promptPath
        : part === "{sessionId}"
        ? values.sessionId
        : part
    ).join("")
  );
  let from = 0;
  for (const word of right) {
    const at = words.indexOf(word, from);
    if (at < 0) return `${JSON.stringify(word)} is not in ${JSON.stringify(words)}`;
    from = at + 1;
  }
  const most = argv.reduce(
    (sum, part) =>
      sum + (typeof part === "string" ? 1 : part.length) * Math.max(1, values.addDirs.length),
    0,
  );
  return words.length <= most ? null : `${words.length} words`;
}

function makeBody(chooser: Chooser): string {
  return chooser.list(
    6,
    () =>
      chooser.once(2)
        ? makeText(chooser)
        : `${chooser.pick(["", " ", "\ufeff"])}**${chooser.pick(PROMPT_LABELS)}:** ${
          makeText(chooser, 2)
        }`,
  ).join(chooser.pick(["\n", "\r\n", "\r", "\u2028"]));
}

function checkHeaders({ values, body }: { values: string[]; body: string }): string | null {
  const headers = Object.fromEntries(values.map((value, at) => [PROMPT_LABELS[at]!, value]));
  const read = parsePromptHeaders(formatPromptHeaders(headers));
  const lost = findLostHeaders(headers);
  for (const label of PROMPT_LABELS) {
    if ((read[label] !== headers[label]) !== lost.includes(label)) return `${label} is lost unseen`;
  }
  const prompt = `${formatPromptHeaders(headers)}\n${escapePromptHeaders(body)}`;
  const whole = parsePromptHeaders(prompt);
  for (const label of PROMPT_LABELS) {
    if (whole[label] !== read[label]) {
      return `a text from elsewhere gives ${label}: ${whole[label]}`;
    }
  }
  return null;
}
