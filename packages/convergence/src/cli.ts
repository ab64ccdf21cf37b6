import {
  type App,
  type Call,
  command,
  mutationOptions,
  type Option,
  readInput,
  resolveRunPath,
  runOptions,
  stripControl,
  UsageError,
} from "@okstra/kit/cli";
import type { FileName } from "./io/place.ts";
import type { Report } from "./report.ts";

type Values = Readonly<Record<string, unknown>>;
type RunCall = Call<{ "run-manifest": string | undefined }>;

/** Options that name a document; each defaults to the run's own. */
const file = (help: string): Option & { readonly type: "string" } => ({
  type: "string",
  value: "FILE",
  help: `${help} (default: the run's)`,
});
const groupsFile = file("Findings, each once, with the roster");
const workFile = file("Work state");
const planFile = file("Plan of the round");
const stateFile = file("Final state");
const resultsFile = file("Results of the round");
const skipReason = {
  type: "string",
  value: "TEXT",
  help: "Why round 2 is skipped although findings are contested",
} as const;
const modeOption = {
  type: "string",
  choices: ["adversarial", "collaborative"],
  required: true,
  help: "Way of asking: try to break each finding, or check and complete it",
} as const;

/**
 * Opens the place of a command's documents; the run may be left out if every document is named.
 *
 * @param findRun returns the run's manifest where neither option nor environment names it
 */
async function openPlace(
  call: Call<Values>,
  names: Readonly<Partial<Record<FileName, string>>>,
  needsRun = false,
  findRun: () => Promise<string> = () => resolveRunPath(call as RunCall),
) {
  const { openPlace } = await import("./io/place.ts");
  const given = Object.entries(names).map(([name, option]) => {
    const path = call.values[option] as string | undefined;
    return [name, path === undefined || path === "-" ? path : call.path(path)] as const;
  });
  const isComplete = !needsRun && given.every(([, path]) => path !== undefined);
  const isGiven = call.values["run-manifest"] !== undefined || Boolean(call.io.env("OKSTRA_RUN"));
  const place = openPlace({
    runManifestPath: isGiven
      ? await resolveRunPath(call as RunCall)
      : isComplete
      ? null
      : await findRun(),
    files: Object.fromEntries(given),
    readStdin: () => readInput(call, "-"),
  });
  const remark = place.run?.remark ?? null;
  if (remark !== null) call.io.err(`okstra-convergence: note: ${remark}\n`);
  return place;
}

const updateOptions = (values: { "if-revision": number | undefined; "lock-timeout": number }) => ({
  ifRevision: values["if-revision"],
  lockTimeoutMs: values["lock-timeout"] * 1000,
});

/** Prints what a command did, or the document itself if it was asked for on standard output. */
function finish(
  call: Call<Values>,
  { status, document }: { status: { readonly path: string }; document: unknown },
): void {
  if (status.path !== "-") return call.json(status);
  call.json(document);
  call.io.err(`${JSON.stringify(status)}\n`);
}

async function formatReport(report: Report, format: "text" | "markdown" | "html"): Promise<string> {
  switch (format) {
    case "text":
      return (await import("./report-text.ts")).formatReportText(report, stripControl);
    case "markdown":
      return (await import("./report-markdown.ts")).formatReportMarkdown(report);
    case "html":
      return (await import("./report-html.ts")).formatReportHtml(report);
  }
}

