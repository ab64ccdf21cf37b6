import { stat } from "@okstra/kit/host";
import { join } from "@std/path";
import { type ProviderInput, providers } from "../schemas/providers.ts";
import { readDocument } from "./document.ts";

/** The provider file of a project, relative to its root. */
export const PROJECT_PROVIDERS = ".okstra/providers.json";

/**
 * Returns the providers that a project's own file and `file` describe; where both have a name, `file` wins.
 *
 * @throws {OkstraError} if a file cannot be read as providers
 */
export function readProviders(
  projectRoot: string,
  file?: string,
): Readonly<Record<string, ProviderInput>> {
  const own = join(projectRoot, PROJECT_PROVIDERS);
  const paths = [...(stat(own) ? [own] : []), ...(file === undefined ? [] : [file])];
  return Object.assign(
    Object.create(null),
    ...paths.map((path) => readDocument(providers, path).providers),
  );
}
