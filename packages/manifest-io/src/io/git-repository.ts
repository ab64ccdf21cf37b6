import { spawnSync } from "node:child_process";
import { digestJson } from "../digest.ts";
import { OkstraError } from "../errors.ts";
import type { RepositoryState } from "../schemas/mutation-snapshot.ts";

/** What git knows below a directory. */
export interface RepositoryListing {
  readonly state: Pick<
    RepositoryState,
    "headRef" | "headCommit" | "indexDigest" | "statusDigest"
  >;
  /** Files in the index and untracked files that are not ignored, relative to the directory; some may not exist. */
  readonly paths: readonly string[];
  /** Submodules and nested repositories, which git does not look into. */
  readonly nested: readonly string[];
  /** Paths that are not UTF-8, with `\xNN` for each of their bytes above 127. */
  readonly undecodable: readonly string[];
  /** What git complained about. */
  readonly warnings: readonly string[];
}

/** Whose index entries and untracked files count. */
type Filter = (path: string) => boolean;

// What a caller inside a git hook inherits would lead git to another repository.
const FOREIGN = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE"];
const FOREIGN_PATHS = ["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX"];
const ENVIRONMENT = [
  ...[...FOREIGN, ...FOREIGN_PATHS].flatMap((name) => ["-u", name]),
  "LC_ALL=C",
  "GIT_OPTIONAL_LOCKS=0",
];
// A repository can name a program that answers for its files, and a remote to fetch from: neither is asked.
const OPTIONS = ["-c", "core.fsmonitor=false", "-c", "protocol.allow=never"];
const LIMIT_MS = 120_000;

