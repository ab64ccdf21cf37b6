import { OkstraError } from "../errors.ts";
import type { JsonValue } from "../json-text.ts";
import { decodeText, parseObjectText, parseText } from "../parse-bytes.ts";
import { findKind } from "../registry.ts";
import {
  changeDocument,
  checkDocument,
  parseDocument,
  updateDocument,
  type UpdateOptions,
} from "./document.ts";
import { checkTarget } from "./document-target.ts";

/** What `update` was asked to do. */
export interface UpdateCommand extends UpdateOptions {
  /** Name of the document kind. */
  readonly kind: string;
  /** Absolute path of the document, or `-` for one that comes from standard input and is not written. */
  readonly path: string;
  /** Text of a merge patch, or `-`. */
  readonly merge: string | undefined;
  /** Text of a JSON patch, or `-`. */
  readonly patch: string | undefined;
  /** Reads standard input. */
  readonly readInput: () => Uint8Array;
}

/**
 * Changes a document by a patch, under its lock if it is a file; the result has to be a document of the kind.
 *
 * @returns the document as it now stands on disk, or as it would
 */
export async function updateCommand(command: UpdateCommand): Promise<JsonValue> {
  const given = command.merge ?? command.patch;
  if (given === undefined || (command.merge !== undefined && command.patch !== undefined)) {
    throw new OkstraError(
      "usage",
      `Cannot update ${JSON.stringify(command.path)}: ${
        given === undefined ? "no change is given" : "two changes are given"
      }`,
      { hint: "give either --merge or --patch" },
    );
  }
  const option = command.merge === undefined ? "--patch" : "--merge";
  const text = given === "-" ? decodeText("patch", "-", command.readInput()) : given;
  const name = given === "-" ? "-" : option;
  // A merge patch that is no object would put itself in the place of the document.
  const patch = command.merge === undefined
    ? parseText("patch", name, text)
    : parseObjectText("patch", name, text);
  const apply = command.merge === undefined
    ? (await import("../json-patch.ts")).jsonPatch
    : (await import("../merge-patch.ts")).mergePatch;
  const kind = await findKind(command.kind);
  const change = (document: { revision: number }) => {
    const changed = { ...apply(document, patch) as object, revision: document.revision };
    return JSON.stringify(changed) === JSON.stringify(document) ? null : changed;
  };
  if (command.path !== "-") {
    checkTarget(kind.label, command.path);
    return updateDocument(kind as never, command.path, command, change) as JsonValue;
  }
  const current = parseDocument(kind, "-", command.readInput());
  const next = changeDocument(kind as never, "-", command, current as never, change);
  return checkDocument(kind, "-", next, "write") as JsonValue;
}
