import { spawn } from "node:child_process";
import { identifyLaunched, type ProcessFacts } from "../process-identity.ts";
import type { BackendDriver, Launch } from "./backend.ts";

/**
 * Starts wrappers as processes of their own, without a place that a person could look at.
 *
 * @param environment what they get beside the variables of their launch
 */
export function cliWrapper(environment: () => Readonly<Record<string, string>>): BackendDriver {
  return {
    backend: "cli-wrapper",
    check: () =>
      Promise.resolve({
        backend: "cli-wrapper",
        isUsable: true,
        reason: "processes can always be started",
      }),
    facts: () => ({}),
    start: async (launch) => ({
      process: await launchDetached(launch, environment()),
      paneId: "",
      paneFacts: {},
    }),
    observe: () => Promise.resolve({ state: "none", evidence: "" }),
    find: () => Promise.resolve([]),
    close: () => Promise.resolve({ isClosed: false, why: "it has no pane" }),
  };
}

/**
 * Starts a program that outlives this process and shares nothing with it: no terminal, no streams, no process group.
 *
 * @throws {Error} with a system code, if the program cannot be started
 */
function launchDetached(
  launch: Launch,
  inherited: Readonly<Record<string, string>>,
): Promise<ProcessFacts> {
  const env: Record<string, string> = { ...inherited };
  for (const [name, value] of Object.entries(launch.variables)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  const [program = "", ...args] = launch.command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: launch.directory,
      env,
      detached: true,
      stdio: "ignore",
    });
    child.once("error", reject);
    if (child.pid === undefined) return;
    child.unref();
    resolve(identifyLaunched(child.pid, launch.claimPath));
  });
}
