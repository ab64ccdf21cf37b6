/**
 * The seam to the runtime: everything that a tool needs of Deno or Node, with one behaviour on both. File operations
 * are synchronous, their errors carry the system's `code` (`ENOENT`, …) and read `Cannot <verb> "<path>": <reason>`.
 *
 * @module
 */
export { runtime } from "./host/runtime.ts";
export {
  argv,
  cwd,
  env,
  environment,
  execPath,
  hostname,
  monotonicMs,
  nowMs,
  pid,
  platform,
  programPaths,
  randomId,
  setExitCode,
  sleepSync,
} from "./host/process.ts";
export {
  isTerminal,
  OutputClosedError,
  readStdin,
  type StdinKind,
  stdinKind,
  terminalSize,
  writeErr,
  writeOut,
} from "./host/streams.ts";
export { readStdinWithin } from "./host/stdin-within.ts";
export {
  type FileInfo,
  type FileKind,
  lstat,
  makeDir,
  readDir,
  readFile,
  realPath,
  removeDir,
  removeFile,
  renameFile,
  stat,
} from "./host/files.ts";
export { type OpenedFile, readRegularFile } from "./host/read-regular.ts";
export {
  appendFile,
  sweepTemporaries,
  writeFileAtomic,
  type WriteOptions,
} from "./host/write-file.ts";
export { acquireFileLock, LockHeldError, withFileLock } from "./host/lock.ts";
export type { LockHolder } from "./host/lock-holder.ts";
export {
  bootId,
  type ProcessFacts,
  processFacts,
  processStartTime,
  processState,
} from "./host/process-facts.ts";
export { isNamedWrongly, reasonText, SystemError } from "./host/system-error.ts";
