import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, writeFiles } from "../../support.ts";

/** A call of a tool. */
export interface Step {
  readonly words: readonly string[];
  readonly stdin: string;
  /** `json`: one document; `lines`: one a line; `text`: words for people. */
  readonly prints: "json" | "lines" | "text" | "nothing";
  /** 1 where the command says no, which it does on standard output, too. */
  readonly status: number;
  /** For each option what it may be given as, so that something else comes of the call; the value that `words` has is left out. */
  readonly options: Readonly<Record<string, readonly string[]>>;
  /** A lock in the project that the call needs, where it is not there before. */
  readonly lock?: string;
}

// deno-lint-ignore no-explicit-any
type Document = any;

/** A worker without a model, that reports what stands in the texts of the walk. */
export const WORKER = join(ROOT, "test", "testdata", "script-worker.mjs");

/** A way through the commands of a tool: each is called at least once with words that work, where they do. */
export class Walk {
  readonly project: string;
  /** The variables that tools are given. */
  env: Record<string, string> = {};
  /** The variables of a terminal in cmux. */
  readonly cmux: Readonly<Record<string, string>>;
  readonly #make: (step: Step) => Promise<Document>;

  /** @param make makes a step and returns the document that it printed */
  constructor(
    project: string,
    cmux: Readonly<Record<string, string>>,
    make: (step: Step) => Promise<Document>,
  ) {
    this.project = project;
    this.cmux = cmux;
    this.#make = make;
    this.write({
      ".okstra/.keep": "",
      "brief.md": "Review the texts.\n",
      "other.md": "Review something else.\n",
      "providers.json": JSON.stringify({
        schemaVersion: "1.0",
        // They take long enough to be seen at work.
        providers: {
          "lint-a": { argv: [WORKER, "alpha"] },
          "lint-b": { argv: [WORKER, "beta"] },
          "idle": { argv: ["sleep", "0.5"] },
          "fails": { argv: ["sh", "-c", "sleep 0.5; exit 1"] },
          "spoils": {
            argv: ["sh", "-c", 'sleep 0.5; echo x >>src/spoilt; echo x >"$0"', "{resultPath}"],
          },
          "says": { argv: ["sh", "-c", 'sleep 0.5; echo x >"$0"', "{resultPath}", "{sessionId}"] },
        },
      }),
      "src/a.txt": "fine\nBUG one\nfine\n",
      "src/b.txt": "odd\nfine\nBUG two\n",
    });
  }

  at(name: string): string {
    return join(this.project, name);
  }

  write(files: Readonly<Record<string, string>>): void {
    writeFiles(this.project, files);
  }

  read(path: string): Document {
    return JSON.parse(readFileSync(path, "utf8"));
  }

  /**
   * Makes a step.
   *
   * @param line words without blanks in them
   * @param rest words of any kind behind them
   */
  step(
    line: string,
    rest: readonly string[] = [],
    options: Step["options"] = {},
    more: Partial<Omit<Step, "words" | "options">> = {},
  ): Promise<Document> {
    const words = [...line.split(" "), ...rest];
    return this.#make({ words, stdin: "", prints: "json", status: 0, options, ...more });
  }

  /** Prepares a run of a task of its own, and makes it the one that is meant from here on. */
  async prepare(
    key: string,
    workers: readonly string[],
    options: Step["options"] = {},
    backend = "cli-wrapper",
  ): Promise<Document> {
    this.env = {};
    const prepared = await this.step(
      "okstra-manifest-io prepare --task-type discussion --brief brief.md",
      ["--backend", backend, "--provider-file", "providers.json", "--task-key", key].concat(
        workers.flatMap((worker) => ["--worker", worker]),
      ),
      options,
    );
    this.env = { OKSTRA_RUN: prepared.runManifestPath };
    return prepared;
  }
}