/** Command table of `okstra-convergence`. */
export const app: App = {
  name: "okstra-convergence",
  summary: "Takes the findings of several workers through rounds of verification to a final state",
  commands: {
    example: command({
      summary: "Print a good document of a kind that people write by hand",
      options: {
        kind: {
          type: "string",
          choices: ["groups", "round-results", "critic-results", "coverage-batch"],
          required: true,
          help: "Kind of the document",
        },
      },
      details:
        "groups feeds seed --groups; round-results feeds apply-round --results; coverage-batch feeds " +
        "apply-critic-gaps --results. critic-results feeds nothing and is refused by design: it is the " +
        "critic's own list, from which the lead builds a coverage-batch with the votes of the others. " +
        "Together the examples tell one story.",
      example: "okstra-convergence example --kind groups",
      run: async (call) => {
        const { EXAMPLES } = await import("./examples.ts");
        call.json(EXAMPLES[call.values.kind]);
      },
    }),

    "collect-findings": command({
      summary: "Collect the findings of the run's analysers into groups",
      options: {
        ...runOptions,
        result: {
          type: "string",
          value: "WORKER=FILE",
          multiple: true,
          help: "Result of a worker, instead of the one on record",
        },
        absent: {
          type: "string",
          value: "WORKER",
          multiple: true,
          help: "Worker without a result; it stays in the roster",
        },
        join: {
          type: "string",
          value: "W:F-001,W:F-002",
          multiple: true,
          help: "Findings of the results that are one and the same",
        },
        groups: groupsFile,
      },
      details:
        "A result without --result is that of the worker's last completed dispatch of kind initial, or the one " +
        "that is linked to the host's own. " +
        "near[] of the output lists findings of different workers that cite the same place in the same " +
        "category; only --join makes them one. Once seeded, the groups cannot change.",
      example: "okstra-convergence collect-findings --join alpha:F-001,beta:F-003",
      reads: ["the run manifest", "its team state", "the results of the workers"],
      writes: ["the groups"],
      run: async (call) => {
        const place = await openPlace(call, { groups: "groups" }, true);
        const { collectFindings } = await import("./io/collect-findings.ts");
        const { result, absent, join } = call.values, resolve = call.path;
        finish(call, collectFindings(place, { results: result, absent, joins: join, resolve }));
      },
    }),

    seed: command({
      summary: "Start a convergence from its groups",
      options: { ...runOptions, ...mutationOptions, groups: groupsFile, "work-state": workFile },
      details:
        "Roster, number of rounds and the digest of the groups are frozen. The same groups again change " +
        "nothing, others are refused.",
      example: "okstra-convergence seed",
      reads: ["the groups"],
      writes: ["the work state"],
      run: async (call) => {
        const place = await openPlace(call, { groups: "groups", "work-state": "work-state" });
        const { seed } = await import("./io/seed.ts");
        call.json(seed(place, updateOptions(call.values)));
      },
    }),

    "plan-round": command({
      summary: "Plan the next round: who is asked about what",
      options: { ...runOptions, "work-state": workFile, plan: planFile },
      details:
        "Round 1 asks about each finding everyone who did not report it, round 2 asks everyone about what " +
        "is contested. With nobody to ask the action is skipped, with the reason.",
      example: "okstra-convergence plan-round",
      exits: { 0: "The round is planned, or skipped" },
      reads: ["the work state"],
      writes: ["the plan of the round"],
      run: async (call) => {
        const place = await openPlace(call, { "work-state": "work-state", plan: "plan" });
        const { planRound } = await import("./io/rounds.ts");
        finish(call, planRound(place));
      },
    }),

    prompts: command({
      summary: "Write what the workers of the round are asked, and the batch to dispatch",
      options: { ...runOptions, mode: modeOption, "work-state": workFile, plan: planFile },
      details:
        "Advice: round 1 adversarial, round 2 collaborative. Each instruction gives the findings as text and, " +
        "for workers that are programs, once more as one block of JSON.",
      example: "okstra-convergence prompts --mode adversarial",
      reads: ["the work state", "the plan of the round"],
      writes: [
        "prompts/reverify-r<n>-<worker>-….md of the run",
        "state/reverify-r<n>-batch-….json of the run",
      ],
      run: async (call) => {
        const names = { "work-state": "work-state", plan: "plan" };
        const place = await openPlace(call, names, true);
        const { writePrompts } = await import("./io/prompts.ts");
        call.json(writePrompts(place, call.values.mode));
      },
    }),

    "collect-results": command({
      summary: "Read the round's answers as votes",
      options: {
        ...runOptions,
        mode: modeOption,
        await: {
          type: "string",
          value: "FILE",
          help: "Summary that okstra-dispatch run or await printed for this round, - for stdin",
        },
        dispatch: {
          type: "string",
          value: "WORKER=STATUS:MS",
          multiple: true,
          help: "What became of a worker, and how long it took, instead of --await",
        },
        result: {
          type: "string",
          value: "WORKER=FILE",
          multiple: true,
          help: "Answer of a worker, with --dispatch",
        },
        "on-invalid": {
          type: "string",
          choices: ["refuse", "absent"],
          default: "refuse",
          help: "Refuse a broken answer, or count its votes as absent",
        },
        plan: planFile,
        output: resultsFile,
      },
      details:
        "An absent vote is neither yes nor no. Statuses: completed, timeout, error, not-run. With --await - " +
        "the run may be that of the summary.",
      example: "okstra-convergence collect-results --mode adversarial --await await.json",
      reads: ["the plan of the round", "the await summary", "the answers of the workers"],
      writes: ["the results of the round"],
      run: async (call) => {
        const { values } = call;
        const isNamed = values.dispatch.length + values.result.length > 0;
        if (values.await === undefined && values.dispatch.length === 0) {
          throw new UsageError("Either --await or --dispatch must say what became of the workers");
        }
        if (values.await !== undefined && isNamed) {
          throw new UsageError("--await cannot stand beside --dispatch and --result");
        }
        const { collectResults, readSummaryRun } = await import("./io/collect-results.ts");
        const path = values.await;
        const bytes = path === "-" ? readInput(call, path) : null;
        const summary = path === undefined
          ? null
          : { path: path === "-" ? path : call.path(path), bytes };
        const names = { plan: "plan", results: "output" };
        const place = bytes === null ? await openPlace(call, names) : await openPlace(
          call,
          names,
          false,
          () => Promise.resolve(call.path(readSummaryRun(bytes))),
        );
        finish(
          call,
          collectResults(place, {
            mode: values.mode,
            onInvalid: values["on-invalid"],
            summary,
            dispatches: values.dispatch,
            results: values.result,
            resolve: call.path,
          }),
        );
      },
    }),

    "apply-round": command({
      summary: "Apply the round's results to the work state",
      options: {
        ...runOptions,
        ...mutationOptions,
        "work-state": workFile,
        plan: planFile,
        results: resultsFile,
      },
      details:
        "The same results again change nothing (already-applied), others for that round are refused.",
      example: "okstra-convergence apply-round",
      reads: ["the plan of the round", "the results of the round"],
      writes: ["the work state, under its lock"],
      run: async (call) => {
        const names = { "work-state": "work-state", plan: "plan", results: "results" };
        const place = await openPlace(call, names);
        const { applyRound } = await import("./io/apply-round.ts");
        call.json(applyRound(place, updateOptions(call.values)));
      },
    }),

    "apply-critic-gaps": command({
      summary: "Apply a critic's gaps, with the votes on them, to the work state",
      options: {
        ...runOptions,
        ...mutationOptions,
        "work-state": workFile,
        results: file("Coverage batch"),
        "round2-skipped-reason": skipReason,
      },
      details:
        "Takes the coverage batch that the lead builds from the critic's candidates and the votes of the " +
        "other providers' workers; a critic's own document is refused. No round follows. The same batch " +
        "again changes nothing (already-applied), another is refused.",
      example: "okstra-convergence apply-critic-gaps --results batch.json",
      reads: ["the coverage batch"],
      writes: ["the work state, under its lock"],
      run: async (call) => {
        const names = { "work-state": "work-state", coverage: "results" };
        const place = await openPlace(call, names);
        const { applyGaps } = await import("./io/apply-gaps.ts");
        const reason = call.values["round2-skipped-reason"] ?? null;
        call.json(applyGaps(place, { ...updateOptions(call.values), reason }));
      },
    }),

    finalize: command({
      summary: "Write the final state",
      options: {
        ...runOptions,
        ...mutationOptions,
        "work-state": workFile,
        state: stateFile,
        "round2-skipped-reason": skipReason,
        force: { type: "boolean", help: "Replace another final state" },
      },
      details:
        "Refused while a round is pending; round 2 may be skipped with a reason, which is recorded.",
      example: "okstra-convergence finalize",
      reads: ["the work state"],
      writes: ["the final state", "the work state, if a reason is given"],
      run: async (call) => {
        const place = await openPlace(call, { "work-state": "work-state", state: "state" });
        const { finalize } = await import("./io/finalize.ts");
        const { force } = call.values, reason = call.values["round2-skipped-reason"] ?? null;
        finish(call, finalize(place, { ...updateOptions(call.values), reason, force }));
      },
    }),

    validate: command({
      summary: "Check a final state by every rule",
      options: { ...runOptions, state: stateFile },
      example: "okstra-convergence validate",
      exits: { 0: "The final state is valid", 1: "It is not; issues tell why" },
      reads: ["the final state"],
      run: async (call) => {
        const place = await openPlace(call, { state: "state" });
        const { validate } = await import("./io/finalize.ts");
        const answer = validate(place);
        call.json(answer);
        return answer.issues.length === 0 ? 0 : 1;
      },
    }),

    status: command({
      summary: "Tell where the convergence stands and what comes next",
      options: { ...runOptions },
      example: "okstra-convergence status",
      reads: ["the groups, the work state, plan, results and final state of the run"],
      run: async (call) => {
        const place = await openPlace(call, {}, true);
        const { status } = await import("./io/report.ts");
        call.json(status(place));
      },
    }),

    report: command({
      summary: "Report what became of every finding",
      options: {
        ...runOptions,
        "work-state": workFile,
        state: stateFile,
        format: {
          type: "string",
          choices: ["json", "text", "markdown", "html"],
          default: "json",
          help: "Data, text for a terminal, Markdown, or one page that needs nothing else",
        },
      },
      details:
        "Without a final state the report tells how far the work state has come. The figures of agreement " +
        "inform only: nothing depends on them.",
      example: "okstra-convergence report --format html >report.html",
      reads: ["the final state, else the work state"],
      run: async (call) => {
        const isWork = call.values["work-state"] !== undefined && call.values.state === undefined;
        const names = isWork ? { "work-state": "work-state" } : { state: "state" };
        const place = await openPlace(call, names);
        const { report } = await import("./io/report.ts");
        const { runFields } = await import("./io/place.ts");
        const told = report(place);
        if (call.values.format === "json") return call.json({ ...runFields(place), ...told });
        call.io.out(await formatReport(told, call.values.format));
      },
    }),

    replay: command({
      summary: "Go through the convergence again and compare what comes out",
      options: {
        ...runOptions,
        groups: groupsFile,
        "work-state": workFile,
        state: stateFile,
        input: {
          type: "string",
          value: "FILE",
          multiple: true,
          help: "Further input that was applied: groups, plan, results or coverage batch",
        },
      },
      details:
        "Inputs are found by the digests on record, among the run's own documents, the copies that it kept of " +
        "inputs with other names, and --input. Work state and final state must come out the same, the final " +
        "state to the byte.",
      example: "okstra-convergence replay",
      exits: {
        0: "Everything came out the same",
        1: "Something differs, or an input is not there; issues tell what",
      },
      reads: ["groups, plans, results and coverage batch", "the work state", "the final state"],
      run: async (call) => {
        const { values } = call;
        const named = (["work-state", "state"] as const).filter((name) =>
          values[name] !== undefined
        );
        const names = named.length > 0 ? named : ["work-state", "state"] as const;
        const place = await openPlace(call, {
          groups: "groups",
          ...Object.fromEntries(names.map((name) => [name, name])),
        });
        const { replay } = await import("./io/replay.ts");
        const inputs = values.input.map((path) =>
          path === "-"
            ? { path, bytes: readInput(call, path) }
            : { path: call.path(path), bytes: null }
        );
        const answer = replay(place, inputs);
        call.json(answer);
        return answer.issues.length === 0 ? 0 : 1;
      },
    }),
  },
};
