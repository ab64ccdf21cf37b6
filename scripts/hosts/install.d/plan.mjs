// Decides what an installation or its removal changes. Nothing is read or written here, so that all refusals are known
// before the first change.
import { addHooks, commandsOf, removeHooks } from "./hooks.mjs";
import { markFile, readMark } from "./mark.mjs";
import { addSection, removeSection } from "./section.mjs";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes) {
  if (bytes === null) return null;
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new Error("it is not UTF-8 text");
  }
}

/** A file of ours as a whole. */
function planFile({ path, content }, { bytes, missing }, { host, isRemoval, isForced }) {
  let mark = null;
  try {
    mark = bytes === null ? null : readMark(decode(bytes));
  } catch {
    // a file that is no text is not ours
  }
  const isOurs = bytes === null || mark?.host === host;
  const state = mark === null
    ? "it is not a file of okstra, or was changed since"
    : `it belongs to ${mark.host}, which is installed there, too`;
  if (isRemoval) {
    if (!isOurs) return { text: bytes, kept: state };
    return { text: null, folders: mark?.folders ?? 0 };
  }
  if (!isOurs && !isForced) throw new Error(`${state}; --force overwrites it`);
  return { text: markFile(path, content, host, mark?.folders ?? missing.length) };
}

/** A part of a Markdown file. */
function planSection({ content }, { bytes, name, leadsHere }, { isRemoval }) {
  const before = decode(bytes);
  if (!isRemoval) return { text: addSection(before, content, name, leadsHere) };
  if (before === null) return { text: null };
  const { text, users } = removeSection(before, name, leadsHere);
  if (users.length === 0) return { text };
  return { text, kept: `its part of okstra is also that of ${users.join(", ")}` };
}

/** Hooks in settings. */
function planHooks({ content }, { bytes }, { isRemoval }) {
  const before = decode(bytes);
  return {
    text: isRemoval ? removeHooks(before, commandsOf(content)) : addHooks(before, content),
  };
}

const PLANS = { file: planFile, section: planSection, hooks: planHooks };

/**
 * Returns what is to be done: `changes` with the bytes of each file before and after (`null`: no file), what is `kept`
 * and why, and the `problems` for which nothing may be done.
 *
 * `items` pairs what is wanted with the state of the file at the end of its path, as `look` tells it.
 */
export function planChanges(items, options) {
  const changes = [], kept = [], problems = [], claimed = new Set(), seen = new Map();
  for (const { wanted, state } of items) {
    try {
      if (state.problem) throw new Error(state.problem);
      if (seen.has(state.real)) throw new Error(`it is the same file as "${seen.get(state.real)}"`);
      seen.set(state.real, wanted.path);
      const missing = state.missing.filter((folder) => !claimed.has(folder));
      const { text, kept: reason, folders = 0 } = PLANS[wanted.kind](
        wanted,
        { ...state, missing },
        options,
      );
      if (reason !== undefined) kept.push({ path: wanted.path, reason });
      const after = typeof text === "string" ? Buffer.from(text) : text;
      const mode = modeAfter(state, after);
      const isSame = after === null || state.bytes === null
        ? after === state.bytes
        : state.bytes.equals(after) && mode === state.mode;
      if (isSame) continue;
      if (state.lock) throw new Error(state.lock);
      if (after !== null) state.missing.forEach((folder) => claimed.add(folder));
      const { real, link, bytes: before, mode: oldMode } = state;
      changes.push({ path: wanted.path, real, link, before, after, oldMode, mode, folders });
    } catch (error) {
      problems.push({ path: wanted.path, problem: error.message });
    }
  }
  return { changes, kept, problems };
}

/** A script has to be one that can be run; other files keep their mode, and new ones get the usual one. */
function modeAfter({ mode }, after) {
  if (after === null || after.subarray(0, 2).toString() !== "#!") return mode;
  if (mode === null) return 0o777;
  return (mode & 0o100) !== 0 ? mode : mode | (mode & 0o444) >> 2;
}
