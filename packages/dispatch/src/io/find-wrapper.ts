import { execPath, programPaths, realPath, runtime, stat } from "@okstra/kit/host";
import { dirname, join, resolve } from "@std/path";
import { OkstraError } from "@okstra/manifest-io/errors";
import type { ProviderInput } from "@okstra/manifest-io/providers";
import type { WrapperCommand } from "../job.ts";

const WRAPPER = "okstra-wrapper-status";

/** Where wrappers are looked for. */
export interface WrapperPlaces {
  /** `OKSTRA_BIN_DIR`; blank: not set. */
  readonly binDirectory: string;
  /** `PATH`. */
  readonly searchPath: string;
  /** Absolute paths of the running tool: as it was called, and, behind links, as it is. */
  readonly toolPaths: readonly string[];
  /** Absolute path of the runtime, if that runs programs as they lie there: sources, and bundles for it. */
  readonly sourceRuntime: string | null;
}

/** Returns the places of this process. */
export function wrapperPlaces(env: (name: string) => string | undefined): WrapperPlaces {
  return {
    binDirectory: env("OKSTRA_BIN_DIR")?.trim() ?? "",
    searchPath: env("PATH") ?? "",
    toolPaths: programPaths(),
    sourceRuntime: runtime === "deno" ? execPath() : null,
  };
}

/**
 * Finds the wrapper of a provider: the script that its entry names, else `okstra-wrapper-status` in `OKSTRA_BIN_DIR`, beside the
 * running tool (under Deno also as the source or bundle that belongs to it) or on `PATH`.
 *
 * @param providers those that the run describes itself
 * @throws {OkstraError} `wrapper-missing`, listing every place that was looked at
 */
export function findWrapper(
  provider: string,
  providers: Readonly<Record<string, ProviderInput>>,
  projectRoot: string,
  places: WrapperPlaces,
): WrapperCommand {
  const script = Object.hasOwn(providers, provider) ? providers[provider]?.wrapper : undefined;
  if (script !== undefined && script !== "") {
    const folders = [places.binDirectory, join(projectRoot, "bin"), join(projectRoot, "scripts")];
    const tried = folders.filter((folder) => folder !== "").map((folder) => join(folder, script));
    const path = realPath(firstFile(tried, `the wrapper of provider "${provider}"`));
    return { path, prefix: [path], isProviderScript: true };
  }
  return findOwnWrapper(places);
}

function findOwnWrapper(places: WrapperPlaces): WrapperCommand {
  const { binDirectory, searchPath, toolPaths, sourceRuntime } = places;
  const siblings = sourceRuntime === null ? [] : toolPaths.flatMap(siblingOf);
  const tried = [
    ...binDirectory === "" ? [] : [join(binDirectory, WRAPPER)],
    ...toolPaths.map((path) => join(dirname(path), WRAPPER)),
    ...siblings,
    ...searchPath.split(":").filter((folder) => folder !== "").map((folder) =>
      join(folder, WRAPPER)
    ),
  ];
  // It starts in the project, and not where this call was made.
  const path = resolve(firstFile(tried, WRAPPER));
  const run = sourceRuntime !== null && siblings.includes(path)
    ? [sourceRuntime, "run", "-A", path]
    : [path];
  return { path, prefix: [...run, "run"], isProviderScript: false };
}

/** The program for Deno that belongs to this one, if this is a source or a bundle under its own name. */
function siblingOf(toolPath: string): string[] {
  const [, folder, rest] = /^(.*\/(?:okstra-)?)dispatch(\/src\/main\.ts|\.mjs)$/s.exec(toolPath) ??
    [];
  return folder === undefined ? [] : [`${folder}wrapper-status${rest}`];
}

function firstFile(paths: readonly string[], what: string): string {
  const found = paths.find((path) => stat(path)?.kind === "file");
  if (found !== undefined) return found;
  throw new OkstraError(
    "wrapper-missing",
    `Cannot find ${what}: no file at ${paths.join(", ")}`,
    { hint: `set OKSTRA_BIN_DIR to the directory that holds ${WRAPPER}` },
  );
}
