import type * as NodeChildProcess from "node:child_process";
import type * as NodeCrypto from "node:crypto";
import type * as NodeFs from "node:fs";
import type * as NodeOs from "node:os";
import type * as NodeTty from "node:tty";

/** What `Deno.statSync` and `Deno.FsFile.statSync` tell, as far as this package reads it. */
export interface DenoFileInfo {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly isSymlink: boolean;
  readonly isFifo: boolean | null;
  readonly isSocket: boolean | null;
  readonly size: number;
  readonly mtime: Date | null;
  readonly mode: number | null;
  readonly dev: number;
  readonly ino: number | null;
  readonly uid: number | null;
  readonly gid: number | null;
}

/** An open file of Deno, as far as this package uses it. */
export interface DenoFile {
  readSync(buffer: Uint8Array): number | null;
  writeSync(bytes: Uint8Array): number;
  syncSync(): void;
  truncateSync(length: number): void;
  statSync(): DenoFileInfo;
  utimeSync(atime: Date, mtime: Date): void;
  tryLockSync(exclusive: boolean): boolean;
  close(): void;
}

interface DenoStream {
  isTerminal(): boolean;
}

/** The part of the `Deno` namespace that this package uses; declared here so that Node's type check knows it too. */
export interface DenoApi {
  readonly args: readonly string[];
  readonly build: { readonly os: string };
  readonly env: {
    get(name: string): string | undefined;
    toObject(): Record<string, string>;
  };
  readonly mainModule: string;
  readonly pid: number;
  readonly stdin: DenoStream & {
    readSync(buffer: Uint8Array): number | null;
    read(buffer: Uint8Array): Promise<number | null>;
  };
  readonly stdout: DenoStream & { writeSync(bytes: Uint8Array): number };
  readonly stderr: DenoStream & { writeSync(bytes: Uint8Array): number };
  readonly Command: new (
    file: string,
    options: {
      args: string[];
      stdin: "null";
      stderr: "null";
      clearEnv: boolean;
      env: Readonly<Record<string, string>>;
    },
  ) => { outputSync(): { success: boolean; stdout: Uint8Array } };
  exitCode: number;
  chmodSync(path: string, mode: number): void;
  chownSync(path: string, uid: number | null, gid: number | null): void;
  consoleSize(): { columns: number; rows: number };
  cwd(): string;
  execPath(): string;
  exit(code: number): never;
  hostname(): string;
  kill(pid: number, signal: number): void;
  linkSync(from: string, to: string): void;
  lstatSync(path: string): DenoFileInfo;
  mkdirSync(path: string, options: { recursive: boolean }): void;
  openSync(path: string, options: {
    read?: boolean;
    write?: boolean;
    append?: boolean;
    create?: boolean;
    createNew?: boolean;
    mode?: number;
  }): DenoFile;
  readDirSync(path: string): Iterable<
    { name: string; isFile: boolean; isDirectory: boolean; isSymlink: boolean }
  >;
  readFileSync(path: string): Uint8Array;
  realPathSync(path: string): string;
  removeSync(path: string): void;
  renameSync(from: string, to: string): void;
  statSync(path: string): DenoFileInfo;
}

interface NodeBuiltins {
  "node:child_process": typeof NodeChildProcess;
  "node:crypto": typeof NodeCrypto;
  "node:fs": typeof NodeFs;
  "node:os": typeof NodeOs;
  "node:tty": typeof NodeTty;
}

/** The `Deno` namespace, or `undefined` under Node. */
export const deno: DenoApi | undefined = (globalThis as { Deno?: DenoApi }).Deno;

/** The runtime that executes the program. */
export const runtime: "node" | "deno" = deno ? "deno" : "node";

/** Returns a module of Node when it is first needed, so that nothing is paid at start-up. */
export function builtin<K extends keyof NodeBuiltins>(name: K): NodeBuiltins[K] {
  return process.getBuiltinModule(name as string) as unknown as NodeBuiltins[K];
}

/** Returns Node's file-system module. */
export function nodeFs(): typeof NodeFs {
  return builtin("node:fs");
}
