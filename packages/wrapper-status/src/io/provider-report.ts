import { spawnSync } from "node:child_process";
import { compareText } from "@okstra/manifest-io/json-text";
import { findProgram } from "@okstra/manifest-io/io/find-program";
import { readProviders } from "@okstra/manifest-io/io/provider-files";
import {
  BUILT_IN_PROVIDERS,
  findProvider,
  type ProviderEntry,
} from "@okstra/manifest-io/providers";

const VERSION_LIMIT_MS = 10_000;
const TAKEN = ["model", "sessionId", "addDirs"] as const;

/** A provider that workers of a project may have. */
export interface ProviderReport {
  readonly name: string;
  readonly source: "built-in" | "project";
  readonly program: string;
  readonly stdin: "prompt" | "none";
  readonly defaultModel: string;
  readonly eventStream: string | null;
  readonly sandbox: boolean;
  /** The template of its command line. */
  readonly argv: ProviderEntry["argv"];
  /** Which of these its command line passes on. */
  readonly takes: readonly ("model" | "sessionId" | "addDirs")[];
  readonly sessionDirectories: readonly string[];
  /** Where the program is, `null` if it is not installed; absent unless asked for. */
  readonly path?: string | null;
  /** First line of what it says about its version, `null` if it says none; absent unless asked for. */
  readonly version?: string | null;
}

/**
 * Lists the providers of a project, sorted by name; with `check`, looks for their programs.
 *
 * @param options.versionLimitMs after which a program has told no version (default 10 s)
 */
export function reportProviders(
  projectRoot: string,
  options: {
    readonly check: boolean;
    readonly searchPath: string;
    readonly versionLimitMs?: number;
  },
): readonly ProviderReport[] {
  const { versionLimitMs = VERSION_LIMIT_MS } = options;
  const own = readProviders(projectRoot);
  const names = new Set([...Object.keys(BUILT_IN_PROVIDERS), ...Object.keys(own)]);
  return [...names].sort(compareText).map((name) => {
    const entry = findProvider(name, own), isOwn = Object.hasOwn(own, name);
    const program = entry.argv[0] as string;
    const report: ProviderReport = {
      name,
      source: isOwn ? "project" : "built-in",
      program,
      stdin: entry.stdin,
      defaultModel: entry.defaultModel,
      eventStream: entry.eventStream,
      sandbox: entry.sandbox,
      argv: entry.argv,
      takes: TAKEN.filter((name) => entry.argv.flat().some((word) => word.includes(`{${name}}`))),
      sessionDirectories: entry.sessionDirectories,
    };
    if (!options.check) return report;
    const path = findProgram(program, projectRoot, options.searchPath);
    // Of a project's own script nobody knows whether it takes --version for a question or for a task.
    return {
      ...report,
      path,
      version: path === null || isOwn ? null : readVersion(path, versionLimitMs),
    };
  });
}

function readVersion(path: string, limitMs: number): string | null {
  const { status, stdout } = spawnSync(path, ["--version"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: limitMs,
    // One that ignores being asked to end would be waited for.
    killSignal: "SIGKILL",
  });
  return status === 0 ? stdout.trim().split("\n")[0] || null : null;
}
