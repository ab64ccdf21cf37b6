import { type FileInfo, fromDeno, fromNode } from "./files.ts";
import { deno, nodeFs } from "./runtime.ts";
import { inWords } from "./system-error.ts";

/** A file that was opened, and its bytes; `null` if it is not a regular file or has more bytes than were wanted. */
export interface OpenedFile {
  readonly info: FileInfo;
  readonly bytes: Uint8Array | null;
}

/**
 * Reads a regular file of at most `maxBytes` bytes through one descriptor, so that `info` is about the very file that was
 * read, whatever happens to its name meanwhile. A link as last part of the path is not followed, and a pipe is not waited
 * for (Deno has no way to refuse either at the opening: there they are refused just before it).
 *
 * @throws An error with code `ELOOP` if the path is a link, `ENOENT` if it is absent.
 */
export function readRegularFile(path: string, maxBytes: number): OpenedFile {
  return inWords("read", path, () => deno ? readDeno(path, maxBytes) : readNode(path, maxBytes));
}

function readNode(path: string, maxBytes: number): OpenedFile {
  const fs = nodeFs(), { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const info = fromNode(fs.fstatSync(fd));
    return readUpTo(
      info,
      maxBytes,
      (buffer, offset) => fs.readSync(fd, buffer, offset, buffer.length - offset, null),
    );
  } finally {
    fs.closeSync(fd);
  }
}

function readDeno(path: string, maxBytes: number): OpenedFile {
  const before = fromDeno(deno!.lstatSync(path));
  if (before.kind === "link") throw Object.assign(new Error(path), { code: "ELOOP" });
  if (before.kind !== "file") return { info: before, bytes: null };
  const file = deno!.openSync(path, { read: true });
  try {
    const info = fromDeno(file.statSync());
    return readUpTo(
      info,
      maxBytes,
      (buffer, offset) => file.readSync(buffer.subarray(offset)) ?? 0,
    );
  } finally {
    file.close();
  }
}

/** Reads until the end, since a file may have grown after its size was asked for. */
function readUpTo(
  info: FileInfo,
  maxBytes: number,
  read: (buffer: Uint8Array, offset: number) => number,
): OpenedFile {
  if (info.kind !== "file" || info.sizeBytes > maxBytes) return { info, bytes: null };
  let buffer = new Uint8Array(Math.min(info.sizeBytes, maxBytes) + 1), size = 0;
  for (;;) {
    if (size === buffer.length) {
      if (size > maxBytes) return { info, bytes: null };
      const larger = new Uint8Array(Math.min(size * 2, maxBytes + 1));
      larger.set(buffer);
      buffer = larger;
    }
    const count = read(buffer, size);
    if (count === 0) return { info, bytes: buffer.subarray(0, size) };
    size += count;
  }
}
