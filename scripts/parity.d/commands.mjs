// Single commands with right and wrong input, told one after another in one project.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const RUNS = ".okstra/tasks/parity/of/runtimes/runs/analysis";
const RUN = `${RUNS}/manifests/run-manifest-analysis-001.json`;
const STATE = `${RUNS}/state/team-state-analysis-001.json`;
const PROMPT = `${RUNS}/prompts/alpha-worker-prompt-analysis-001.md`;

/** Files of the project, by relative path. */
const FILES = {
  "brief.md": "Look at “this”, and at 漢字, naïvely.\n",
  "providers.json": JSON.stringify({
    schemaVersion: "1.0",
    providers: {
      echo: { argv: ["sh", "-c", 'cat; echo done >"$1"', "sh", "{resultPath}"] },
      fails: { argv: ["sh", "-c", "echo trouble >&2; exit 7"], stdin: "none" },
    },
  }),
  "cut.json": '{"a": [1, 2,\n  {"b": tru',
  "double.json": '{"a": 1, "a": 2}',
  "big.json": '{"n": 12345678901234567890}',
  "deep.json": "[".repeat(600) + "]".repeat(600),
  "latin.json": Buffer.from([0x7b, 0x22, 0xe4, 0x22, 0x3a, 0x31, 0x7d]),
  "empty.json": "",
  "list.json": "[1, 2, 3]\n",
  "keys.json": '{"ﬀ": 1, "𝒳": 2, "z": 3, "é": 4, "\\u0000": 5, "__proto__": 6}\n',
  "sub/other.json": '{"schemaVersion": "9", "workers": {}, "taskKey": 4}\n',
};

const row = (id, more = {}) =>
  JSON.stringify({
    ...{ schemaVersion: "2.0", executionIdentityVersion: 2, participantRef: "p/alpha" },
    ...{ roleExecutionRef: "re/alpha/analyser", executionLabel: "alpha", dutyId: "analysis" },
    ...{ invocationRef: id, dispatchId: `${id}:attempt-1`, assignmentRef: "initial/alpha" },
    ...{ kind: "reverify-r1", attempt: 1, status: "running", backendType: "cli-wrapper" },
    ...{ promptPath: `${RUNS}/prompts/${id}.md`, resultPath: `${RUNS}/worker-results/${id}.md` },
    ...{ completionPaths: [], promptMetadataPath: "", sessionId: "", paneId: "", ...more },
  });

const m = "manifest-io", t = "team-state", w = "wrapper-status", d = "dispatch";
const c = "convergence", g = "discussion";

