import { describe, it, mock } from "node:test";
import process from "node:process";
import { assertEquals, assertThrows } from "@std/assert";
import { askToEnd } from "./io/end-wrapper.ts";

describe("askToEnd()", () => {
  it("askToEnd() takes it that a process has gone, or is another user's, and nothing else (P-20)", () => {
    let code = "ESRCH";
    const fake = mock.method(process, "kill", () => {
      throw Object.assign(new Error(code), { code });
    });
    try {
      askToEnd(1_234_567);
      code = "EPERM";
      askToEnd(-1_234_567);
      code = "EINVAL";
      assertThrows(() => askToEnd(1_234_567), Error, "EINVAL");
      assertEquals(fake.mock.calls.map((call) => call.arguments as unknown), [
        [1_234_567, "SIGTERM"],
        [-1_234_567, "SIGTERM"],
        [1_234_567, "SIGTERM"],
      ]);
    } finally {
      fake.mock.restore();
    }
  });
});
