import { findProgram } from "@okstra/manifest-io/io/find-program";
import { wrapperEnvironment } from "../environment.ts";
import { jobDispatchId } from "../dispatch-row.ts";
import type { Job } from "../job.ts";
import { claimPaths } from "@okstra/manifest-io/run-names";
import { launchWords } from "../launch-words.ts";
import { jobCommand } from "../plan-payload.ts";
import { formatTag } from "../row-tag.ts";
import type { Launch } from "./backends/backend.ts";
import { readClaim, withdrawLaunch } from "./claim.ts";
import { identifyProcess } from "./process-identity.ts";
import type { Launched } from "./reserve.ts";
import type { Session } from "./session.ts";

/** Variables that a pane gets from the caller beside those of its attempt; all others are those of its server. */
const PASSED = ["PATH", "HOME", "TMPDIR", "SOURCE_DATE_EPOCH", "OKSTRA_BIN_DIR", "DENO_DIR"];

/**
 * Launches a reserved job over its backend; one that has no place to offer is replaced by a process without a pane.
 *
 * Whether the first launch started anything is settled before the second one, so that there are never two.
 *
 * @throws {Error} if nothing could be launched
 */
export async function launchJob(session: Session, job: Job): Promise<Launched> {
  checkWrapper(session, job);
  const [first, again] = claimPaths(job.promptPath, job.attempt);
  if (job.backend === "cli-wrapper") {
    const handle = await session.drivers("cli-wrapper").start(describe(session, job, first));
    return { job, handle, degradedReason: "" };
  }
  try {
    const handle = await session.drivers(job.backend).start(describe(session, job, first));
    return { job, handle, degradedReason: "" };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!withdrawLaunch(first)) return adopt(job, first, reason);
    session.say(`DEGRADED ${job.workerId} to cli-wrapper: ${reason}`);
    const degraded: Job = { ...job, backend: "cli-wrapper", degradedFrom: job.backend };
    const handle = await session.drivers("cli-wrapper").start(describe(session, degraded, again));
    return { job: degraded, handle, degradedReason: reason };
  }
}

/** The shell that claims the attempt could only say that there is no wrapper to nobody. */
function checkWrapper({ env }: Session, job: Job): void {
  const [program = ""] = job.wrapper.prefix;
  if (findProgram(program, job.projectRoot, env("PATH") ?? "") !== null) return;
  throw new Error(`${JSON.stringify(program)} is no program that can be run`);
}

/** Takes a worker that runs although its backend said that it failed; its pane is not known. */
function adopt(job: Job, claimPath: string, reason: string): Launched {
  const claim = readClaim(claimPath);
  if (claim.kind !== "started") throw new Error(`${reason}; and its claim cannot be read`);
  const { pid, startTime } = claim;
  const process = { ...identifyProcess(pid), startTime };
  return { job, handle: { process, paneId: "", paneFacts: {} }, degradedReason: reason };
}

function describe(session: Session, job: Job, claimPath: string): Launch {
  const { run, env } = session, dispatchId = jobDispatchId(job);
  const own = wrapperEnvironment(job, {
    dispatchId,
    runManifestPath: run.manifestPath,
    reportContractVersion: run.manifest.reportContractVersion,
  });
  const passed = job.backend === "cli-wrapper" ? [] : PASSED.flatMap((name) => {
    const value = env(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    workerId: job.workerId,
    attempt: job.attempt,
    tag: formatTag(dispatchId, job.promptPath, job.attempt),
    command: launchWords(claimPath, job.projectRoot, jobCommand(job)),
    claimPath,
    variables: { ...Object.fromEntries(passed), ...own },
    directory: job.projectRoot,
    promptPath: job.promptPath,
  };
}
