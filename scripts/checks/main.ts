// scripts/check [--fix] [--root DIR] [CHECK…]: runs the named checks, or all, and ends with 1 if one finds something.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseWords, refuseWords } from "../tools/parse-words.mjs";
import { CHECKS } from "./all.ts";

const words = parseWords("check", {
  allowPositionals: true,
  options: {
    fix: { type: "boolean", default: false },
    root: { type: "string", default: dirname(dirname(dirname(fileURLToPath(import.meta.url)))) },
  },
});
if (words !== null) await run(words);

async function run({ values, positionals }: NonNullable<typeof words>): Promise<void> {
  const unknown = positionals.filter((name) => !CHECKS.some((check) => check.name === name));
  if (unknown.length > 0) {
    const known = CHECKS.map((check) => check.name).join(", ");
    const state = `Cannot run "${unknown.join('", "')}": there is no such check`;
    return void refuseWords("check", state, `one of ${known}`);
  }
  for (const check of CHECKS) {
    if (positionals.length > 0 && !positionals.includes(check.name)) continue;
    const problems = await check.find(values.root, values.fix);
    console.log(`${problems.length === 0 ? "ok" : "FAILED"} ${check.name}: ${check.about}`);
    for (const problem of problems) console.log(`  ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
