// The mark at the end of every file that is ours as a whole: whose it is, how many of the folders above it were made
// for it, and a digest of what stands before. So a file of the same name that a user wrote, or one of ours that a user
// changed, is never taken for ours, whatever version wrote it.
import { createHash } from "node:crypto";

const MARK = /^(?:# |<!-- )okstra-file ([a-z-]+) (\d+) ([0-9a-f]{64})(?: -->)?\n$/;

const digest = (text) => createHash("sha256").update(text).digest("hex");

/** Returns the text of a file of ours with its mark; `folders` counts the folders above it that were made for it. */
export function markFile(path, text, host, folders) {
  const body = path.endsWith(".md") ? `${text.trimEnd()}\n\n` : `${text.trimEnd()}\n`;
  const words = `okstra-file ${host} ${folders} ${digest(body)}`;
  return body + (path.endsWith(".md") ? `<!-- ${words} -->\n` : `# ${words}\n`);
}

/** Reads the mark of a file: host and folders; `null` if it is not ours or not any more as it was written. */
export function readMark(text) {
  const start = text.lastIndexOf("\n", text.length - 2) + 1;
  const [, host, folders, known] = MARK.exec(text.slice(start)) ?? [];
  if (host === undefined || digest(text.slice(0, start)) !== known) return null;
  return { host, folders: Number(folders) };
}
