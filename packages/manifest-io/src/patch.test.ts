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

  it("replaces the whole, and adds at every place of a list (M-008)", () => {
    assertEquals(jsonPatch(document, [{ op: "replace", path: "", value: { n: 1 } }]), { n: 1 });
    assertEquals(jsonPatch(document, [{ op: "move", from: "/b", path: "" }]), { c: "x" });
    for (const [place, list] of [["0", [3, 1, 2]], ["1", [1, 3, 2]], ["2", [1, 2, 3]]] as const) {
      const add = { op: "add", path: `/a/${place}`, value: 3 };
      assertEquals(getPointer(jsonPatch(document, [add]), "/a"), list);
    }
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
    assertEquals(error.issues.map((issue) => issue.pointer), ["/1/value"]);
    const refused: [JsonValue, string, string][] = [
      [{ op: "remove", path: "/q" }, "/0/path", 'there is no value at "/q"'],
      [{ op: "remove", path: "" }, "/0/path", "a document cannot be removed by a patch"],
      [{ op: "remove", path: "/a/-" }, "/0/path", 'there is no value at "/a/-"'],
      [{ op: "add", path: "/q/r", value: 1 }, "/0/path", 'there is no value at "/q"'],
      [{ op: "add", path: "/b/c/d", value: 1 }, "/0/path", 'there is no value at "/b/c"'],
      [{ op: "add", path: "/a/3", value: 1 }, "/0/path", '"3" is no place in that list'],
      [{ op: "add", path: "/a/x", value: 1 }, "/0/path", '"x" is no place in that list'],
      [{ op: "add", path: "/a/01", value: 1 }, "/0/path", '"01" is no place in that list'],
      [{ op: "add", path: "/a/-1", value: 1 }, "/0/path", '"-1" is no place in that list'],
      [{ op: "add", path: "/b" }, "/0/value", "is missing"],
      [{ op: "add", path: "b", value: 1 }, "/0/path", "expected a JSON pointer"],
      [{ op: "copy", path: "/b" }, "/0/from", "expected a JSON pointer"],
      [{ op: "copy", path: "/d", from: "/q" }, "/0/from", 'there is no value at "/q"'],
      [{ op: "move", path: "/b/c", from: "/b" }, "/0/path", "a value cannot be moved into itself"],
      [{ op: "test", path: "/b", value: { c: "y" } }, "/0/value", 'the value there is {"c":"x"}'],
      [{ op: "add", path: "/__proto__/x", value: 1 }, "/0/path", '"__proto__" is a reserved name'],
      [
        { op: "add", path: "/constructor/prototype/x", value: 1 },
        "/0/path",
        'there is no value at "/constructor/prototype"',
      ],
    ];
    for (const [operation, pointer, message] of refused) {
      const { issues } = assertThrows(() => jsonPatch(document, [operation]), OkstraError);
      assertEquals(issues, [{ pointer, message }]);
    }
    assertEquals(Object.hasOwn(Object.prototype, "x"), false);
    assertThrows(() => jsonPatch(document, { op: "remove" }), OkstraError);
    assertThrows(() => jsonPatch(document, [{ op: "drop", path: "/a" }]), OkstraError);
    assertThrows(() => jsonPatch(document, [null]), OkstraError);
  });
});

describe("jsonPatch() of odd values", () => {
  it("makes no two places one, and keeps what was copied as it was (M-008)", () => {
    assertEquals(
      jsonPatch({ a: { x: [1] } }, [
        { op: "copy", from: "/a", path: "/b" },
        { op: "add", path: "/b/x/-", value: 2 },
        { op: "copy", from: "/b", path: "/b/x/0" },
        { op: "remove", path: "/a/x/0" },
      ]),
      { a: { x: [] }, b: { x: [{ x: [1, 2] }, 1, 2] } },
    );
  });

  it("looks for the new place of what is moved where its old one is gone (M-008)", () => {
    const list = [[1], [2], [3]];
    assertEquals(jsonPatch(list, [{ op: "move", from: "/0", path: "/2" }]), [[2], [3], [1]]);
    assertEquals(jsonPatch(list, [{ op: "move", from: "/0", path: "/1/0" }]), [[2], [[1], 3]]);
    for (const path of ["/3", "/2/0"]) {
      assertThrows(() => jsonPatch(list, [{ op: "move", from: "/0", path }]), OkstraError);
    }
  });

  it("compares and keeps fields whatever they are called (M-008)", () => {
    const odd = parseJsonText('{"a":{"toString":1,"__proto__":{"x":1}},"":0}');
    const test = (value: string) => [{ op: "test", path: "/a", value: parseJsonText(value) }];
    assertEquals(jsonPatch(odd, test('{"__proto__":{"x":1},"toString":1}')), odd);
    assertThrows(() => jsonPatch(odd, test('{"toString":1}')), OkstraError);
    assertEquals(
      JSON.stringify(jsonPatch(odd, [{ op: "move", from: "/a", path: "/" }])),
      '{"":{"toString":1,"__proto__":{"x":1}}}',
    );
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
