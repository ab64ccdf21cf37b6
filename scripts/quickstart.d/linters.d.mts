/** A linter: how it is called, how its report is read, and where it sees a line end. */
export interface Linter {
  command(): string[];
  readonly lineEnd: RegExp;
}

/** One report of a linter, its places relative to the project. */
export interface Row {
  readonly rule: string;
  readonly category: string;
  readonly message: string;
  readonly places: readonly {
    readonly path: string;
    readonly line: number;
    readonly note: string;
  }[];
}

export const LINTERS: Readonly<Record<"deno" | "oxlint" | "biome", Linter>>;
export function listSources(folder: string): string[];
export function lint(linter: Linter, root: string, files: readonly string[]): Row[];
