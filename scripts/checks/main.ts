// scripts/check [--fix] [--root DIR] [CHECK…]: runs the named checks, or all, and ends with 1 if one finds something.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CHECKS } from "./all.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fix: { type: "boolean", default: false },
    root: { type: "string", default: dirname(dirname(dirname(fileURLToPath(import.meta.url)))) },
  },
});

const unknown = positionals.filter((name) => !CHECKS.some((check) => check.name === name));
if (unknown.length > 0) {
  console.error(`check: error: Cannot run "${unknown.join('", "')}": there is no such check`);
  console.error(`check: hint: one of ${CHECKS.map((check) => check.name).join(", ")}`);
  process.exitCode = 2;
} else {
  for (const check of CHECKS) {
    if (positionals.length > 0 && !positionals.includes(check.name)) continue;
    const problems = await check.find(values.root, values.fix);
    console.log(`${problems.length === 0 ? "ok" : "FAILED"} ${check.name}: ${check.about}`);
    for (const problem of problems) console.log(`  ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
