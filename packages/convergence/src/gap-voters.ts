import { bareWorkerId } from "@okstra/manifest-io/identity";
import { isObject, isText } from "./checks.ts";

/**
 * Returns the workers that may vote on the gaps of a critic: those of the roster with another provider.
 *
 * A worker without a provider has that of its own name, less the ending `-worker`.
 */
export function listGapVoters(workers: unknown, provider: string): readonly string[] {
  if (!Array.isArray(workers)) return [];
  return workers.filter(isObject).flatMap((row) => {
    const { worker } = row;
    if (!isText(worker)) return [];
    const own = isText(row["provider"]) ? row["provider"] : bareWorkerId(worker);
    return own === provider ? [] : [worker];
  });
}
