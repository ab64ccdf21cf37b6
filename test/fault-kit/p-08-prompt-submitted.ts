import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { type Bench, program } from "./bench.ts";
import { openCmux, openTmux } from "./panes.ts";
import type { Scenario } from "./scenario.ts";

/** P-8: a prompt is typed but never submitted. */
export const promptSubmitted: Scenario = {
  number: "P-8",
  reported: "a prompt is typed into a terminal but never submitted, or taken apart on its way",
  faults: [
    {
      injected: "words and a prompt of 100 KB that a shell would take apart, after --",
      expected: "they arrive as they are, by argument list and standard input; nothing is run",
      run: passWords,
    },
    {
      injected: "the same in a provider's template, in paths and in values",
      isOnNodeAlone: true,
      expected: "they arrive as they are",
      run: passTemplate,
    },
    ...(["cli-wrapper", "tmux-pane", "cmux-pane"] as const).map((backend) => ({
      injected: `the same in a dispatched run over ${backend}`,
      expected: "the prompt arrives from its file; no key is sent to any terminal",
      run: (bench: Bench) => passOver(bench, backend),
    })),
  ],
};

const WORDS = [
  ...["", " ", "two words", "line\nfeed", "tab\tand\rmore", "'single' \"double\" `back`"],
  ...["$(touch stolen)", "`touch stolen`", "$HOME ${HOME} ~ *", "a;touch stolen", "a|b&c>d<e"],
  ...["\\ \\n \\", "--help", "-x", "--", "-", "zwölf 𝄞 \u202e", "{model}", "%s %n"],
  "x".repeat(100_000),
];
const ODD = "a b\n'c' \"d\" $(touch stolen) `e` ;f & -g";
const PROMPT =
  `**Result Path:** out/result.md\n\n$(touch stolen) \`touch stolen\`\r\n\t'"\\ %s --help\n${
    "𝄞 long lines and short ones\n".repeat(3500)
  }`;

function assertNothingStolen(...folders: readonly string[]): void {
  for (const folder of folders) assertEquals(readdirSync(folder).includes("stolen"), false);
}

async function passWords(bench: Bench): Promise<string> {
  bench.write({ "prompt.md": PROMPT, "out/.keep": "" });
  const run = ["okstra-wrapper-status", "run", "--prompt", "prompt.md", "--result", "out/r", "--"];
  const argv = [program("says-words.sh"), "out/r", ...WORDS];
  await bench.ok([...run, ...argv]);
  const parts = bench.read("out/r").split("\0");
  assertEquals(parts, [...WORDS, bench.project, PROMPT]);
  assertNothingStolen(bench.project);
  assertEquals(JSON.parse(bench.read("prompt.md.status.json")).argv, argv);
  return `${WORDS.length} words and ${PROMPT.length} characters of prompt, unchanged`;
}

async function passTemplate(bench: Bench): Promise<string> {
  const project = bench.at(`project ${ODD}`), prompt = `${project}/prompt ${ODD}.md`;
  const worktree = bench.at(`tree ${ODD}`), model = `m ${ODD}`, session = `s ${ODD}`;
  mkdirSync(worktree);
  const words = WORDS.filter((word) => word !== "{model}");
  const template = ["{model}", "{worktree}", "{promptPath}", "{sessionId}", "a={resultPath}"];
  const argv = [program("says-words.sh"), "{resultPath}", ...template, ...words];
  bench.write({
    [`project ${ODD}/prompt ${ODD}.md`]: PROMPT,
    [`project ${ODD}/out/.keep`]: "",
    [`project ${ODD}/.okstra/providers.json`]: JSON.stringify({
      schemaVersion: "1.0",
      providers: { odd: { argv } },
    }),
  });
  await bench.ok([
    ...["okstra-wrapper-status", "run", project, model, prompt, worktree, "analyser", ""],
    ...["--provider", "odd", "--session-id", session],
  ]);
  const result = `${project}/out/result.md`;
  const given = [model, worktree, prompt, session, `a=${result}`];
  const parts = readFileSync(result, "utf8").split("\0");
  assertEquals(parts, [...given, ...words, worktree, PROMPT]);
  assertNothingStolen(project, worktree);
  return `${given.length + words.length} words, unchanged`;
}

async function passOver(bench: Bench, backend: string): Promise<string> {
  const tmux = await openTmux(bench), cmux = openCmux(bench);
  const panes = backend === "tmux-pane" ? tmux : cmux;
  bench.env = { ...bench.env, ...(backend === "cli-wrapper" ? {} : panes.env) };
  const run = await bench.prepare(
    { alpha: [program("says-words.sh"), "{resultPath}", "{model}"] },
    ["--backend", backend, "--worker", `beta,provider=of-alpha,model=m ${ODD.replace("\n", " ")}`],
  );
  await bench.ok(["okstra-dispatch", "run", "--worker", "beta"]);
  const [row] = run.rows("beta");
  assertEquals([row.backendType, row.degradedFrom], [backend, ""]);
  const [model, , prompt] = readFileSync(run.resultPath("beta"), "utf8").split("\0");
  assertEquals(model, `m ${ODD.replace("\n", " ")}`);
  assertEquals(prompt, readFileSync(run.promptPath("beta"), "utf8"));
  if (backend === "cli-wrapper") assertStringIncludes(prompt!, "Look at the texts.");
  assertNothingStolen(bench.project);
  const words = [...tmux.words(), ...cmux.words()];
  assertEquals(
    words.filter((word) => /^(send|send-keys|send-key|paste-buffer|type)/.test(word)),
    [],
  );
  if (backend !== "cli-wrapper") {
    assertMatch(words.join(" "), /split-window|new-window|new-surface/);
  }
  await tmux.close();
  return backend === "cli-wrapper"
    ? "the prompt on standard input, from its file"
    : `of ${backend.split("-")[0]} only: ${[...new Set(panes.words())].sort().join(", ")}`;
}
