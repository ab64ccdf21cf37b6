import { formatCommand } from "@okstra/kit/command-line";
import { stat } from "@okstra/kit/host";
import { OkstraError } from "@okstra/manifest-io/errors";
import { findProgram } from "@okstra/manifest-io/io/find-program";
import { absolutePath } from "@okstra/manifest-io/project-path";
import { findProvider } from "@okstra/manifest-io/providers";
import type { Job } from "../job.ts";
import { ownProviders } from "./known-providers.ts";
import type { Session } from "./session.ts";

/** A job whose worker cannot run here. */
export interface MissingProgram {
  readonly workerId: string;
  readonly provider: string;
  readonly program: string;
  /** What stands where the program is named by a path; `null`: nothing, or it is looked up. */
  readonly found: { readonly path: string; readonly isFile: boolean } | null;
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
    if (isThere) return [];
    const found = program.includes("/") ? look(absolutePath(run.projectRoot, program)) : null;
    return [{ workerId, provider, program, found }];
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
    { hint: whatHelps(missing) },
  );
}

function look(path: string): MissingProgram["found"] {
  try {
    const info = stat(path);
    return info === null ? null : { path, isFile: info.kind === "file" };
  } catch {
    return null;
  }
}

function whatHelps(missing: readonly MissingProgram[]): string {
  const files = missing.flatMap(({ found }) => found?.isFile ? [found.path] : []);
  return files.length === missing.length
    ? formatCommand(["chmod", "+x", ...new Set(files)])
    : "install it, or see what is installed: okstra-wrapper-status providers --check";
}

/** Says who cannot run, and what is missing. */
export function describeMissing({ workerId, provider, program, found }: MissingProgram): string {
  const state = found === null
    ? "is not installed"
    : found.isFile
    ? "may not be executed"
    : "is no file";
  return `program ${JSON.stringify(program)} of provider ${provider} (worker ${workerId}) ${state}`;
}
