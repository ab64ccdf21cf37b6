// What the standard library's documentation says of the functions that the stand-ins provide.
import { describe, it } from "node:test";
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { ensureDirSync, existsSync, walkSync } from "@std/fs";
import * as path from "@std/path";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { posix } from "node:path";
import { pathToFileURL } from "node:url";

describe("@std/path", () => {
  const CASES: readonly [call: string, actual: unknown, expected: unknown][] = [
    ["basename(path)", path.basename("/home/user/Documents/image.png"), "image.png"],
    ["basename(directory)", path.basename("/home/user/Documents/"), "Documents"],
    ["basename(path, suffix)", path.basename("/home/user/Documents/image.png", ".png"), "image"],
    ["basename(the suffix alone)", path.basename(".js", ".js"), ""],
    ["basename(whole name as suffix)", path.basename("aaa/bbb", "bbb"), "bbb"],
    ["basename(nothing)", path.basename(""), ""],
    ["dirname(file)", path.dirname("/home/user/Documents/image.png"), "/home/user/Documents"],
    ["dirname(directory)", path.dirname("/home/user/"), "/home"],
    ["dirname(root)", path.dirname("/"), "/"],
    ["dirname(bare name)", path.dirname("foo"), "."],
    ["isAbsolute(absolute)", path.isAbsolute("/home/user"), true],
    ["isAbsolute(relative)", path.isAbsolute("home/user"), false],
    ["isAbsolute(nothing)", path.isAbsolute(""), false],
    ["join(parts)", path.join("/foo", "bar", "baz/asdf", "quux", ".."), "/foo/bar/baz/asdf"],
    ["join()", path.join(), "."],
    ["join(empty parts)", path.join("a", "", "b"), "a/b"],
    ["join(above)", path.join("a", "../../b"), "../b"],
    ["normalize(path)", path.normalize("/foo/bar//baz/asdf/quux/.."), "/foo/bar/baz/asdf"],
    ["normalize(slash at the end)", path.normalize("a/b/"), "a/b/"],
    ["normalize(nothing)", path.normalize(""), "."],
    [
      "relative(from, to)",
      path.relative("/data/orandea/test/aaa", "/data/orandea/impl/bbb"),
      "../../impl/bbb",
    ],
    ["relative(same)", path.relative("/a/b", "/a/b/"), ""],
    ["resolve(parts)", path.resolve("/foo", "bar", "baz/asdf", "quux", ".."), "/foo/bar/baz/asdf"],
    ["resolve(absolute later)", path.resolve("/foo", "/bar", "baz"), "/bar/baz"],
    ["resolve() is absolute", path.isAbsolute(path.resolve("foo")), true],
  ];
  for (const [call, actual, expected] of CASES) {
    it(call, () => assertEquals(actual, expected));
  }

  it("says what node:path says of any path", () => {
    const parts = ["/", ".", "..", "a", "b.ts", "c d", ".x", "a/", "../", "//", ""];
    // Every text of three parts, each with another one beside it.
    const texts = parts.flatMap((a) => parts.flatMap((b) => parts.map((c) => a + b + c)));
    texts.forEach((text, i) => {
      const other = texts[(i * 389) % texts.length]!;
      for (const name of ["isAbsolute", "normalize"] as const) {
        assertEquals(path[name](text), posix[name](text), `${name}(${text})`);
      }
      for (const name of ["join", "resolve", "relative"] as const) {
        assertEquals(
          path[name](text, other),
          posix[name](text, other),
          `${name}(${text}, ${other})`,
        );
      }
      // Of several slashes in a row node:path keeps some; the standard library does not.
      const plain = posix.normalize(text);
      assertEquals(path.dirname(plain), posix.dirname(plain), `dirname(${plain})`);
      assertEquals(path.basename(plain), posix.basename(plain), `basename(${plain})`);
    });
  });
});

