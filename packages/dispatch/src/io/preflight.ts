import { OkstraError } from "@okstra/manifest-io/errors";
import { findProgram } from "@okstra/manifest-io/io/find-program";
import { findProvider } from "@okstra/manifest-io/providers";
import type { Job } from "../job.ts";
import { ownProviders } from "./known-providers.ts";
import type { Session } from "./session.ts";

/** A job whose worker cannot run here. */
export interface MissingProgram {
  readonly workerId: string;
  readonly provider: string;
  readonly program: string;
}

/** Lists the jobs whose provider's program is not installed; a provider with a script of its own has its own programs. */
export function findMissingPrograms(
  { run, env }: Session,
  jobs: readonly Job[],
): readonly MissingProgram[] {
  const own = ownProviders(run);
  return jobs.flatMap(({ workerId, provider, wrapper }) => {
    if (wrapper.isProviderScript) return [];
    const entry = findProvider(provider, own), program = entry.argv[0] as string;
    const searchPath = entry.env.set["PATH"] ?? env("PATH") ?? "";
    const isThere = program.includes("{") ||
      findProgram(program, run.projectRoot, searchPath) !== null;
    return isThere ? [] : [{ workerId, provider, program }];
  });
}

/**
 * Checks that the programs of jobs are installed, before anything of their start is written.
 *
 * @throws {OkstraError} `program-missing`, naming every worker that cannot run
 */
export function checkPrograms(session: Session, jobs: readonly Job[]): void {
  const missing = findMissingPrograms(session, jobs);
  if (missing.length === 0) return;
  const { run } = session;
  throw new OkstraError(
    "program-missing",
    `Cannot dispatch ${run.taskType} ${run.seq}: ${missing.map(describeMissing).join("; ")}`,
    { hint: "okstra-wrapper-status providers --check" },
  );
}

/** Says who cannot run, and what is missing. */
export function describeMissing({ workerId, provider, program }: MissingProgram): string {
  return `program ${
    JSON.stringify(program)
  } of provider ${provider} (worker ${workerId}) is not installed`;
}
