import { appendFile, readDir, stat, withFileLock } from "@okstra/kit/host";
import { dirname, join } from "@std/path";
import {
  type CarryFile,
  coveredStages,
  type Fields,
  parseConsumers,
  planBackfill,
} from "../carry.ts";
import { OkstraError } from "../errors.ts";
import { parseObject } from "../parse-bytes.ts";
import { DEFAULT_LOCK_TIMEOUT_MS, readBytes, readText } from "./document.ts";
import { findDirectory } from "./project-root.ts";

/** What `carry backfill` did. */
export interface BackfillResult {
  readonly consumersPath: string;
  /** The rows that were missing. */
  readonly added: readonly Fields[];
  /** Carry files that could not be read, each with the reason. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Appends the `done` rows that are missing in `consumers.jsonl` of a plan, by the carry files of the implementation.
 *
 * @param planRunRoot run directory of the plan, `<task>/runs/implementation-planning`
 * @param taskKey task of rows whose carry names none
 * @throws {OkstraError} if the directory or a row of `consumers.jsonl` cannot be read
 */
export function backfillDoneRows(
  planRunRoot: string,
  taskKey: string,
  lockTimeoutMs: number,
): BackfillResult {
  const root = findDirectory("plan run root", planRunRoot);
  const path = consumersPath(root);
  const { files, skipped } = readCarryFiles(root);
  return withFileLock(path, { timeoutMs: lockTimeoutMs }, () => {
    const added = planBackfill(files, readRows(path), taskKey);
    if (added.length > 0) appendFile(path, added.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return { consumersPath: path, added, skipped };
  });
}

/** Lists the stages of a plan that a pull request covers. */
export function readCoveredStages(planRunRoot: string): readonly number[] {
  const path = consumersPath(findDirectory("plan run root", planRunRoot));
  return coveredStages(readWholeRows(path));
}

const consumersPath = (root: string) => join(root, "consumers.jsonl");

/** A last line that is cut may be one that is being written: whoever does so holds the lock. */
function readWholeRows(path: string): readonly Fields[] {
  try {
    return readRows(path);
  } catch (error) {
    if (!(error instanceof OkstraError && error.code === "cut")) throw error;
    return withFileLock(path, { timeoutMs: DEFAULT_LOCK_TIMEOUT_MS }, () => readRows(path));
  }
}

function readRows(path: string): readonly Fields[] {
  if (stat(path) === null) return [];
  const lines = readText("consumers", path).split("\n");
  if (lines.pop() !== "") {
    throw new OkstraError("cut", `Cannot read ${JSON.stringify(path)}: its last line is cut`, {
      hint: "end the last line with a newline, or remove what is left of it",
    });
  }
  return parseConsumers(path, lines);
}

function readCarryFiles(root: string) {
  const directory = join(dirname(root), "implementation", "carry");
  const names = stat(directory) === null ? [] : readDir(directory).map((entry) => entry.name);
  const files: CarryFile[] = [], skipped: { path: string; reason: string }[] = [];
  for (const name of names.filter((each) => /^stage-.*\.json$/.test(each))) {
    const path = join(directory, name);
    try {
      files.push({ name, carry: parseObject("carry", path, readBytes("carry", path)) });
    } catch (error) {
      if (!(error instanceof OkstraError)) throw error;
      skipped.push({ path, reason: error.message });
    }
  }
  return { files, skipped };
}
