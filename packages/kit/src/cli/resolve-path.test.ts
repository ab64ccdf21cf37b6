import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { resolvePath } from "./resolve-path.ts";

describe("resolvePath()", () => {
  const cases = [
    ["/a/b", "c", "/a/b/c"],
    ["/a/b", "../c/./d//e/", "/a/c/d/e"],
    ["/a/b", "/x/../y", "/y"],
    ["/a", "../../..", "/"],
    ["/", "x", "/x"],
    ["/a", "", "/a"],
    ["/a", "b\\c", "/a/b\\c"],
    ["C:\\a", "b\\c", "C:/a/b/c"],
    ["C:\\a", "..\\x", "C:/x"],
    ["C:\\a", "D:\\x", "D:/x"],
    ["C:\\a", "\\x", "C:/x"],
  ] as const;
  for (const [cwd, path, expected] of cases) {
    it(`gives ${expected} for ${JSON.stringify(path)} in ${cwd}`, () => {
      assertEquals(resolvePath(cwd, path), expected);
    });
  }
});
