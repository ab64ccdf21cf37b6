import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { compareText, formatJson, JsonSyntaxError, parseJsonText } from "./json-text.ts";

const place = (text: string) => {
  const { line, column, message } = assertThrows(() => parseJsonText(text), JsonSyntaxError);
  return `${line}:${column} ${message}`;
};

describe("parseJsonText()", () => {
  it("reads what JSON.parse reads (M-007)", () => {
    for (const text of ['{"a":[1,-2.5e3,true,null,"\\u00e9\\n"]}', " [] ", "0", '"x"']) {
      assertEquals(parseJsonText(text), JSON.parse(text));
    }
  });

  it("tells line and column of the first fault (M-007)", () => {
    assertEquals(place('{\n  "a": 1\n  "b": 2\n}'), '3:3 expected "," or "}"');
    assertEquals(place('{"a":'), "1:6 expected a value, found the end");
    assertEquals(place("{a:1}"), '1:2 expected a key in double quotes or "}"');
    assertEquals(place('["é", 01]'), '1:8 expected "," or "]"');
    assertEquals(place('["a\tb"]'), "1:4 a control character must be written as an escape");
    assertEquals(place('["a\\x"]'), "1:4 unknown escape");
    assertEquals(place('["a'), "1:2 the text in double quotes does not end");
    assertEquals(place("[1] 2"), "1:5 expected the end of the text");
    assertEquals(place(""), "1:1 expected a value, found the end");
    assertEquals(place("[1,]"), "1:4 expected a value");
    assertEquals(place('{"a":1,}'), '1:8 expected a key in double quotes or "}"');
  });

  it("refuses a number that a double would change (M-007)", () => {
    assertEquals(
      place('{"id": 9007199254740993}'),
      "1:8 the number 9007199254740993 cannot be kept exactly",
    );
    assertEquals(place("[1e400]"), "1:2 the number 1e400 cannot be kept exactly");
    assertEquals(parseJsonText("[9007199254740992, 1e3, 0.1]"), [9007199254740992, 1000, 0.1]);
    const lost = ["123456789012345678901e0", "9007199254740993.0", "18446744073709551616"];
    for (const text of lost) {
      assertEquals(place(text), `1:1 the number ${text} cannot be kept exactly`);
    }
  });

  it("refuses more than 512 levels, at once and without a crash (M-007)", () => {
    const deep = "[".repeat(1_000_000);
    assertEquals(place(deep), "1:513 more than 512 levels of nesting");
    assertEquals(parseJsonText("[".repeat(512) + "]".repeat(512)) !== null, true);
    assertEquals(place('{"a":'.repeat(600) + "1" + "}".repeat(600)).includes("512 levels"), true);
  });

  it("refuses 64 MiB of nesting, wherever it begins, and reads as many objects side by side (M-007)", () => {
    const many = 16 * 1024 * 1024;
    assertEquals(place("[".repeat(4 * many)), "1:513 more than 512 levels of nesting");
    assertEquals(
      place(`[1, ${'{"a":'.repeat(many)}`).endsWith("more than 512 levels of nesting"),
      true,
    );
    const flat = `[${"{},".repeat(600_000)}[]]`;
    assertEquals((parseJsonText(flat) as unknown[]).length, 600_001);
  });

  it("refuses a number that would change in any place, and none that stands in a text (M-007)", () => {
    const digits = "12345678901234567890";
    assertEquals(parseJsonText(`["${digits}", "[1e400]", {"1e999": 1}]`) !== null, true);
    for (const text of [`{"a":[{"b":${digits}}]}`, `[[-${digits}]]`, digits, "[0, -1e999]"]) {
      assertEquals(place(text).endsWith("cannot be kept exactly"), true, text);
    }
  });

  it("reads every number that is written (M-007)", () => {
    const large = [
      "7777717771e9",
      "-7777717771000000000.00",
      "1e21",
      "0.12e300",
      "9007199254740994",
    ];
    for (const text of [...large, "18446744073709552000", "5e-324", "0.1"]) {
      const value = parseJsonText(text);
      assertEquals(value, Number(text));
      assertEquals(parseJsonText(formatJson(value)), value, text);
    }
  });

  it("keeps __proto__ a plain key (M-007)", () => {
    const value = parseJsonText('{"__proto__": {"polluted": true}}');
    assertEquals(Object.keys(value as object), ["__proto__"]);
    assertEquals(({} as { polluted?: boolean }).polluted, undefined);
  });
});

describe("parseJsonText() of foreign text", () => {
  it("refuses a key that stands twice, however it is spelt (M-009)", () => {
    assertEquals(
      place('{"a":1,"b":{"a":2},"\\u0061":3}'),
      '1:20 the key "\\u0061" stands twice in one object',
    );
    for (
      const twice of [
        '{"a" \n\t:1,"a":2}',
        '[{"b":{"a":1,"a":1}}]',
        '{"a\\\\":1,"a\\\\":2}',
        '{"":1,"":2}',
        '{"__proto__":1,"__proto__":2}',
        '{"x":":a","a":1,"a":2}',
      ]
    ) assertStringIncludes(place(twice), "stands twice in one object");
  });

  it("takes no text with a colon or quote in it for a key (M-009)", () => {
    for (
      const once of [
        '{"a":":","b":" :","c":"\\":","d":"\\\\","e" : "x\\": y"}',
        '[":", " : ", "\\":", {"a:":"b"}]',
        '{"\\":":"\\\\\\":"}',
      ]
    ) assertEquals(parseJsonText(once), JSON.parse(once));
  });

  it("agrees with JSON.parse on random texts (M-009)", () => {
    let seed = 7;
    const random = (n: number) => (seed = (seed * 16807) % 2147483647) % n;
    const parts = [
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"b\\n"',
      "1",
      "-0.5e2",
      "true",
      "null",
      " ",
      "\n",
      "x",
      '"',
    ];
    let good = 0;
    for (let i = 0; i < 2000; i++) {
      const text = Array.from({ length: 1 + random(7) }, () => parts[random(parts.length)]).join(
        "",
      );
      let expected: unknown;
      let isGood = true;
      try {
        expected = JSON.parse(text);
      } catch {
        isGood = false;
      }
      try {
        assertEquals(parseJsonText(text), expected);
        good++;
        assertEquals(isGood, true, text);
      } catch (error) {
        if (!(error instanceof JsonSyntaxError)) throw error;
        assertEquals(isGood && !error.message.includes("twice"), false, text);
      }
    }
    assertEquals(good > 50, true);
  });
});

describe("formatJson()", () => {
  it("writes two spaces, keeps non-ASCII and key order, ends in a newline (M-008)", () => {
    assertEquals(formatJson({ b: "é", a: [1] }), '{\n  "b": "é",\n  "a": [\n    1\n  ]\n}\n');
  });
});

describe("compareText()", () => {
  it("sorts by code point, not by code unit (K-009)", () => {
    assertEquals(["\u{1f600}", "\uffff", "b", "B", "ab", "a"].sort(compareText), [
      "B",
      "a",
      "ab",
      "b",
      "\uffff",
      "\u{1f600}",
    ]);
  });
});
