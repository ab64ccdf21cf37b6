import { stat } from "@okstra/kit/host";
import { join } from "@std/path";
import { OkstraError } from "../errors.ts";
import type { ProviderInput } from "../schemas/provider-entry.ts";
import { providers } from "../schemas/providers.ts";
import { isObjectName } from "../task-key.ts";
import { parseDocument, readDocument } from "./document.ts";

/** The provider file of a project, relative to its root. */
export const PROJECT_PROVIDERS = ".okstra/providers.json";

/** A provider file by its absolute path, or the bytes of one that came from standard input. */
export type ProviderFile = string | { readonly bytes: Uint8Array };

/**
 * Returns the providers that a project's own file and `file` describe; where both have a name, `file` wins.
 *
 * @throws {OkstraError} if a file cannot be read as providers
 */
export function readProviders(
  projectRoot: string,
  file?: ProviderFile,
): Readonly<Record<string, ProviderInput>> {
  const own = join(projectRoot, PROJECT_PROVIDERS);
  const paths = [...(stat(own) ? [own] : []), ...(file === undefined ? [] : [file])];
  return Object.assign(Object.create(null), ...paths.map(readOne));
}

function readOne(file: ProviderFile): Readonly<Record<string, ProviderInput>> {
  const path = typeof file === "string" ? file : "-";
  const { providers: described } = typeof file === "string"
    ? readDocument(providers, file)
    : parseDocument(providers, path, file.bytes);
  const reserved = Object.keys(described).find(isObjectName);
  if (reserved === undefined) return described;
  throw new OkstraError(
    "bad-provider",
    `Cannot read ${JSON.stringify(path)} as providers file: "${reserved}" is a reserved name`,
    {
      hint: "name the provider otherwise",
      issues: [{ file: path, pointer: `/providers/${reserved}`, message: "is a reserved name" }],
    },
  );
}
