/** What a command gives the code below it beside the run. */
export interface Surroundings {
  /** The time that artifacts carry; fixed by `SOURCE_DATE_EPOCH`. */
  now(): Date;
  env(name: string): string | undefined;
  /** Tells the person at the terminal one line. */
  say(line: string): void;
}
