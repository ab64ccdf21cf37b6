import { monotonicMs, writeFileAtomic } from "@okstra/kit/host";
import { attemptOf } from "@okstra/manifest-io/identity";
import {
  type BackendCheck,
  checkCmux,
  type Environment,
  findCmux,
} from "@okstra/manifest-io/io/detect-backend";
import { describeFailure, runShort } from "@okstra/manifest-io/io/short-command";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { identifyWords, openSurfaceWords, parseCaller, parseSurface } from "../../cmux-words.ts";
import { formatLaunchScript } from "../../launch-script.ts";
import { claimPaths } from "@okstra/manifest-io/run-names";
import type { Claim } from "../../launch-words.ts";
import { readClaim, withdrawLaunch } from "../claim.ts";
import { identifyProcess } from "../process-identity.ts";
import {
  ANSWER_LIMIT_MS,
  type BackendDriver,
  type CloseResult,
  type FoundPlace,
  type Handle,
  type Launch,
  LOOK_MS,
  placeFact,
  type PlaceView,
} from "./backend.ts";

/** How long a new surface has until the worker in it has claimed its attempt; its shell reads its own start files first. */
const CLAIM_LIMIT_MS = 15_000;

/** Starts wrappers in surfaces of the cmux workspace that this process runs in. */
export function cmuxPane(env: Environment, claimLimitMs = CLAIM_LIMIT_MS): BackendDriver {
  return new CmuxPane(env, claimLimitMs);
}

type StartedClaim = Extract<Claim, { readonly kind: "started" }>;

class CmuxPane implements BackendDriver {
  readonly backend = "cmux-pane";
  readonly #env: Environment;
  readonly #claimLimitMs: number;
  #place: Promise<{ readonly program: string; readonly workspace: string }> | null = null;

  constructor(env: Environment, claimLimitMs: number) {
    this.#env = env;
    this.#claimLimitMs = claimLimitMs;
  }

