// Looks at the files of an installation, and changes them: all or none.
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

/** Returns `null` in place of a failure for which there is no file. */
function ifThere(read) {
  try {
    return read();
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return null;
  }
}

/** Returns the path of the file at the end of all links, also if it does not exist yet. */
function findEnd(path, links = 40) {
  const real = ifThere(() => realpathSync(path));
  if (real !== null) return real;
  const folder = findEnd(dirname(path), links), place = join(folder, basename(path));
  if (!ifThere(() => lstatSync(place))?.isSymbolicLink()) return place;
  if (links === 0) throw Object.assign(new Error(), { code: "ELOOP" });
  return findEnd(resolve(folder, readlinkSync(place)), links - 1);
}

const STATES = {
  ELOOP: "its links lead in a circle",
  ENOTDIR: "one of the folders above it is a file",
  EACCES: "you may not read it",
  EPERM: "you may not read it",
};

/** The problem with changing this file, if there is one. */
function findLock(path, word) {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    return error.code === "EROFS" ? `${word} is on a read-only disk` : `${word} is read-only`;
  }
}

/**
 * Tells of the file at the end of a path: where it is, its bytes and mode (`null`: no file), the folders that are
 * missing above it, its name seen from there, and why it cannot be changed, if so.
 */
export function look(path) {
  try {
    const real = findEnd(path), stats = ifThere(() => statSync(real));
    if (stats !== null && !stats.isFile()) {
      return { problem: stats.isDirectory() ? "it is a folder" : "it is not a plain file" };
    }
    const missing = [];
    let folder = dirname(real);
    for (; ifThere(() => statSync(folder)) === null; folder = dirname(folder)) missing.push(folder);
    if (!statSync(folder).isDirectory()) return { problem: `"${folder}" is a file` };
    const isLink = ifThere(() => lstatSync(path))?.isSymbolicLink() ?? false;
    const place = isLink ? join(findEnd(dirname(path)), basename(path)) : real;
    return {
      real,
      link: isLink ? real : null,
      bytes: stats && readFileSync(real),
      mode: stats && stats.mode & 0o7777,
      missing,
      name: encodeURI(relative(dirname(real), place)),
      leadsHere: (name) => leadsTo(name, real),
      lock: (stats && findLock(real, "it")) ?? findLock(folder, `"${folder}"`) ?? null,
    };
  } catch (error) {
    return { problem: STATES[error.code] ?? error.message };
  }
}

function leadsTo(name, real) {
  try {
    return realpathSync(resolve(dirname(real), decodeURI(name))) === real;
  } catch {
    return false;
  }
}

/** Writes bytes beside a file, with its mode and owner; returns the path. */
function writeBeside(real, bytes, mode) {
  const temporary = join(dirname(real), `.${basename(real)}.okstra-${process.pid}`);
  const file = openSync(temporary, "wx", mode ?? 0o666);
  try {
    writeFileSync(file, bytes);
    const old = ifThere(() => statSync(real));
    if (old !== null) {
      const { uid, gid } = statSync(temporary);
      if (old.uid !== uid || old.gid !== gid) chownSync(temporary, old.uid, old.gid);
      chmodSync(temporary, mode);
    }
    fsyncSync(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return temporary;
}

function isAsBefore({ real, before }) {
  const now = ifThere(() => readFileSync(real));
  return now === null || before === null ? now === before : now.equals(before);
}

/**
 * Does all changes: everything new is written beside its file first, then each takes its place. If something fails, what
 * was done is undone, and the error has the path `at` which it failed, and those of `changed` files that could not be brought back.
 */
export function applyChanges(changes) {
  const staged = [], folders = [], done = [];
  let at;
  // An interruption waits for the end.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"], wait = () => {};
  for (const signal of signals) process.on(signal, wait);
  try {
    for (const change of changes.filter(({ after }) => after !== null)) {
      at = change.path;
      makeFolders(dirname(change.real), folders);
      staged.push({ ...change, temporary: writeBeside(change.real, change.after, change.mode) });
    }
    for (const change of [...staged, ...changes.filter(({ after }) => after === null)]) {
      at = change.path;
      if (!isAsBefore(change)) throw new Error("somebody else changed it at this moment");
      if (change.after === null) unlinkSync(change.real);
      else renameSync(change.temporary, change.real);
      done.push(change);
    }
  } catch (error) {
    for (const { temporary } of staged) rmSync(temporary, { force: true });
    const changed = done.filter((change) => !undo(change)).map(({ path }) => path);
    removeEmpty(folders);
    throw Object.assign(error, { at, changed });
  } finally {
    for (const signal of signals) process.off(signal, wait);
  }
  removeEmpty(
    changes.flatMap(({ real, after, folders }) => after === null ? above(real, folders) : []),
  );
}

function makeFolders(folder, made) {
  if (ifThere(() => statSync(folder)) !== null) return;
  makeFolders(dirname(folder), made);
  mkdirSync(folder);
  made.push(folder);
}

/** Brings a file back as it was before; returns whether that is so. */
function undo({ real, before, oldMode }) {
  try {
    if (before === null) unlinkSync(real);
    else renameSync(writeBeside(real, before, oldMode), real);
    return true;
  } catch {
    return false;
  }
}

/** The innermost folders above a file. */
const above = (path, count) =>
  count === 0 ? [] : [dirname(path), ...above(dirname(path), count - 1)];

/** Removes folders, those inside others first; one that holds something stays. */
function removeEmpty(folders) {
  for (const folder of folders.toSorted((a, b) => b.length - a.length)) {
    try {
      rmdirSync(folder);
    } catch {
      // it holds something of the user
    }
  }
}
