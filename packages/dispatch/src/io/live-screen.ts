import type { Screen } from "./surroundings.ts";

/** A terminal with lines that stay, and below them a table that is drawn anew in its place. */
export class LiveScreen {
  readonly #screen: Screen;
  #drawn: readonly string[] = [];

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  size(): ReturnType<Screen["size"]> {
    return this.#screen.size();
  }

  /** Prints something that stays, above the table. */
  say(print: () => void): void {
    const table = this.#drawn, clear = this.#clear();
    if (clear !== "") this.#screen.write(clear);
    print();
    this.draw(table);
  }

  /** Draws the table in place of the last one. */
  draw(lines: readonly string[]): void {
    if (
      lines.length === this.#drawn.length && lines.every((line, at) => line === this.#drawn[at])
    ) {
      return;
    }
    this.#screen.write(this.#clear() + lines.map((line) => `${line}\n`).join(""));
    this.#drawn = lines;
  }

  /** Leaves a last table, if there was one; what follows is printed below it. */
  end(lines: readonly string[]): void {
    if (this.#drawn.length > 0) this.draw(lines);
    this.#drawn = [];
  }

  #clear(): string {
    const up = this.#drawn.length;
    this.#drawn = [];
    return up === 0 ? "" : `\x1b[${up}A\x1b[J`;
  }
}
