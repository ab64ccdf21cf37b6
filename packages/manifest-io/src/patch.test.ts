import { assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "node:test";
import { OkstraError } from "./errors.ts";
import { jsonPatch } from "./json-patch.ts";
import { getPointer } from "./json-pointer.ts";
import { type JsonValue, parseJsonText } from "./json-text.ts";
import { mergePatch } from "./merge-patch.ts";

describe("mergePatch()", () => {
  it("gives the results of RFC 7396, appendix A (M-008)", () => {
    const cases: [string, string, string][] = [
      ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
      ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
      ['{"a":"b"}', '{"a":null}', "{}"],
      ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
      ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
      ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
      ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
      ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
      ['["a","b"]', '["c","d"]', '["c","d"]'],
      ['{"a":"b"}', '["c"]', '["c"]'],
      ['{"a":"foo"}', "null", "null"],
      ['{"a":"foo"}', '"bar"', '"bar"'],
      ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
      ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
      ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ];
    for (const [target, patch, result] of cases) {
      assertEquals(
        JSON.stringify(mergePatch(parseJsonText(target), parseJsonText(patch))),
        result,
        `${target} ${patch}`,
      );
    }
  });

  it("keeps __proto__ a plain key (M-008)", () => {
    const merged = mergePatch({}, parseJsonText('{"__proto__":{"x":1}}')) as object;
    assertEquals(Object.keys(merged), ["__proto__"]);
    assertEquals((merged as { x?: number }).x, undefined);
  });
});

describe("jsonPatch()", () => {
  const document: JsonValue = { a: [1, 2], b: { c: "x" } };

  it("applies all operations (M-008)", () => {
    assertEquals(
      jsonPatch(document, [
        { op: "add", path: "/a/-", value: 3 },
        { op: "replace", path: "/b/c", value: "y" },
        { op: "test", path: "/a/0", value: 1 },
        { op: "move", from: "/b/c", path: "/d" },
      ]),
      { a: [1, 2, 3], b: {}, d: "y" },
    );
    assertEquals(document, { a: [1, 2], b: { c: "x" } });
  });

  it("applies none if one fails, and names it (M-008)", () => {
    const error = assertThrows(
      () =>
        jsonPatch(document, [
          { op: "remove", path: "/a/0" },
          { op: "test", path: "/b/c", value: "z" },
        ]),
      OkstraError,
    );
    assertEquals(error.issues.map((issue) => issue.pointer), ["/1"]);
    assertThrows(() => jsonPatch(document, { op: "remove" }), OkstraError);
    assertThrows(() => jsonPatch(document, [{ op: "drop", path: "/a" }]), OkstraError);
    assertThrows(() => jsonPatch(document, [null]), OkstraError);
  });
});

describe("getPointer()", () => {
  it("gives the results of RFC 6901, section 5 (M-001)", () => {
    const rfc = { foo: ["bar", "baz"], "": 0, "a/b": 1, "m~n": 8, " ": 7 };
    assertEquals(getPointer(rfc, ""), rfc);
    assertEquals(getPointer(rfc, "/foo/0"), "bar");
    assertEquals(getPointer(rfc, "/"), 0);
    assertEquals(getPointer(rfc, "/a~1b"), 1);
    assertEquals(getPointer(rfc, "/m~0n"), 8);
    for (const missing of ["/foo/2", "/foo/00", "/foo/length", "/constructor", "foo"]) {
      assertEquals(getPointer(rfc, missing), undefined, missing);
    }
  });
});
