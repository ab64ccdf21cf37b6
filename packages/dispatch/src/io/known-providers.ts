import { readProviders } from "@okstra/manifest-io/io/provider-files";
import type { Run } from "@okstra/manifest-io/io/run";
import { builtInProviderNames } from "@okstra/manifest-io/providers";
import type { ProviderInput } from "@okstra/manifest-io/providers";

/** Returns the providers that a run describes itself: those frozen in its manifest, or of a run of version 1 the project's. */
export function ownProviders(run: Run): Readonly<Record<string, ProviderInput>> {
  return run.identityVersion === 1
    ? readProviders(run.projectRoot)
    : run.manifest.providers as Readonly<Record<string, ProviderInput>>;
}

/** Lists the names of all providers that workers of a run can have. */
export function knownProviders(run: Run): readonly string[] {
  return [...Object.keys(ownProviders(run)), ...builtInProviderNames()];
}
