import { stat } from "@okstra/kit/host";

/** Notices when files grow or are written anew. */
export class GrowthWatch {
  readonly #paths: () => readonly string[];
  #last: string;

  /** Watches files that need not exist yet; which ones is asked at every look. */
  constructor(paths: () => readonly string[]) {
    this.#paths = paths;
    this.#last = this.#look();
  }

  /** Tells whether anything changed since the last call. */
  hasGrown(): boolean {
    const now = this.#look();
    const hasGrown = now !== this.#last;
    this.#last = now;
    return hasGrown;
  }

  #look(): string {
    return this.#paths().map((path) => {
      try {
        const info = stat(path);
        // A file that was only created holds no more than one that is absent.
        return info === null || info.sizeBytes === 0
          ? ""
          : `${info.ino} ${info.sizeBytes} ${info.mtimeMs}`;
      } catch {
        return "";
      }
    }).join("\n");
  }
}