interface GitResult {
  readonly status: number | null;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

/**
 * Reads HEAD, index and list of files of the repository that a directory lies in; changes nothing and runs no program
 * that the repository names.
 *
 * @param isTop whether the directory must be the top of the repository
 * @returns null if the directory lies in no repository, is not the top though it must be, or is ignored
 * @throws {OkstraError} `git-failed` if there is a repository and git cannot read it
 */
export function readRepository(
  directory: string,
  isTop: boolean,
  isListed: Filter,
): RepositoryListing | null {
  const head = readHead(directory);
  if (head === null || (isTop && head.prefix !== "")) return null;
  // In an ignored directory git lists nothing, which would look like a tree without files.
  if (head.prefix !== "" && runGit(directory, ["check-ignore", "-q", "."]).status === 0) {
    return null;
  }
  const list = readOrThrow(directory, [
    ...["ls-files", "-z", "-v", "--stage", "--others", "--exclude-standard"],
  ]);
  const records = parseRecords(list.stdout);
  const index = records.tracked.filter((record) => isListed(record.path));
  const untracked = records.untracked.filter(isListed);
  const files = index.filter((record) => !record.isLink);
  return {
    state: {
      headRef: head.ref,
      headCommit: head.commit,
      indexDigest: digestJson(index.map((record) => [record.facts, record.path])),
      statusDigest: digestJson([
        head.commit === null ? [] : readStaged(directory, isListed),
        untracked,
      ]),
    },
    paths: [...files.map((record) => record.path), ...untracked.filter((path) => !isFolder(path))],
    nested: [
      ...index.filter((record) => record.isLink).map((record) => record.path),
      ...untracked.filter(isFolder).map((path) => path.slice(0, -1)),
    ],
    undecodable: records.undecodable,
    warnings: complaints(list.stderr),
  };
}

interface Head {
  readonly ref: string | null;
  readonly commit: string | null;
  /** Way from the top of the repository to the directory, with a final `/`; blank at the top. */
  readonly prefix: string;
}

function readHead(directory: string): Head | null {
  const both = runGit(directory, [
    ...["rev-parse", "--show-prefix", "HEAD", "--symbolic-full-name", "HEAD"],
  ]);
  if (both.status === 0) {
    const lines = decodeBytes(both.stdout).split("\n");
    const [commit = "", ref = ""] = lines.slice(-3, -1);
    return { ref: ref === "HEAD" ? null : ref, commit, prefix: lines.slice(0, -3).join("\n") };
  }
  if (/not a git repository \(or any/.test(both.stderr)) return null;
  const prefix = decodeBytes(readOrThrow(directory, ["rev-parse", "--show-prefix"]).stdout);
  const ref = decodeBytes(readOrThrow(directory, ["symbolic-ref", "-q", "HEAD"]).stdout);
  return { ref: ref.trimEnd(), commit: null, prefix: prefix.replace(/\n$/, "") };
}

/** Lists the differences between HEAD and index; never looks at the files, whose filters are programs. */
function readStaged(directory: string, isListed: Filter): readonly string[] {
  const { stdout } = readOrThrow(directory, [
    ...["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-ext-diff", "--relative"],
    "HEAD",
  ]);
  const parts = splitRecords(stdout).map(decodeBytes), staged: string[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    if (isListed(parts[i + 1]!)) staged.push(`${parts[i]} ${parts[i + 1]}`);
  }
  return staged;
}

interface IndexRecord {
  /** Flag, mode, object and stage. */
  readonly facts: string;
  readonly path: string;
  /** Whether it names a commit of another repository instead of a file. */
  readonly isLink: boolean;
}

const isFolder = (path: string) => path.endsWith("/");

function parseRecords(stdout: Uint8Array) {
  const tracked: IndexRecord[] = [], untracked: string[] = [], undecodable: string[] = [];
  for (const bytes of splitRecords(stdout)) {
    const isTracked = bytes[0] !== QUESTION_MARK;
    const at = isTracked ? bytes.indexOf(TAB) + 1 : 2;
    const path = decodePath(bytes.subarray(at));
    if (path === null) undecodable.push(escapeBytes(bytes.subarray(at)));
    else if (!isTracked) untracked.push(path);
    else {
      const facts = decodeBytes(bytes.subarray(0, at - 1));
      tracked.push({ facts, path, isLink: facts.includes(" 160000 ") });
    }
  }
  return { tracked, untracked, undecodable };
}

const TAB = 0x09, QUESTION_MARK = 0x3f;
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function splitRecords(bytes: Uint8Array): readonly Uint8Array[] {
  const records: Uint8Array[] = [];
  for (let start = 0, end; (end = bytes.indexOf(0, start)) >= 0; start = end + 1) {
    records.push(bytes.subarray(start, end));
  }
  return records;
}

function decodePath(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

function escapeBytes(bytes: Uint8Array): string {
  const unit = (byte: number) =>
    byte > 0x7f ? `\\x${byte.toString(16)}` : String.fromCharCode(byte);
  return Array.from(bytes, unit).join("");
}

function decodeBytes(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Lists what git said while it went on. Rules for ignoring that it could not read only make it list more. */
function complaints(stderr: string): readonly string[] {
  return stderr.split("\n").filter((line) =>
    /^(warning|error|fatal): /.test(line) && !line.includes("unable to access")
  );
}

const GIT_HINT = "the project's files are listed with git; see that git status works there";

function readOrThrow(directory: string, args: readonly string[]): GitResult {
  const result = runGit(directory, args);
  if (result.status === 0) return result;
  const words = result.stderr.split("\n")[0]?.trim();
  throw new OkstraError(
    "git-failed",
    `git ${args[0]} failed: ${words || `exit ${result.status}`}`,
    {
      exitCode: 4,
      hint: GIT_HINT,
    },
  );
}

function runGit(directory: string, args: readonly string[]): GitResult {
  const words = [...ENVIRONMENT, "git", ...OPTIONS, "-C", directory, ...args];
  const child = spawnSync("env", words, {
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: Infinity,
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  if (child.error !== undefined) {
    const { code, message } = child.error as Error & { code?: string };
    const state = code === "ETIMEDOUT" ? `no answer in ${LIMIT_MS / 1000} s` : code ?? message;
    throw new OkstraError("git-failed", `git ${args[0]} failed: ${state}`, {
      exitCode: 4,
      hint: GIT_HINT,
    });
  }
  return { status: child.status, stdout: child.stdout, stderr: decodeBytes(child.stderr) };
}
