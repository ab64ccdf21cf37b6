// Every file that the tool writes is renamed into place, so the moments before are all the states that a kill can leave.

interface Renaming {
  renameSync(from: string, to: string): void;
}

/** Calls a function before every rename of this process, with its target; returns what ends that. */
export function watchRenames(before: (target: string) => void): () => void {
  const { Deno } = globalThis as { Deno?: Renaming };
  const system: Renaming = Deno ?? process.getBuiltinModule("node:fs");
  const rename = system.renameSync;
  system.renameSync = (from, to) => {
    before(to);
    rename(from, to);
  };
  return () => {
    system.renameSync = rename;
  };
}
