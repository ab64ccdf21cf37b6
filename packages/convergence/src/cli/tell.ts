import {
  command,
  completeRun,
  readInput,
  runOptions,
  stripControl,
  UsageError,
} from "@okstra/kit/cli";
import type { Report } from "../report.ts";
import { groupsFile, openPlace, stateFile, workFile } from "./options.ts";

/** Commands that tell of a convergence, and change nothing. */
export const commands = {
  status: command({
    summary: "Tell where the convergence stands and what comes next",
    options: { ...runOptions },
    example: "okstra-convergence status",
    reads: ["the groups, the work state, plan, results and final state of the run"],
    run: async (call) => {
      const place = await openPlace(call, {}, true);
      const { status } = await import("../io/status.ts");
      const told = status(place);
      call.json({ ...told, next: told.next && completeRun(call.io, told.next) });
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
      const isWork = call.values["work-state"] !== undefined;
      if (isWork && call.values.state !== undefined) {
        throw new UsageError("--work-state cannot stand beside --state");
      }
      const names = isWork ? { "work-state": "work-state" } : { state: "state" };
      const place = await openPlace(call, names);
      const { report } = await import("../io/report.ts");
      const { runFields } = await import("../io/place.ts");
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
      const named = (["work-state", "state"] as const).filter((name) => values[name] !== undefined);
      const names = named.length > 0 ? named : ["work-state", "state"] as const;
      const place = await openPlace(call, {
        groups: "groups",
        ...Object.fromEntries(names.map((name) => [name, name])),
      });
      const { replay } = await import("../io/replay.ts");
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
};

async function formatReport(report: Report, format: "text" | "markdown" | "html"): Promise<string> {
  switch (format) {
    case "text":
      return (await import("../report-text.ts")).formatReportText(report, stripControl);
    case "markdown":
      return (await import("../report-markdown.ts")).formatReportMarkdown(report);
    case "html":
      return (await import("../report-html.ts")).formatReportHtml(report);
  }
}
