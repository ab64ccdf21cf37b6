import { realPath } from "@okstra/kit/host";
import { dirname } from "@std/path";
import { isBlank } from "../blank.ts";
import type { JsonValue } from "../json-text.ts";
import { isInside } from "../project-path.ts";
import { readExternalJson } from "./external.ts";

/**
 * Reads which files a worker says it changed beyond its plan: `implementation.outOfPlanEdits[].file` of a JSON result.
 *
 * A result that is no `.json` file, lies outside the project, or cannot be read or understood reports none.
 */
export function readOutOfPlanEdits(projectRoot: string, resultPath: string): readonly string[] {
  if (!resultPath.endsWith(".json")) return [];
  try {
    const folder = realPath(dirname(resultPath));
    if (!isInside(realPath(projectRoot), folder)) return [];
    const result = readExternalJson(resultPath, { root: folder, label: "native worker result" });
    const edits = field(field(result, "implementation"), "outOfPlanEdits");
    if (!Array.isArray(edits)) return [];
    return edits.map((edit: JsonValue) => field(edit, "file")).filter((file) =>
      typeof file === "string" && !isBlank(file)
    ) as string[];
  } catch (error) {
    // Every refusal of the reader and every failure of the system has one; a defect of ours has none.
    if (typeof (error as { code?: unknown }).code === "string") return [];
    throw error;
  }
}

function field(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
      Object.hasOwn(value, key)
    ? (value as { readonly [key: string]: JsonValue })[key]
    : undefined;
}
