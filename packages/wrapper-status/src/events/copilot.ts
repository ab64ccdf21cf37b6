import { troubleOf } from "./classify.ts";
import {
  type AgentEvent,
  type Findings,
  numberAt,
  shorten,
  textAt,
  valueAt,
  withMessage,
  withoutTrouble,
} from "./findings.ts";

/**
 * Adds one event of `copilot --output-format json`, which tells no tokens.
 *
 * Every failed call is told; the last one before `session.error` says more about the cause than that does.
 */
export function foldCopilotEvent(findings: Findings, event: AgentEvent): Findings {
  switch (textAt(event, "type")) {
    case "model.call_failure":
      return { ...findings, trouble: readFailure(event) };
    case "session.error": {
      const trouble = troubleOf({
        message: textAt(event, "data", "message"),
        status: numberAt(event, "data", "statusCode"),
        code: textAt(event, "data", "errorType"),
        isTerminal: true,
      });
      const { failureClass } = findings.trouble ?? trouble;
      return { ...findings, trouble: { ...trouble, failureClass } };
    }
    case "assistant.message":
      return withMessage(withoutTrouble(findings), textAt(event, "data", "content"));
    case "tool.execution_complete": {
      const message = textAt(event, "data", "error", "message");
      const isDenied = valueAt(event, "data", "success") === false &&
        /denied|permission|not allowed|reject/i.test(
          `${textAt(event, "data", "error", "code")} ${message}`,
        );
      return isDenied ? { ...findings, denial: shorten(message) } : findings;
    }
    case "result":
      return { ...findings, sessionId: textAt(event, "sessionId") || findings.sessionId };
  }
  return findings;
}

function readFailure(event: AgentEvent): Findings["trouble"] {
  const text = textAt(event, "data", "errorMessage");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch { /* plain words */ }
  return troubleOf({
    message: typeof body === "string" ? body : textAt(body, "message") || text,
    status: numberAt(event, "data", "statusCode"),
    code: textAt(body, "code") || textAt(event, "data", "errorCode"),
    isTerminal: false,
  });
}
