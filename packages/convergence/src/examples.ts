import type { ConvergenceGroups } from "@okstra/manifest-io/schemas/convergence-groups";
import type { ConvergenceResults } from "@okstra/manifest-io/schemas/convergence-results";
import type { CoverageBatch } from "@okstra/manifest-io/schemas/coverage-batch";
import type { CriticResults } from "@okstra/manifest-io/schemas/critic-results";

const TASK_KEY = "example/group/task";

const groups: ConvergenceGroups = {
  schemaVersion: "1.0",
  taskKey: TASK_KEY,
  workers: [
    { worker: "claude", provider: "claude" },
    { worker: "codex", provider: "codex" },
  ],
  groups: [
    {
      findingId: "F-001",
      summary: "The reader accepts a record without an end mark and drops its last field.",
      category: "correctness",
      ticketIds: ["TASK-001"],
      originEvidence: "The loop stops at the end of the text without looking at what is left.",
      evidenceArtifacts: [{
        path: "src/read-record.ts",
        locator: "40-52",
        excerpt: "The loop stops at the end of the text without looking at what is left.",
      }],
      originWorker: "claude",
      discoveredBy: ["claude"],
    },
    {
      findingId: "F-002",
      summary: "A failed write leaves the temporary file behind.",
      category: "robustness",
      ticketIds: [],
      originEvidence: "Nothing removes the file once the rename has thrown.",
      evidenceArtifacts: [{
        path: "src/write-record.ts",
        locator: "17",
        excerpt: "Nothing removes the file once the rename has thrown.",
      }],
      originWorker: "codex",
      discoveredBy: ["codex"],
    },
  ],
};

const roundResults: ConvergenceResults = {
  schemaVersion: "1.0",
  round: 1,
  dispatches: [
    { worker: "claude", status: "completed", durationMs: 1250 },
    { worker: "codex", status: "completed", durationMs: 980 },
  ],
  votesByFinding: {
    "F-001": {
      codex: {
        verdict: "agree",
        disagreeBasis: null,
        explanation: "A text cut after the third field came back with three fields and no error.",
      },
    },
    "F-002": {
      claude: {
        verdict: "supplement",
        disagreeBasis: null,
        explanation: "It holds, and a full disk leaves the file behind as well.",
      },
    },
  },
};

const candidate = {
  gapId: "G-001",
  summary: "Nobody looked at what happens when two writers run at once.",
  category: "missing",
  ticketIds: ["TASK-001"],
  originEvidence: "No finding names the lock, and the writer takes none.",
  evidenceArtifacts: [{
    path: "src/write-record.ts",
    locator: "1-30",
    excerpt: "No finding names the lock, and the writer takes none.",
  }],
};

const critic = { provider: "antigravity", modelExecutionValue: "gemini-3.1-pro" };

const criticResults: CriticResults = {
  schemaVersion: "1.0",
  taskKey: TASK_KEY,
  ...critic,
  candidates: [candidate],
};

// The critic's own provider is deliberately not among the dispatches: it does not judge its own gaps.
const coverageBatch: CoverageBatch = {
  schemaVersion: "1.0",
  taskKey: TASK_KEY,
  mode: "coverage",
  ...critic,
  dispatches: [
    { worker: "claude-worker", status: "completed", durationMs: 1250 },
    { worker: "codex-worker", status: "completed", durationMs: 980 },
  ],
  gaps: [{
    ...candidate,
    votes: {
      "claude-worker": {
        verdict: "agree",
        disagreeBasis: null,
        explanation: "The file is opened and renamed without a lock.",
      },
      "codex-worker": {
        verdict: "agree",
        disagreeBasis: null,
        explanation: "Two writers started together: one record was lost.",
      },
    },
  }],
};

/** One good document of each kind that people write by hand; together they tell one story. */
export const EXAMPLES = {
  "groups": groups,
  "round-results": roundResults,
  "critic-results": criticResults,
  "coverage-batch": coverageBatch,
} as const;
