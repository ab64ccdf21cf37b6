import { troubleOf } from "./classify.ts";
import {
  type AgentEvent,
  type Findings,
  numberAt,
  textAt,
  valueAt,
  withMessage,
  withoutTrouble,
} from "./findings.ts";

/** Adds one event of `copilot --output-format json`, which tells no tokens. */
export function foldCopilotEvent(findings: Findings, event: AgentEvent): Findings {
  switch (textAt(event, "type")) {
    case "model.call_failure":
    case "session.error":
      return {
        ...findings,
        trouble: troubleOf({
          message: textAt(event, "data", "message") || textAt(event, "data", "errorMessage"),
          status: numberAt(event, "data", "statusCode"),
          code: textAt(event, "data", "errorType"),
          isTerminal: textAt(event, "type") === "session.error",
        }),
      };
    case "assistant.message":
      return withMessage(withoutTrouble(findings), textAt(event, "data", "content"));
    case "result":
      return { ...findings, sessionId: textAt(event, "sessionId") || findings.sessionId };
  }
  return valueAt(event, "data") === undefined ? findings : findings;
}
