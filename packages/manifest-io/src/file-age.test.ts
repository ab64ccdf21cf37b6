import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { isOlderThan } from "./file-age.ts";

describe("isOlderThan()", () => {
  it("leaves two seconds in doubt only where a time was rounded, or is another file system's (P-10)", () => {
    const cases: [number, number, number, boolean][] = [
      [1, 5_250, 5_250, false],
      [1, 5_249, 5_250, true],
      [1, 5_000, 5_250, false],
      [1, 4_000, 5_999, false],
      [1, 3_000, 5_250, true],
      [2, 3_251, 5_250, false],
      [2, 3_249, 5_250, true],
      [1, 9_000, 5_250, false],
    ];
    for (const [dev, mtimeMs, begun, isOlder] of cases) {
      const found = isOlderThan({ dev, mtimeMs }, { dev: 1, mtimeMs: begun });
      assertEquals(found, isOlder, `${mtimeMs} ${begun}`);
    }
  });
});
