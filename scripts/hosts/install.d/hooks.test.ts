import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { addHooks, commandsOf, removeHooks } from "./hooks.mjs";

const hook = (command: string) => ({ type: "command", command });
const OURS = {
  SessionStart: [{ hooks: [hook('"$X"/okstra-status start')] }],
  Stop: [{ hooks: [hook('"$X"/okstra-status stop')] }],
};
const COMMANDS = commandsOf(OURS);
const MADE = `${JSON.stringify({ hooks: OURS }, null, 2)}\n`;
const remove = (text: string | null) => removeHooks(text, COMMANDS);

/** Settings of users, as they write them. */
const SETTINGS = [
  "{}",
  "{}\n",
  "{\n}\n",
  "{ }",
  " \n{\r\n}\r\n",
  '{"model":"m"}',
  '{"model": "m", "a": [1, {"b": "}]\\""}] }\n',
  '{\n\t"model": "m"\n}\n\n\n',
  '{\r\n    "model": "m"\r\n}\r\n',
  '{"hooks":{}}',
  '{\n  "hooks": {\n  },\n  "z": null\n}\n',
  '{"hooks": {"Stop": []}}\n',
  '{"hooks": {"Stop": [ ], "SessionStart": [\n]}}\n',
  '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": []\n      }\n    ]\n  }\n}\n',
  '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "./mine"}]}]}}',
  '{"hooks": {"Stop": [{"hooks": [{"command": "/opt/okstra-status stop"}]}, 7, {"hooks": 1}]}}\n',
  '{"hooks": {"Stop": 1, "Stop": [{}]}, "hooks": {"Stop": [{"hooks": [7, {}]}]}}',
  '{"\\u0068ooks": {"other": 1}, "caf\u00e9": "\\\\"}',
];

describe("addHooks() and removeHooks()", () => {
  for (const before of SETTINGS) {
    it(`add to ${JSON.stringify(before)}, and bring back every byte of it`, () => {
      const after = addHooks(before, OURS);
      const expected = JSON.parse(before);
      expected.hooks = { ...expected.hooks };
      for (const [event, groups] of Object.entries(OURS)) {
        expected.hooks[event] = [...expected.hooks[event] ?? [], ...groups];
      }
      assertEquals(JSON.parse(after), expected);
      assertEquals(addHooks(after, OURS), after);
      assertEquals(remove(after), before);
      assertEquals(remove(before), before);
    });
  }

  it("tell a file that was made for them from one that was empty", () => {
    for (
      const [before, after] of [[null, MADE], ["", `\n${MADE}`], [" \n", ` \n\n${MADE}`]] as const
    ) {
      assertEquals(addHooks(before, OURS), after);
      assertEquals(remove(after), before);
    }
    const windows = addHooks("\r\n", OURS);
    assertEquals(windows, `\r\n\r\n${MADE.replaceAll("\n", "\r\n")}`);
    assertEquals(remove(windows), "\r\n");
  });

  it("write as a person would", () => {
    const ours = { Stop: [{ hooks: [hook("x")] }] };
    assertEquals(
      addHooks('{\n    "model": "m"\n}\n', ours),
      `${JSON.stringify({ model: "m", hooks: ours }, null, 4)}\n`,
    );
    const mine = { hooks: { Stop: [{ hooks: [hook("mine")] }], Start: [] } };
    const both = { hooks: { ...mine.hooks, Stop: [...mine.hooks.Stop, ...ours.Stop] } };
    assertEquals(
      addHooks(JSON.stringify(mine, null, "\t"), ours),
      JSON.stringify(both, null, "\t"),
    );
  });

  it("take out what is left of ours after a change by others, and nothing else", () => {
    const mine = hook("mine");
    const settings = JSON.parse(addHooks('{"hooks":{"Stop":[]}}', OURS));
    settings.hooks.SessionStart[0].hooks.unshift(mine);
    settings.hooks.SessionStart[0].hooks.push(mine);
    settings.hooks.Stop.unshift({ hooks: [mine] });
    settings.hooks.Stop[1].matcher = "*";
    settings.hooks.Other = OURS.Stop;
    for (const text of [JSON.stringify(settings), JSON.stringify(settings, null, 2)]) {
      const left = { SessionStart: [{ hooks: [mine, mine] }], Stop: [{ hooks: [mine] }] };
      const { Other, ...hooks } = JSON.parse(remove(text)!).hooks;
      assertEquals([hooks, Other ?? []], [left, []]);
    }
    assertEquals(remove(`${MADE}\n`), null);
    // Without the line breaks it cannot be known what was there.
    const minified = JSON.stringify({ hooks: OURS });
    assertEquals(remove(minified), '{"hooks":{"SessionStart":[],"Stop":[]}}');
  });

  it("put changed hooks in the place of those that were there", () => {
    const before = '{"model": "m"}',
      old = { Stop: [{ hooks: [{ ...hook(COMMANDS[1]!), timeout: 1 }] }] };
    assertEquals(addHooks(addHooks(before, old), OURS), addHooks(before, OURS));
    assertEquals(addHooks(addHooks(null, old), OURS), MADE);
  });

  it("throw if it is no settings, or if there is no place for them", () => {
    for (
      const [text, why] of [
        ["{", "it is not JSON"],
        ["// mine\n{}", "it is not JSON"],
        ["\ufeff", "it is not JSON"],
        ["[]", "it is not a JSON object"],
        ["null", "it is not a JSON object"],
        ['{"hooks":[]}', '"hooks" in it is no object'],
        ['{"hooks":null}', '"hooks" in it is no object'],
        ['{"hooks":{"Stop":{}}}', "hooks.Stop in it is no list"],
      ] as const
    ) assertThrows(() => addHooks(text, OURS), Error, why);
    assertThrows(() => remove("{"), Error, "it is not JSON");
    assertEquals(remove('{"hooks":{"Stop":{"hooks":1}}}'), '{"hooks":{"Stop":{"hooks":1}}}');
  });
});
