// What the installer of the host adapters puts into files of others, and takes out again.
import { addHooks, commandsOf, type Hooks, removeHooks } from "../../hosts/install.d/hooks.mjs";
import { addSection, removeSection } from "../../hosts/install.d/section.mjs";
import type { Chooser } from "../chooser.ts";
import { attempt, isSameJson, type Target, target } from "../target.ts";
import { makeText, makeValue } from "../values.ts";

const OURS: Hooks = {
  SessionStart: [{ hooks: [{ type: "command", command: "ours start" }] }],
  Stop: [{ hooks: [{ type: "command", command: "ours stop" }] }],
};
const COMMANDS = commandsOf(OURS);
const EVENTS = ["SessionStart", "Stop", "PreToolUse"];
const SPACES = [["", " ", "\n"], ["\n  ", "\t", ""], ["\r\n", "\r\n\r\n", " "], [""]];

/** Writes a value as JSON with white space wherever there may be some. */
function write(value: unknown, space: () => string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => write(item, space) + space())
    : Object.entries(value).map(([key, item]) =>
      `${JSON.stringify(key)}${space()}:${space()}${write(item, space)}${space()}`
    );
  const [open, close] = isList ? "[]" : "{}";
  return open + space() + parts.join(`,${space()}`) + close;
}

/** Makes settings that somebody wrote. */
function makeSettings(chooser: Chooser): string {
  const { list, once, pick } = chooser, spaces = pick(SPACES), value = () => makeValue(chooser, 2);
  const hook = () => once(3) ? value() : { command: pick(["mine", "ours stop --more"]) };
  const group = () => once(3) ? value() : { matcher: "x", hooks: list(2, hook) };
  const hooks = Object.fromEntries(list(3, () => [pick(EVENTS), list(2, group)]));
  const settings = Object.fromEntries([
    ...list(2, () => [makeText(chooser, 1), value()] as const),
    ...once(3) ? [] : [["hooks", hooks] as const],
    ...list(1, () => ["model", value()] as const),
  ]);
  const space = () => pick(spaces);
  return space() + write(settings, space) + space();
}

function checkHooks(text: string): string | null {
  const after = addHooks(text, OURS), { hooks = {}, ...rest } = JSON.parse(text);
  const expected = { ...hooks };
  for (const [event, groups] of Object.entries(OURS)) {
    expected[event] = [...expected[event] ?? [], ...groups];
  }
  if (!isSameJson(JSON.parse(after), { ...rest, hooks: expected })) return `it became ${after}`;
  if (addHooks(after, OURS) !== after) return "the second time it became another";
  const back = removeHooks(after, COMMANDS);
  return back === text ? null : `what came back is ${JSON.stringify(back)}`;
}

function checkSection(text: string): string | null {
  const answer = attempt(
    () => addSection(text, "ours", "A.md"),
    ({ message }) => message.endsWith("is missing"),
  );
  if ("refusal" in answer) return null;
  const after = answer.value, isOld = text.includes("okstra: begin");
  if (addSection(after, "ours", "A.md") !== after) return "the second time it became another";
  const back = removeSection(after, "A.md").text;
  return isOld || back === text ? null : `what came back is ${JSON.stringify(back)}`;
}

const LINES = ["<!-- okstra: begin -->", "<!-- okstra: end -->", "<!-- okstra: begin A.md -->"];

/** The files of others that the installer changes. */
export const SHARED_FILE_TARGETS: readonly Target[] = [
  target(
    "host-settings",
    "settings of an agent, to what puts hooks into them",
    makeSettings,
    checkHooks,
  ),
  target(
    "host-section",
    "Markdown files, to what puts a part into them",
    (chooser) =>
      chooser.list(
        4,
        () =>
          (chooser.once(3) ? chooser.pick(LINES) : makeText(chooser)) +
          chooser.pick(["\n", "\r\n", ""]),
      ).join(""),
    checkSection,
  ),
];
