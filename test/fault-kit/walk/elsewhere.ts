// Options whose effect the walk cannot show, the test that shows it, and a look at whether that test is there.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import { ROOT } from "../../support.ts";
import { COMMANDS } from "./commands.ts";

/** A test by its file and its name; of a fault the name is what is injected. */
interface Shown {
  readonly file: string;
  readonly test: string;
}

const KIT = "test/fault-kit/p-25-nothing-ran.ts";
const WAITING: Shown = {
  file: KIT,
  test: "wrapper and worker are killed while ${command} waits, with --poll and --heartbeat",
};
const RESUMED: Shown = {
  file: KIT,
  test: "a live worker fails while resume waits, with and without its options for retries",
};

/** Options that cannot make a difference in the walk, and the test that shows theirs. */
export const ELSEWHERE: Readonly<Record<string, Shown>> = {
  "okstra-manifest-io prepare --allow-unsafe-filesystem": {
    file: KIT,
    test: "the project lies on a file system whose locks exclude nobody, with and without leave",
  },
  "okstra-team-state show --watch": {
    file: "packages/team-state/src/team-state.process.test.ts",
    test: "prints the document again on every change, a line each",
  },
  "okstra-convergence prompts --on-invalid": {
    file: "packages/convergence/src/cli/coverage.test.ts",
    test:
      "are skipped without a trace if the answer does not parse and is to count as none, and tell how to ask again (V-073)",
  },
  "okstra-dispatch await --poll": WAITING,
  "okstra-dispatch run --poll": WAITING,
  "okstra-dispatch resume --poll": WAITING,
  "okstra-dispatch await --heartbeat": WAITING,
  "okstra-dispatch run --heartbeat": WAITING,
  "okstra-dispatch resume --heartbeat": WAITING,
  "okstra-dispatch resume --retry": RESUMED,
  "okstra-dispatch resume --retry-on": RESUMED,
  "okstra-dispatch teardown --kill": {
    file: "test/fault-kit/p-04-healthy-worker.ts",
    test: "a worker that is to be killed: teardown --kill",
  },
};

/** Asserts that those tests are there and give their options, and that it would be seen if they were not. */
export function checkElsewhere(): Promise<string> {
  assertEquals(listWrong(ELSEWHERE), []);
  const key = "okstra-dispatch resume --retry-on", { file, test } = RESUMED;
  for (
    const [wrongKey, shown, said] of [
      [`${key}s`, RESUMED, "there is no such option"],
      [key, { file: `${file}s`, test }, `there is no ${file}s`],
      [key, { file, test: `${test}s` }, `${file} has no test "${test}s"`],
      [key, WAITING, `"${WAITING.test}" of ${file} does not give it`],
    ] as const
  ) assertEquals(listWrong({ [wrongKey]: shown }), [`${wrongKey}: ${said}`]);
  return Promise.resolve(`${Object.keys(ELSEWHERE).length} options`);
}

/** The name of a fault or of a test, with what stands before it. */
const NAME = /(injected: *|it\()\s*(["`])(.*?)\2/gs;

/** Lists what is wrong with options that are said to be shown elsewhere: no such option, file or test, or one without them. */
function listWrong(shown: Readonly<Record<string, Shown>>): string[] {
  return Object.entries(shown).flatMap(([key, { file, test }]) => {
    const [, tool, command = "", option = ""] = /^(\S+) (.+) --(\S+)$/.exec(key) ?? [];
    const known = COMMANDS[tool ?? ""]?.[command]?.options ?? {};
    if (!Object.hasOwn(known, option)) return `${key}: there is no such option`;
    const path = join(ROOT, file);
    if (!existsSync(path)) return `${key}: there is no ${file}`;
    const text = readFileSync(path, "utf8"), code = findCode(text, test);
    if (code === null) return `${key}: ${file} has no test "${test}"`;
    const gives = (text: string, word: string) => new RegExp(`["'\`]${word}["'\` ]`).test(text);
    // The command may be named where the test is made for several of them.
    const isShown = gives(code, `--(no-)?${option}`) && gives(text, command);
    return isShown ? [] : `${key}: "${test}" of ${file} does not give it`;
  });
}

/** Finds what a test does, and of a fault what injects it; `null`: there is none by that name. */
function findCode(text: string, test: string): string | null {
  const found = [...text.matchAll(NAME)].find(([, , , name]) => name === test);
  if (found === undefined) return null;
  const rest = text.slice(found.index + found[0].length);
  if (found[1] === "it(") return rest.slice(0, rest.search(/^ *it\(|^}/m));
  const name = /\brun: (?:\(.*?\) => )?(\w+)/.exec(rest)?.[1];
  return new RegExp(`^(async )?function ${name}\\(.*?^}`, "ms").exec(text)?.[0] ?? "";
}
