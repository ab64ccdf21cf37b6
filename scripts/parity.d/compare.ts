// What is compared, and how: texts with the values that belong to one process or one attempt blanked.
import { Buffer } from "node:buffer";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Fields whose values differ from process to process, or are those of the file system; nothing else may. */
const OWN =
  /("(?:pid|pgid|startTime|bootId|host|sessionId|mtimeMs|ctimeSeconds|inode|snapshotDigest)": ?)(?:"(?:[^"\\]|\\.)*"|-?\d+)/g;
/** The program of a command line: it is found on PATH, and what that says is up to the machine. */
const PROGRAM = /("argv": ?\[\s*)"(?:[^"\\]|\\.)*"/g;
/** A wrapper, as people are told of it, and a tab of the stand-in for cmux. */
const NAMED = /(\bwrapper |\b5A1F0000-0000-4000-8000-)\d+/g;
/** Process id and start time in the claim of a launch. */
const CLAIM = /^\d+ \d+$/gm;

/** Returns a text with what belongs to one process blanked. */
export function blank(text: string, name = ""): string {
  const blanked = text.replace(OWN, '$1"…"').replace(PROGRAM, '$1"…"').replace(NAMED, "$1…");
  return /\.launch-\d+$/.test(name) ? blanked.replace(CLAIM, "…") : blanked;
}

/** Reads every file below a folder, blanked, by relative path, a character each byte; a link or pipe is its kind. */
export function readTree(folder: string, prefix = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(join(folder, prefix)).sort()) {
    const path = prefix === "" ? name : `${prefix}/${name}`, info = lstatSync(join(folder, path));
    if (info.isDirectory()) { for (const entry of readTree(folder, path)) found.set(...entry); }
    else if (!info.isFile()) found.set(path, "no regular file");
    else found.set(path, blank(readFileSync(join(folder, path), "latin1"), path));
  }
  return found;
}

/** Where two texts of one name begin to differ, and what stands there. */
export interface Difference {
  readonly name: string;
  /** In bytes. */
  readonly offset: number;
  readonly wanted: string;
  readonly found: string;
}

/** Lists how one set of texts, of a character each byte, differs from another. */
export function listDifferences(
  wanted: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): Difference[] {
  const names = [...new Set([...wanted.keys(), ...found.keys()])].sort();
  return names.flatMap((name) => {
    const [a, b] = [wanted.get(name) ?? null, found.get(name) ?? null];
    if (a === b) return [];
    if (a === null || b === null) return [{ name, offset: 0, wanted: cut(a, 0), found: cut(b, 0) }];
    let at = 0;
    while (a[at] === b[at]) at++;
    return [{ name, offset: at, wanted: cut(a, at), found: cut(b, at) }];
  });
}

/** Shows a text around a place, on one line; what is not UTF-8 stands there as bytes. */
function cut(text: string | null, at: number): string {
  if (text === null) return "(nothing)";
  let start = Math.max(0, at - 40), end = at + 60;
  // Not within a character.
  while (start > 0 && isInside(text, start)) start--;
  while (isInside(text, end)) end++;
  const shown = Buffer.from(text.slice(start, end), "latin1");
  try {
    return JSON.stringify(new TextDecoder("utf-8", { fatal: true }).decode(shown));
  } catch {
    return `bytes ${shown.toString("hex")}`;
  }
}

const isInside = (text: string, at: number) => /^[\x80-\xbf]$/.test(text[at] ?? "");
