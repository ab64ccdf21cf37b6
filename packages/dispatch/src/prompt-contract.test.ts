import { describe, it } from "node:test";
import { assertEquals } from "@std/assert";
import { promptProblems } from "./prompt-contract.ts";
import { makeJob } from "./test-jobs.ts";

const job = makeJob();
const HEADERS = `**Project Root:** ${job.projectRoot}\n**Result Path:** ${job.resultPath}\n`;
const FIRST = `# alpha\n\n${HEADERS}\n## Evidence ledger\n\nKeep one.\n`;
const VERIFY = `# alpha\n\n${HEADERS}**Model:** m-1\n\nNever touch\nthe sources.\n`;
const first = (text: string, change = {}) =>
  promptProblems(text, { job: { ...job, ...change }, forbiddenActions: null });
const verify = (text: string) =>
  promptProblems(text, { job, forbiddenActions: "Never touch the sources." });

describe("promptProblems()", () => {
  it("promptProblems() finds nothing in a good first prompt and a good verification prompt (D-031, D-032)", () => {
    assertEquals([first(FIRST), verify(VERIFY)], [[], []]);
  });

  it("promptProblems() misses headers, and names those that say something else (D-031)", () => {
    assertEquals(first("## Evidence ledger\n"), [
      'header "Project Root" is missing',
      'header "Result Path" is missing',
    ]);
    assertEquals(first(FIRST.replace("/p\n", "/q\n")), [
      'header "Project Root" is "/q", expected "/p"',
    ]);
    assertEquals(first(`${FIRST}**Model:** m-2\n`), ['header "Model" is "m-2", expected "m-1"']);
  });

  it("promptProblems() wants the evidence ledger in a first prompt (D-031)", () => {
    assertEquals(first(FIRST.replace("## Evidence ledger", "Evidence ledger")), [
      'it has no section "Evidence ledger"',
    ]);
  });

  it("promptProblems() wants the worktree and the pointer of a report writer where there are any (D-031, M-012)", () => {
    assertEquals(first(FIRST, { worktreePath: "/w" }), ['header "Worktree" is missing']);
    assertEquals(first(FIRST, { workerResultPath: "/p/other.md" }), [
      'header "Worker Result Path" is missing',
    ]);
  });

  it("promptProblems() wants model and forbidden actions in a verification prompt (D-032)", () => {
    assertEquals(verify(VERIFY.replace("m-1", "m-l")), [
      'header "Model" is "m-l", expected "m-1"',
    ]);
    assertEquals(verify(VERIFY.replace("**Model:** m-1\n", "")), ['header "Model" is missing']);
    assertEquals(verify(VERIFY.replace("Never", "Always")), [
      "it does not hold the forbidden actions of the run",
    ]);
  });
});
