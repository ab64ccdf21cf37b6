import type { App } from "./command.ts";
import { nearest } from "../nearest.ts";
import { formatJsonLine } from "./escape-control.ts";
import { stripControl } from "./strip-control.ts";
import { UsageError } from "./usage-error.ts";
import { isUnusableName, reasonText } from "../host/system-error.ts";

/** One problem of a document, as errors carry them in `issues`. */
interface Issue {
  readonly file?: string;
  readonly pointer?: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** An error as it is printed. */
interface Report {
  readonly exitCode: number;
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly issues: readonly Issue[];
  readonly stack?: string;
}

/**
 * Returns the exit status of an error and the text that tells it: one line `error:`, one line for each issue and one
 * line `hint:`, or a JSON object with `code`, `message`, `hint` and `issues`.
 */
export function formatError(
  app: App,
  commandName: string | undefined,
  error: unknown,
  { form, completeHint }: {
    readonly form: "text" | "json";
    /** Puts into the commands of a hint what names the run, and says where its name comes from. */
    readonly completeHint: (hint: string, message: string) => string;
  },
): { exitCode: number; text: string } {
  const described = describe(app, commandName, error);
  const { hint, message } = described;
  const report = { ...described, hint: hint && completeHint(hint, message) };
  if (form === "json") {
    const { exitCode, code, issues, stack } = report;
    const shown = { code, message, hint: report.hint, issues, stack };
    return { exitCode, text: formatJsonLine(shown) };
  }
  let text = `${app.name}: error: ${stripControl(report.message)}\n`;
  for (const issue of report.issues) text += `  ${formatIssue(issue)}\n`;
  if (report.hint) text += `${app.name}: hint: ${stripControl(report.hint)}\n`;
  if (report.stack) text += `${stripControl(report.stack, { keepLines: true })}\n`;
  return { exitCode: report.exitCode, text };
}

function formatIssue(issue: Issue): string {
  const { file, pointer, line, column } = issue;
  const position = line === undefined ? "" : `${line}${column === undefined ? "" : `:${column}`}`;
  const place = [[file, position].filter(Boolean).join(":"), pointer].filter(Boolean).join(" ");
  return stripControl(place ? `${place}: ${issue.message}` : issue.message);
}

function describe(app: App, commandName: string | undefined, error: unknown): Report {
  const { code, exitCode, hint, issues } = Object(error) as Record<string, unknown>;
  const known = {
    message: error instanceof Error ? error.message : String(error),
    hint: typeof hint === "string" ? hint : null,
    issues: Array.isArray(issues) ? issues as Issue[] : [],
  };
  if (error instanceof UsageError) {
    return { ...known, exitCode: 2, code: error.code, hint: usageHint(app, commandName, error) };
  }
  if (typeof exitCode === "number" && error instanceof Error) {
    return { ...known, exitCode, code: typeof code === "string" ? code : "failed" };
  }
  if (error instanceof Error && typeof code === "string" && /^E[A-Z0-9]+$/.test(code)) {
    const status = isUnusableName(code) ? 2 : 4;
    return { ...known, exitCode: status, code, message: systemMessage(error, code) };
  }
  if (error instanceof Error && error.name === "NotCapable") {
    const hint = "Start the tool with deno run --allow-all";
    return {
      ...known,
      exitCode: 4,
      code: "EACCES",
      hint,
      message: "Deno was not given a permission",
    };
  }
  return {
    ...known,
    exitCode: 70,
    code: "defect",
    message: `This is a defect of ${app.name}: ${known.message}`,
    hint: "Please report it with the lines below",
    stack: error instanceof Error ? error.stack ?? "" : "",
  };
}

/** An error that came from the runtime, not through the host's functions, gets the same form as theirs. */
function systemMessage(error: Error, code: string): string {
  const { path, syscall } = error as { path?: unknown; syscall?: unknown };
  if (error.message.startsWith("Cannot ")) return error.message;
  const object = typeof path === "string" ? ` "${path}"` : "";
  return `Cannot ${typeof syscall === "string" ? syscall : "use"}${object}: ${reasonText(code)}`;
}

function usageHint(app: App, commandName: string | undefined, error: UsageError): string {
  if (error.hint !== undefined) return error.hint;
  const near = error.unknown && nearest(error.unknown.word, error.unknown.known);
  const help = `Try '${app.name}${commandName ? ` ${commandName}` : ""} --help'`;
  return near ? `Did you mean "${near}"? ${help}` : help;
}