  async check(): Promise<BackendCheck> {
    const found = await checkCmux(this.#env);
    if (!found.isUsable) return found;
    try {
      await this.#findPlace();
      return found;
    } catch (error) {
      return { ...found, isUsable: false, reason: (error as Error).message };
    }
  }

  facts(): Readonly<Record<string, string>> {
    const workspace = this.#env("CMUX_WORKSPACE_ID")?.trim() ?? "";
    return workspace === "" ? {} : { paneServer: workspace };
  }

  async start(launch: Launch): Promise<Handle> {
    const { program, workspace } = await this.#findPlace();
    const scriptPath = `${launch.promptPath}.surface-${launch.attempt}.sh`;
    const script = formatLaunchScript({
      command: launch.command,
      variables: launch.variables,
      remark:
        `Starts attempt ${launch.attempt} of ${launch.workerId} in a terminal that inherits nothing`,
    });
    writeFileAtomic(scriptPath, script, { mode: 0o700 });
    const request = { workspace, directory: launch.directory, scriptPath };
    const opened = await runShort(program, openSurfaceWords(request), ANSWER_LIMIT_MS);
    const surface = opened.status === 0 ? parseSurface(opened.stdout) : null;
    if (surface === null) throw new Error(`cmux opened no surface: ${describeFailure(opened)}`);
    const surfaceId = await this.#identify(program, workspace, surface);
    if (surfaceId === null) throw new Error(`cmux does not know ${surface}, which it named itself`);
    const title = ["rename-tab", "--workspace", workspace, "--surface", surface];
    // A tab without its name is no reason to start a worker elsewhere.
    await runShort(program, [...title, `${launch.workerId}-worker`], ANSWER_LIMIT_MS);
    const started = await this.#waitForClaim(launch.claimPath);
    if (started === null) {
      await runShort(program, closeWords(workspace, surfaceId), ANSWER_LIMIT_MS);
      throw new Error(`nothing was started in ${surface} within ${this.#claimLimitMs / 1000} s`);
    }
    const { pid, startTime } = started;
    const paneFacts = { paneServer: workspace, paneUuid: surfaceId };
    return { process: { ...identifyProcess(pid), startTime }, paneId: surface, paneFacts };
  }

  observe(): Promise<PlaceView> {
    // A surface stays open after its command and tells no status: nothing can be learnt from it.
    return Promise.resolve({ state: "unknown", evidence: "" });
  }

  /** The worker itself has written down which surface it runs in; that of its caller is not its own. */
  async find(row: DispatchRow): Promise<readonly FoundPlace[]> {
    const program = findCmux(this.#env), workspace = placeFact(row, "paneServer");
    const [first] = claimPaths(row.promptPath ?? "", attemptOf(row));
    const claim = readClaim(first), uuid = claim.kind === "started" ? claim.surface : "";
    if (program === null || uuid === "" || uuid === this.#env("CMUX_SURFACE_ID")?.trim()) return [];
    const answer = await runShort(program, identifyWords(workspace, uuid), ANSWER_LIMIT_MS);
    const caller = answer.status === 0 ? parseCaller(answer.stdout) : null;
    if (caller === null || caller.surfaceId !== uuid || caller.surfaceRef === "") return [];
    const paneFacts = { paneServer: workspace, paneUuid: uuid };
    return [{ paneId: caller.surfaceRef, paneFacts }];
  }

  async close(row: DispatchRow, paneId: string): Promise<CloseResult> {
    const program = findCmux(this.#env);
    if (program === null) return { isClosed: false, why: "cmux is not installed" };
    const workspace = placeFact(row, "paneServer"), uuid = placeFact(row, "paneUuid");
    const now = await this.#identify(program, workspace, paneId);
    if (now === null) return { isClosed: false, why: "cmux does not know it, or does not answer" };
    // A name alone proves nothing: cmux gives it again.
    if (paneId !== row.paneId || uuid === "" || uuid === paneId) {
      return { isClosed: false, why: "its lasting id is not known: close it by hand" };
    }
    if (now !== uuid) return { isClosed: false, why: "the name belongs to something else now" };
    const closed = await runShort(program, closeWords(workspace, uuid), ANSWER_LIMIT_MS);
    return closed.status === 0
      ? { isClosed: true, why: "it was closed" }
      : { isClosed: false, why: `cmux did not close it: ${describeFailure(closed)}` };
  }

  #findPlace(): Promise<{ readonly program: string; readonly workspace: string }> {
    return this.#place ??= this.#lookUp();
  }

  async #lookUp(): Promise<{ readonly program: string; readonly workspace: string }> {
    const program = findCmux(this.#env);
    if (program === null) throw new Error("cmux is not installed");
    const help = await runShort(program, ["new-surface", "--help"], ANSWER_LIMIT_MS);
    if (!`${help.stdout}${help.stderr}`.includes("--command")) {
      const state = help.status === 0 ? "new-surface has no --command" : describeFailure(help);
      throw new Error(`this cmux cannot start a command in a new surface: ${state}`);
    }
    const workspace = this.#env("CMUX_WORKSPACE_ID")?.trim() || await this.#askWorkspace(program);
    if (workspace === "") throw new Error("cmux names no workspace for this process");
    return { program, workspace };
  }

  async #askWorkspace(program: string): Promise<string> {
    const { stdout } = await runShort(
      program,
      ["identify", "--json", "--id-format", "both"],
      ANSWER_LIMIT_MS,
    );
    const caller = parseCaller(stdout);
    return caller?.workspaceId || caller?.workspaceRef || "";
  }

  /** Returns the lasting id of a surface, or its name where cmux has none; `null` if cmux does not confirm it. */
  async #identify(program: string, workspace: string, surface: string): Promise<string | null> {
    const answer = await runShort(program, identifyWords(workspace, surface), ANSWER_LIMIT_MS);
    const caller = answer.status === 0 ? parseCaller(answer.stdout) : null;
    if (caller === null || caller.surfaceRef !== surface) return null;
    return caller.surfaceId || surface;
  }

  /** Waits for whoever starts; `null`: nobody did, and nobody will any more. */
  async #waitForClaim(path: string): Promise<StartedClaim | null> {
    for (const start = monotonicMs();;) {
      const claim = readClaim(path);
      if (claim.kind === "started") return claim;
      if (monotonicMs() - start > this.#claimLimitMs) {
        withdrawLaunch(path);
        const last = readClaim(path);
        return last.kind === "started" ? last : null;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

/** Without --surface cmux would close the caller's own. */
function closeWords(workspace: string, surface: string): readonly string[] {
  return ["close-surface", "--workspace", workspace, "--surface", surface];
}
