import { cutText } from "../cut-text.ts";
import { deno, nodeFs } from "./runtime.ts";
import { inWords, systemCode, SystemError } from "./system-error.ts";
import { openFile, writeFully } from "./open-file.ts";
import { lstat, realPath } from "./files.ts";
import { pid } from "./process.ts";

/** Options of `writeFileAtomic`. */
export interface WriteOptions {
  /**
   * What a power loss may do: nothing, once the write returned (`true`, the default); bring the old bytes back
   * (`"content"`, which saves half of the waiting); leave anything at all (`false`).
   */
  readonly durable?: boolean | "content";
  /** Whether the file must not exist yet: of all who create it so at the same time, one does. Default `false`. */
  readonly exclusive?: boolean;
  /** Permission bits of a file that is created, less the process's mask; an existing file keeps its own. Default `0o666`. */
  readonly mode?: number;
}

let counter = 0;

/** Splits an absolute or relative path into its directory and its last segment. */
export function splitPath(path: string): { dir: string; base: string } {
  const slash = Math.max(path.lastIndexOf("/"), isWindows() ? path.lastIndexOf("\\") : -1);
  if (slash < 0) return { dir: ".", base: path };
  return { dir: path.slice(0, slash) || "/", base: path.slice(slash + 1) };
}

const isWindows = (): boolean => deno ? deno.build.os === "windows" : process.platform === "win32";

/**
 * Returns the real path of a file that exists or will be created in an existing directory, so that all its aliases
 * name one file.
 *
 * @throws An error with code `ENOENT` if the directory is absent or the path is a link to nothing.
 */
