import type { Scenario } from "./scenario.ts";
import { twoWriters } from "./p-01-two-writers.ts";
import { lostUpdates } from "./p-02-lost-updates.ts";
import { powerLoss } from "./p-03-power-loss.ts";
import { healthyWorker } from "./p-04-healthy-worker.ts";
import { deadWorker } from "./p-05-dead-worker.ts";
import { silentWorker } from "./p-06-silent-worker.ts";
import { processIdentity } from "./p-07-process-identity.ts";
import { promptSubmitted } from "./p-08-prompt-submitted.ts";
import { openStdin } from "./p-09-open-stdin.ts";
import { exitZero } from "./p-10-exit-0.ts";
import { brokenAnswer } from "./p-11-broken-answer.ts";
import { endlessReview } from "./p-12-endless-review.ts";
import { sameFinding } from "./p-13-same-finding.ts";
import { rateLimit } from "./p-14-rate-limit.ts";
import { runawayRetries } from "./p-15-runaway-retries.ts";
import { staleMessage } from "./p-16-stale-message.ts";
import { restart } from "./p-17-restart.ts";
import { reboot } from "./p-18-reboot.ts";
import { deadline } from "./p-19-deadline.ts";
import { leftChildren } from "./p-20-left-children.ts";
import { paneTargets } from "./p-21-pane-targets.ts";
import { screen } from "./p-22-screen.ts";
import { openQuestions } from "./p-23-open-questions.ts";
import { jsonAndLogs } from "./p-24-json-and-logs.ts";
import { nothingRan } from "./p-25-nothing-ran.ts";

/** Every scenario, in the order of its number. */
export const SCENARIOS: readonly Scenario[] = [
  twoWriters,
  lostUpdates,
  powerLoss,
  healthyWorker,
  deadWorker,
  silentWorker,
  processIdentity,
  promptSubmitted,
  openStdin,
  exitZero,
  brokenAnswer,
  endlessReview,
  sameFinding,
  rateLimit,
  runawayRetries,
  staleMessage,
  restart,
  reboot,
  deadline,
  leftChildren,
  paneTargets,
  screen,
  openQuestions,
  jsonAndLogs,
  nothingRan,
];