describe("@std/fs", () => {
  const withFolder = (body: (folder: string) => void): void => {
    const folder = mkdtempSync(path.join(tmpdir(), "okstra-std-"));
    try {
      body(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it("existsSync() tells files, directories and live links from nothing and dead links", () =>
    withFolder((folder) => {
      writeFileSync(path.join(folder, "a"), "");
      symlinkSync(path.join(folder, "a"), path.join(folder, "live"));
      symlinkSync(path.join(folder, "none"), path.join(folder, "dead"));
      const found = ["", "a", "live", "dead", "none"].map((name) =>
        existsSync(path.join(folder, name))
      );
      assertEquals(found, [true, true, true, false, false]);
      assertEquals(existsSync(pathToFileURL(path.join(folder, "a"))), true);
    }));

  it("ensureDirSync() makes parents, accepts what is there, and refuses a file", () =>
    withFolder((folder) => {
      const deep = path.join(folder, "a/b/c");
      ensureDirSync(deep);
      ensureDirSync(deep);
      assertEquals(existsSync(deep), true);
      writeFileSync(path.join(folder, "file"), "");
      assertThrows(() => ensureDirSync(path.join(folder, "file")));
    }));

  it("walkSync() yields the root and everything below it, and does not follow links", () =>
    withFolder((folder) => {
      ensureDirSync(path.join(folder, "sub/deep"));
      writeFileSync(path.join(folder, "a.ts"), "");
      writeFileSync(path.join(folder, "sub/b.md"), "");
      writeFileSync(path.join(folder, "sub/deep/c.ts"), "");
      symlinkSync(path.join(folder, "sub"), path.join(folder, "link"));
      const walk = (options?: Parameters<typeof walkSync>[1]): string[] =>
        [...walkSync(folder, options)].map((entry) => path.relative(folder, entry.path)).sort();
      assertEquals(walk(), ["", "a.ts", "link", "sub", "sub/b.md", "sub/deep", "sub/deep/c.ts"]);
      assertEquals(walk({ includeDirs: false }), ["a.ts", "link", "sub/b.md", "sub/deep/c.ts"]);
      assertEquals(walk({ exts: [".ts"] }), ["a.ts", "sub/deep/c.ts"]);
      assertEquals(walk({ maxDepth: 0 }), [""]);
      assertEquals(walk({ maxDepth: 1 }), ["", "a.ts", "link", "sub"]);
      assertEquals(walk({ includeFiles: false }), ["", "sub", "sub/deep"]);
      const link = [...walkSync(folder)].find((entry) => entry.name === "link")!;
      assertEquals([link.isSymlink, link.isFile, link.isDirectory], [true, false, false]);
    }));
});

describe("@std/assert", () => {
  const fails = (body: () => unknown): boolean => {
    try {
      body();
      return false;
    } catch (error) {
      return (error as Error).name === "AssertionError";
    }
  };

  it("assert() takes any truthy value", () => {
    assert("x");
    assertEquals([0, "", null, undefined, NaN].map((value) => fails(() => assert(value))), [
      true,
      true,
      true,
      true,
      true,
    ]);
  });

  it("assertEquals() compares deeply, by value, with absent and undefined apart", () => {
    assertEquals({ a: [1, { b: new Date(5) }], c: new Set([1]) }, {
      c: new Set([1]),
      a: [1, { b: new Date(5) }],
    });
    assertEquals(NaN, NaN);
    const unequal: [unknown, unknown][] = [
      [1, "1"],
      [{ a: undefined }, {}],
      [[1, 2], [2, 1]],
      [new Map([["a", 1]]), new Map([["a", 2]])],
      [null, undefined],
    ];
    for (const [a, b] of unequal) {
      assert(fails(() => assertEquals(a, b)));
      assertNotEquals(a, b);
    }
    assert(fails(() => assertNotEquals({ a: 1 }, { a: 1 })));
  });

  it("assertStringIncludes() and assertMatch() look into a text", () => {
    assertStringIncludes("Hello World", "World");
    assertMatch("Raptor", /Raptor/);
    assert(fails(() => assertStringIncludes("Hello World", "world")));
    assert(fails(() => assertMatch("Denosaurus", /Raptor/)));
  });

  it("assertThrows() checks class and message, returns the error, and fails if nothing is thrown", () => {
    const thrown = assertThrows(
      () => {
        throw new TypeError("hello world!");
      },
      TypeError,
      "hello",
    );
    assertEquals(thrown.message, "hello world!");
    assert(fails(() => assertThrows(() => {})));
    assert(fails(() =>
      assertThrows(() => {
        throw new TypeError("x");
      }, RangeError)
    ));
    assert(fails(() =>
      assertThrows(
        () => {
          throw new TypeError("x");
        },
        TypeError,
        "y",
      )
    ));
  });

  it("assertRejects() does the same for promises", async () => {
    const reason = await assertRejects(
      () => Promise.reject(new TypeError("hello world!")),
      TypeError,
      "hello",
    );
    assertEquals(reason.message, "hello world!");
    const outcome = await assertRejects(() => assertRejects(() => Promise.resolve()));
    assertEquals(outcome.name, "AssertionError");
    const wrong = await assertRejects(() =>
      assertRejects(() => Promise.reject(new Error("x")), TypeError)
    );
    assertEquals(wrong.name, "AssertionError");
  });
});