export function realTarget(verb: string, path: string): string {
  try {
    return realPath(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw inVerb(verb, path, error);
  }
  const found = lstat(path);
  // Another process has created it between the two looks.
  if (found !== null && found.kind !== "link") return realTarget(verb, path);
  if (found !== null) {
    throw new SystemError("ENOENT", verb, path, {
      reason: "it is a link to a file that is absent",
    });
  }
  const { dir, base } = splitPath(path);
  if (base === "" || base === "." || base === "..") throw new SystemError("ENOENT", verb, path);
  try {
    const real = realPath(dir);
    return real.endsWith("/") ? real + base : `${real}/${base}`;
  } catch (error) {
    throw inVerb(verb, path, error, "its directory does not exist");
  }
}

function inVerb(verb: string, path: string, cause: unknown, absent?: string): unknown {
  if (!(cause instanceof SystemError)) return cause;
  const { code } = cause;
  const reason = code === "ENOENT" && absent ? absent : undefined;
  return new SystemError(code, verb, path, { cause, ...(reason ? { reason } : {}) });
}

/** Returns the beginning that all temporary names of a file share. */
function temporaryPrefix(base: string): string {
  return `.${base.slice(0, 60)}.`; // a long name plus the suffix could be longer than the system allows
}

/**
 * Replaces the content of a file in one step: a reader sees the old bytes or the new ones, and so does the next start
 * after a crash. Mode and owner of an existing file are kept, a link is written through. On failure the file is as it
 * was and nothing else is left behind.
 *
 * @param data several parts are written one behind the other
 * @throws An error with the system's `code` (`ENOENT`, `ENOSPC`, `EACCES`, `EISDIR`, …; `EEXIST` if it must not exist).
 */
export function writeFileAtomic(
  path: string,
  data: string | Uint8Array | readonly Uint8Array[],
  options: WriteOptions = {},
): void {
  const target = realTarget("write", path);
  const { dir, base } = splitPath(target);
  const old = inWords("write", path, () => readOwner(target));
  if (old && !old.isFile) {
    throw old.isDirectory
      ? new SystemError("EISDIR", "write", path)
      : new SystemError("EINVAL", "write", path, { reason: "it is not a regular file" });
  }
  if (old && options.exclusive) throw new SystemError("EEXIST", "create", path);
  const durable = options.durable ?? true;
  const unique = `${pid()}.${Date.now().toString(36)}${(counter++).toString(36)}`;
  const temporary = `${dir === "/" ? "" : dir}/${temporaryPrefix(base)}${unique}.tmp`;
  inWords("write", path, () => {
    const file = openFile(temporary, "create", old ? 0o600 : options.mode);
    try {
      try {
        for (const part of partsOf(data)) writeFully(file, part);
        if (old) {
          const own = file.stat();
          if (own.uid !== old.uid || own.gid !== old.gid) setOwner(temporary, old.uid, old.gid);
          setMode(temporary, old.mode);
        }
        if (durable !== false) file.sync();
      } finally {
        file.close();
      }
      if (options.exclusive) link(temporary, target);
      else rename(temporary, target);
    } catch (error) {
      removeQuietly(temporary);
      throw error;
    }
    if (options.exclusive) removeQuietly(temporary);
    if (durable === true) syncDir(dir);
  });
}

function* partsOf(data: string | Uint8Array | readonly Uint8Array[]): Generator<Uint8Array> {
  if (typeof data === "string") {
    const encoder = new TextEncoder();
    for (const part of cutText(data)) yield encoder.encode(part);
  } else if (data instanceof Uint8Array) yield data;
  else yield* data;
}

/**
 * Appends a text to a file, created if absent, with one write that survives a power loss. A write that does not fit is
 * taken back.
 *
 * @throws An error with the system's `code`.
 */
export function appendFile(path: string, data: string): void {
  inWords("append to", path, () => {
    const bytes = new TextEncoder().encode(data);
    const file = openFile(path, "append");
    let isNew = false;
    try {
      const { sizeBytes } = file.stat();
      isNew = sizeBytes === 0;
      const written = file.write(bytes);
      if (written < bytes.length) {
        if (file.stat().sizeBytes === sizeBytes + written) file.truncate(sizeBytes);
        throw new SystemError("ENOSPC", "append to", path);
      }
      file.sync();
    } finally {
      file.close();
    }
    if (isNew) syncDir(splitPath(realPath(path)).dir);
  });
}

/**
 * Removes what killed writers left of a file more than a minute ago, as far as that can be done; never throws. Call it
 * while holding the lock under which the file is written.
 */
export function sweepTemporaries(target: string): void {
  const { dir, base } = splitPath(target);
  const prefix = temporaryPrefix(base);
  for (const name of listNames(dir)) {
    if (!name.startsWith(prefix) || !/^\d+\.[0-9a-z]+\.tmp$/.test(name.slice(prefix.length))) {
      continue;
    }
    const leftover = `${dir}/${name}`;
    const info = lstat(leftover);
    if (info && Date.now() - info.mtimeMs > 60_000) removeQuietly(leftover);
  }
}

function listNames(dir: string): readonly string[] {
  try {
    return deno ? [...deno.readDirSync(dir)].map(({ name }) => name) : nodeFs().readdirSync(dir);
  } catch {
    return [];
  }
}

function readOwner(path: string) {
  if (deno) {
    try {
      const { isFile, isDirectory, mode, uid, gid } = deno.statSync(path);
      return { isFile, isDirectory, mode: (mode ?? 0o666) & 0o7777, uid: uid ?? 0, gid: gid ?? 0 };
    } catch {
      return null;
    }
  }
  const stats = nodeFs().statSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  const { mode, uid, gid } = stats;
  return {
    isFile: stats.isFile(),
    isDirectory: stats.isDirectory(),
    mode: mode & 0o7777,
    uid,
    gid,
  };
}

function setOwner(path: string, uid: number, gid: number): void {
  try {
    if (deno) deno.chownSync(path, uid, gid);
    else nodeFs().chownSync(path, uid, gid);
  } catch (error) {
    const code = systemCode(error);
    if (code !== "EPERM" && code !== "EACCES") throw error; // only root may give files away
  }
}

function setMode(path: string, mode: number): void {
  if (isWindows()) return;
  if (deno) deno.chmodSync(path, mode);
  else nodeFs().chmodSync(path, mode);
}

function rename(from: string, to: string): void {
  if (deno) deno.renameSync(from, to);
  else nodeFs().renameSync(from, to);
}

/** Gives a file a second name, which fails if there is such a file. */
function link(from: string, to: string): void {
  if (deno) deno.linkSync(from, to);
  else nodeFs().linkSync(from, to);
}

function removeQuietly(path: string): void {
  try {
    if (deno) deno.removeSync(path);
    else nodeFs().unlinkSync(path);
  } catch { /* the first error is the one to tell */ }
}

function syncDir(path: string): void {
  if (isWindows()) return; // a directory cannot be opened there
  const directory = openFile(path, "read");
  try {
    directory.sync();
  } finally {
    directory.close();
  }
}