/** The commands: tool, words, and standard input. */
export const COMMANDS = [
  ...[m, t, w, d, c, g].flatMap((tool) => [
    [tool, ["--version"]],
    [tool, ["--help"]],
    [tool, []],
    [tool, ["shwo"]],
    [tool, ["show", "--no-such-option"]],
    [tool, ["completions", "bash"]],
    [tool, ["completions", "tcsh"]],
  ]),
  [m, ["prepare", "--task-key", "parity/of/runtimes"]],
  [m, [
    "prepare",
    "--task-key",
    "a/../c",
    "--task-type",
    "analysis",
    "--brief",
    "brief.md",
    "--worker",
    "x",
  ]],
  [m, [
    ...[
      "prepare",
      "--task-key",
      "parity/of/runtimes",
      "--task-type",
      "analysis",
      "--brief",
      "brief.md",
    ],
    ...["--provider-file", "providers.json", "--backend", "cli-wrapper"],
    ...["--worker", "alpha,provider=echo", "--worker", "beta,provider=fails,model=m-1"],
  ]],
  [m, ["show", "--run-manifest", RUN]],
  [m, ["get", "--raw", RUN, "/taskKey", "/workerAssignments/1/model", "/nothing"]],
  ...["cut", "double", "big", "deep", "latin", "empty", "list", "keys", "none"].flatMap((name) => [
    [m, ["get", `${name}.json`, "/a"]],
    [m, ["validate", "team-state", `${name}.json`]],
    [m, ["get", `${name}.json`, "/a", "--errors", "json"]],
  ]),
  [m, ["validate", "team-state", "sub/other.json", STATE]],
  [m, ["schema"]],
  [m, ["schema", "team-state"]],
  [m, ["schema", "no-such"]],
  [m, ["update", "team-state", STATE, "--merge", '{"note": "ünï", "workers": 4}']],
  [m, ["update", "team-state", STATE, "--merge", '{"note": "ünï"}', "--if-revision", "1"]],
  [m, ["update", "team-state", STATE, "--merge", '{"note": "no"}', "--if-revision", "1"]],
  [
    m,
    ["update", "team-state", STATE, "--patch", "-"],
    '[{"op": "test", "path": "/note", "value": "x"}]',
  ],
  [m, ["update", "team-state", STATE, "--patch", "-"], '[{"op": "remove", "path": "/note"}]'],
  [m, ["write", "team-state", "written.json"], "{}"],
  [m, ["with-lock", STATE, "--", "sh", "-c", "echo locked; exit 5"]],
  [m, ["context-cost", "--run-manifest", RUN]],
  [t, ["show", "--run-manifest", RUN, "--format", "text"]],
  [t, ["show", "--run-manifest", "none.json"]],
  [t, ["show"], ""],
  [t, ["worker", "set", "--run-manifest", RUN, "--worker", "alpha", "--status", "in-progress"]],
  [t, ["worker", "set", "--run-manifest", RUN, "--worker", "alhpa", "--status", "in-progress"]],
  [t, ["worker", "set", "--run-manifest", RUN, "--worker", "alpha", "--status", "done"]],
  [t, ["dispatch", "append", "--run-manifest", RUN], `${row("look-1")}\n${row("look-2")}\n`],
  [t, ["dispatch", "append", "--run-manifest", RUN], `${row("look-3")}\n{"a": \n`],
  [t, ["dispatch", "append", "--run-manifest", RUN], row("look-3", { attempt: 0, status: 5 })],
  [t, ["dispatch", "running", "--run-manifest", RUN]],
  ...["look-1", "look-2", "look-3"].map((id) => [t, [
    ...["dispatch", "settle", "--run-manifest", RUN, "--prompt", `${RUNS}/prompts/${id}.md`],
    ...["--attempt", "1", "--status", "error", "--reason", "was\u001b[31m given up"],
  ]]),
  [t, ["usage", "--run-manifest", RUN]],
  [w, ["paths", "prompts/x.md"]],
  [w, ["read", "prompts/x.md"]],
  [w, [
    "run",
    "--prompt",
    "brief.md",
    "--result",
    "out.txt",
    "--",
    "sh",
    "-c",
    "echo hi; echo there >out.txt",
  ]],
  [w, ["run", "--prompt", "brief.md", "--result", "none.txt", "--", "sh", "-c", "exit 0"]],
  [w, ["run", "--prompt", "brief.md", "--", "sh", "-c", "kill -KILL $$"]],
  [w, ["run", "--prompt", "brief.md", "--", "no-such-program"]],
  [w, ["run", "--prompt", "none.md", "--", "true"]],
  [w, ["read", "brief.md"]],
  [w, ["explain", "brief.md"]],
  [w, ["liveness", "--run-manifest", RUN]],
  [d, ["plan", "--run-manifest", RUN]],
  [d, ["plan", "--run-manifest", RUN, "--worker", "gamma"]],
  [d, ["run", "--run-manifest", RUN, "--parallel", "1", "--heartbeat", "0"]],
  [d, ["run", "--run-manifest", RUN, "--parallel", "1", "--heartbeat", "0"]],
  [d, ["why", "--run-manifest", RUN, "--worker", "beta"]],
  [d, ["teardown", "--run-manifest", RUN]],
  [w, ["explain", PROMPT]],
  [m, ["validate-run", "--run-manifest", RUN]],
  ...["groups", "round-results", "no-such"].map((kind) => [c, ["example", "--kind", kind]]),
  [c, ["status", "--run-manifest", RUN]],
  [c, ["collect-findings", "--run-manifest", RUN]],
  [c, ["validate", "--state", "keys.json"]],
  [g, ["status", "--task-key", "parity/of/runtimes"]],
  [g, [
    "ask",
    "--task-key",
    "parity/of/runtimes",
    "--author",
    "user",
    "--to",
    "user",
    "--text",
    "why?",
  ]],
  [g, [
    "confirm-subject",
    "--task-key",
    "parity/of/runtimes",
    "--subject",
    "漢字",
    "--question",
    "Où?",
  ]],
  [
    g,
    ["add-material", "--task-key", "parity/of/runtimes", "--kind", "evidence", "--text", "-"],
    "a\r\nb\u2028c\n",
  ],
  [g, [
    "add-material",
    "--task-key",
    "parity/of/runtimes",
    "--kind",
    "evidence",
    "--text",
    "say\u0007 this",
  ]],
  [g, ["decide", "--task-key", "parity/of/runtimes", "--text", "so it is", "--settles", "C-0001"]],
  [g, ["show", "--task-key", "parity/of/runtimes"]],
  [g, ["log", "--task-key", "parity/of/runtimes"]],
  [g, ["verify", "--task-key", "parity/of/runtimes"]],
  [g, ["replay", "--task-key", "parity/of/runtimes"]],
];

/** Writes the files that the commands read. */
export function writeFiles(project) {
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(join(project, path, ".."), { recursive: true });
    writeFileSync(join(project, path), content);
  }
}
