import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { defineKind } from "./document-kind.ts";
import { object } from "./schemas/common.ts";
import { validateBytes } from "./validate-bytes.ts";

describe("validateBytes()", () => {
  it("takes a file of any number of lines", () => {
    const kind = defineKind("any", "document", object({}));
    const bytes = new TextEncoder().encode(`${"{}\n".repeat(150_000)}{\n`);
    const [issue, ...others] = validateBytes(kind, "a.jsonl", bytes);
    assertEquals([issue?.line, others.length], [150_001, 0]);
  });
});
