import { assertEquals } from "@std/assert";
import { describe, it } from "node:test";
import { mountType } from "./filesystem.ts";

describe("mountType()", () => {
  const table = [
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
    "30 22 0:40 / /home rw - 9p share rw",
    "31 30 0:41 / /home/a\\040b rw master:1 - tmpfs tmpfs rw",
    "32 22 0:42 / /homes rw - cifs //server/x rw",
  ].join("\n");

  it("finds the mount that holds a directory (P-2)", () => {
    assertEquals(mountType(table, "/var/x"), "ext4");
    assertEquals(mountType(table, "/home/x"), "9p");
    assertEquals(mountType(table, "/home/a b/c"), "tmpfs");
    assertEquals(mountType(table, "/homes"), "cifs");
    assertEquals(mountType("", "/x"), null);
  });
});
