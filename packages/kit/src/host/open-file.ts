import { deno, type DenoFile, nodeFs } from "./runtime.ts";
import { systemCode } from "./system-error.ts";

/** An open file, the same on both runtimes. Errors are those of the runtime; callers put them into words. */
export interface OpenFile {
  /** The descriptor; only Node has one. */
  readonly fd: number;
  /** Takes the exclusive lock of the open file if it is free; only Deno can. */
  tryLock(): boolean;
  /** Writes what fits, and returns how many bytes did. */
  write(bytes: Uint8Array): number;
  sync(): void;
  truncate(sizeBytes: number): void;
  /** Sets the time of the last change to now. */
  touch(): void;
  stat(): { dev: number; ino: number; sizeBytes: number; uid: number; gid: number };
  close(): void;
}

/**
 * How to open: `create` a new file that must not exist, `append` to one that may exist, `read` one (or a directory),
 * `lock` an empty one that is created if absent and never followed if it is a link.
 */
export type OpenPurpose = "create" | "append" | "read" | "lock";

/** Opens a file. `mode` holds for a file that is created, less the process's mask. `flags` are added under Node. */
export function openFile(path: string, purpose: OpenPurpose, mode = 0o666, flags = 0): OpenFile {
  return deno ? openDeno(path, purpose, mode) : openNode(path, purpose, mode, flags);
}

/** Creates an error with a system's code, to be put into words by the caller. */
function codedError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/**
 * Opens a lock file for reading if it may not be written: flock needs no right to write, and another user may own it.
 * If there is none the first error tells more.
 */
function openReadOnly<T>(error: unknown, open: () => T): T {
  if (!["EACCES", "EROFS"].includes(systemCode(error) ?? "")) throw error;
  try {
    return open();
  } catch (second) {
    throw systemCode(second) === "ENOENT" ? error : second;
  }
}

/** Writes all bytes, however many calls that takes. */
export function writeFully(file: OpenFile, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length;) {
    const size = file.write(bytes.subarray(offset));
    if (size === 0) throw codedError("ENOSPC");
    offset += size;
  }
}

function openNode(path: string, purpose: OpenPurpose, mode: number, flags: number): OpenFile {
  const fs = nodeFs();
  const { O_RDONLY, O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = fs.constants;
  const base = {
    create: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
    append: O_WRONLY | O_CREAT | O_APPEND,
    read: O_RDONLY,
    lock: O_RDWR | O_CREAT | O_NOFOLLOW,
  }[purpose];
  let fd: number;
  try {
    fd = fs.openSync(path, base | flags, mode);
  } catch (error) {
    if (purpose !== "lock") throw error;
    fd = openReadOnly(error, () => fs.openSync(path, O_RDONLY | O_NOFOLLOW | flags));
  }
  return {
    fd,
    tryLock: () => false,
    write: (bytes) => fs.writeSync(fd, bytes),
    sync: () => fs.fsyncSync(fd),
    truncate: (size) => fs.ftruncateSync(fd, size),
    touch: () => fs.futimesSync(fd, new Date(), new Date()),
    stat: () => {
      const { dev, ino, size, uid, gid } = fs.fstatSync(fd);
      return { dev, ino, sizeBytes: size, uid, gid };
    },
    close: () => fs.closeSync(fd),
  };
}

function openDeno(path: string, purpose: OpenPurpose, mode: number): OpenFile {
  const file = openDenoFile(path, purpose, mode);
  return {
    fd: -1,
    tryLock: () => file.tryLockSync(true),
    write: (bytes) => file.writeSync(bytes),
    sync: () => file.syncSync(),
    truncate: (size) => file.truncateSync(size),
    touch: () => file.utimeSync(new Date(), new Date()),
    stat: () => {
      const { dev, ino, size, uid, gid } = file.statSync();
      return { dev, ino: ino ?? 0, sizeBytes: size, uid: uid ?? 0, gid: gid ?? 0 };
    },
    close: () => file.close(),
  };
}

function openDenoFile(path: string, purpose: OpenPurpose, mode: number): DenoFile {
  switch (purpose) {
    case "create":
      return deno!.openSync(path, { write: true, createNew: true, mode });
    case "append":
      return deno!.openSync(path, { append: true, create: true, mode });
    case "read":
      return deno!.openSync(path, { read: true });
    case "lock":
      return openDenoLock(path, mode);
  }
}

function openDenoLock(path: string, mode: number): DenoFile {
  refuseLink(path); // Deno has no O_NOFOLLOW
  let file: DenoFile;
  try {
    file = deno!.openSync(path, { read: true, write: true, create: true, mode });
  } catch (error) {
    file = openReadOnly(error, () => deno!.openSync(path, { read: true }));
  }
  try {
    refuseLink(path);
  } catch (error) {
    file.close();
    throw error;
  }
  return file;
}

function refuseLink(path: string): void {
  let isLink = false;
  try {
    isLink = deno!.lstatSync(path).isSymlink;
  } catch { /* absent: it will be created */ }
  if (isLink) throw codedError("ELOOP");
}
