import { spawnSync } from "node:child_process";
import { compareText } from "@okstra/manifest-io/json-text";
import { findProgram } from "@okstra/manifest-io/io/find-program";
import { readProviders } from "@okstra/manifest-io/io/provider-files";
import {
  BUILT_IN_PROVIDERS,
  findProvider,
  type ProviderEntry,
  type ProviderInput,
} from "@okstra/manifest-io/providers";

const VERSION_LIMIT_MS = 10_000;
const TAKEN = ["model", "sessionId", "addDirs"] as const;

/** A provider that workers of a project, or of one of its runs, may have. */
export interface ProviderReport {
  readonly name: string;
  readonly source: "built-in" | "project" | "run";
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
 * @param options.frozen those that a run has in its manifest, which count before the others
 * @param options.versionLimitMs after which a program has told no version (default 10 s)
 */
export function reportProviders(
  projectRoot: string,
  options: {
    readonly check: boolean;
    readonly searchPath: string;
    readonly versionLimitMs?: number;
    readonly frozen?: Readonly<Record<string, ProviderInput>>;
  },
): readonly ProviderReport[] {
  const { versionLimitMs = VERSION_LIMIT_MS, frozen = {} } = options;
  const own = { ...readProviders(projectRoot), ...frozen };
  const names = new Set([...Object.keys(BUILT_IN_PROVIDERS), ...Object.keys(own)]);
  return [...names].sort(compareText).map((name) => {
    const entry = findProvider(name, own);
    const program = entry.argv[0] as string;
    const report: ProviderReport = {
      name,
      source: Object.hasOwn(frozen, name)
        ? "run"
        : Object.hasOwn(own, name)
        ? "project"
        : "built-in",
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
    const isKnown = builtInProgram(name) === program;
    return {
      ...report,
      path,
      version: path !== null && isKnown ? readVersion(path, versionLimitMs) : null,
    };
  });
}

function builtInProgram(name: string): unknown {
  return Object.hasOwn(BUILT_IN_PROVIDERS, name) ? BUILT_IN_PROVIDERS[name]!.argv[0] : undefined;
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
