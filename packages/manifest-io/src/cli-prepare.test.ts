import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { listTree } from "../../../test/prepared-run.ts";
import { list, PREPARE, project, PROVIDERS, run } from "./test-cli.ts";

describe("okstra-manifest-io prepare", () => {
  it("writes a whole run and prints where it is (M-026, M-015)", async () => {
    const root = project();
    const { status, stdout, stderr } = await run(root, PREPARE);
    assertEquals([status, stderr], [0, ""]);
    const result = JSON.parse(stdout);
    assertEquals(result.runSequence, "001");
    const manifest = JSON.parse(readFileSync(result.runManifestPath, "utf8"));
    assertEquals(manifest.createdAt, "2026-01-31T09:05:00Z");
    assertEquals(manifest.terminalBackend, "cli-wrapper");
    assertEquals(manifest.projectRoot, root);
    assertEquals(manifest.workerAssignments, [
      { workerId: "alpha", provider: "lint-a", model: "rules", role: "analyser" },
      { workerId: "codex", provider: "codex", model: "o9", role: "analyser" },
    ]);
    const state = JSON.parse(readFileSync(result.paths.teamState, "utf8"));
    assertEquals(state.workers.map((worker: { status: string }) => worker.status), [
      "not-run",
      "not-run",
    ]);
    assertEquals(readFileSync(result.paths.brief, "utf8"), "Find the faults of src.\n");
    const kinds = [
      ["run-manifest", result.runManifestPath],
      ["team-state", result.paths.teamState],
      ["execution-manifest", result.paths.executionManifest],
      ["active-run-context", result.paths.activeRunContext],
      ["task-manifest", result.paths.taskManifest],
    ];
    for (const [kind, file] of kinds) {
      assertEquals((await run(root, ["validate", kind!, file!])).status, 0, kind);
    }
  });

  it("gives the next run the next number and keeps each run's brief (M-013)", async () => {
    const root = project();
    await run(root, PREPARE);
    writeFileSync(join(root, "brief.md"), "Again.");
    const second = JSON.parse((await run(root, PREPARE)).stdout);
    assertEquals(second.runSequence, "002");
    const task = JSON.parse(readFileSync(second.paths.taskManifest, "utf8"));
    assertEquals(task.runs.map((row: { runSequence: string }) => row.runSequence), ["001", "002"]);
    const states = join(second.paths.runDirectory, "state");
    assertEquals(readFileSync(join(states, "task-brief-discussion-001.md"), "utf8").length, 24);
    assertEquals(readFileSync(join(states, "task-brief-discussion-002.md"), "utf8"), "Again.\n");
  });

  it("overwrites what an interrupted call left, since the manifest is the commit point (P-3)", async () => {
    const root = project();
    const first = JSON.parse((await run(root, PREPARE)).stdout);
    rmSync(first.runManifestPath);
    writeFileSync(first.paths.teamState, "{ cut");
    const again = JSON.parse((await run(root, PREPARE)).stdout);
    assertEquals(again.runManifestPath, first.runManifestPath);
    const task = JSON.parse(readFileSync(again.paths.taskManifest, "utf8"));
    assertEquals(task.runs.length, 1);
    assertEquals((await run(root, ["validate", "team-state", again.paths.teamState])).status, 0);
  });

  it("refuses bad input with an error and a hint, and writes nothing (M-002, D-004, D-005)", async () => {
    const cases: readonly (readonly [RegExp, (argv: string[]) => string[]])[] = [
      [/nowhere\.md": no such file/, (a) => a.map((x) => x.replace("brief.md", "nowhere.md"))],
      [/the brief is empty/, (a) => a.map((x) => x.replace("brief.md", "empty.md"))],
      [
        /"latin\.md" as task brief: it is not UTF-8/,
        (a) => a.map((x) => x.replace("brief.md", "latin.md")),
      ],
      [/--brief is missing/, (a) => a.filter((x) => !x.startsWith("--brief"))],
      [
        /two workers are named "alpha"/,
        (a) => [...a, "--worker=Alpha,provider=lint-a"].map((x) => x.replace("Alpha", "alpha")),
      ],
      [/two workers are named "Alpha"/, (a) => [...a, "--worker=Alpha,provider=lint-a"]],
      [
        /"demo\/review" as task key: it has 2 segments/,
        (a) => a.map((x) => x.replace("demo/review/src", "demo/review")),
      ],
      [/segment "\.\." is not a name/, (a) => a.map((x) => x.replace("demo/", "../"))],
      [
        /"lint-z" as provider: no such provider/,
        (a) => a.map((x) => x.replace("lint-a", "lint-z")),
      ],
      [/"user" is a reserved name/, (a) => [...a, "--worker=user,provider=lint-a"]],
      [/"toString" is a reserved name/, (a) => [...a, "--worker=toString,provider=lint-a"]],
      [/"__proto__" is a reserved name/, (a) => [...a, "--worker=__proto__,provider=lint-a"]],
      [
        /"constructor" is a reserved name/,
        (a) => a.map((x) => x.replace("providers.json", "objects.json")),
      ],
      [/"colour" is not one of provider, model, role/, (a) => [...a, "--worker=b,colour=red"]],
      [/its model "a\\nb" is not one line/, (a) => [...a, "--worker=b,provider=lint-a,model=a\nb"]],
      [/is not KEY=VALUE/, (a) => [...a, "--worker=b,provider=lint-a,model=\u200b"]],
      [/the brief is empty/, (a) => a.map((x) => x.replace("brief.md", "hidden.md"))],
      [/its id has more than 100 characters/, (a) => [...a, `--worker=${"x".repeat(101)}`]],
      [/2 problems in its roster/, (a) => [...a, "--worker=user", "--worker=x y"]],
      [/no worker is named/, (a) => a.filter((x) => !x.startsWith("--worker"))],
      [
        /"brief\.md" as project root: it is not a directory|brief\.md" as project root/,
        (a) => [...a, "--project-root=brief.md"],
      ],
      [/as worktree: there is no such directory/, (a) => [...a, "--worktree=none"]],
      [/run of discussion: its workers are given no worktree/, (a) => [...a, "--worktree=."]],
      [
        /run of implementation: it has no worktree/,
        (a) => a.map((x) => x.replace("=discussion", "=implementation")),
      ],
      [
        /as providers file: 3 problems[^]*hint: .*okstra-manifest-io schema providers/,
        (a) => a.map((x) => x.replace("providers.json", "brief.json")),
      ],
      [
        /as providers file: expected a value at line 1, column 1/,
        (a) => a.map((x) => x.replace("providers.json", "brief.md")),
      ],
    ];
    for (const [message, change] of cases) {
      const root = project();
      writeFileSync(join(root, "empty.md"), " \n");
      writeFileSync(join(root, "hidden.md"), "\u200b\n");
      writeFileSync(join(root, "latin.md"), new Uint8Array([0x66, 0xfc, 0x72]));
      writeFileSync(join(root, "brief.json"), '{"providers": {"x": {"argv": []}}}');
      writeFileSync(
        join(root, "objects.json"),
        '{"schemaVersion":"1.0","providers":{"constructor":{"argv":5}}}',
      );
      const before = list(root);
      const { status, stdout, stderr } = await run(root, change([...PREPARE]));
      assertMatch(stderr, message);
      assertMatch(stderr, /^okstra-manifest-io: error: Cannot /);
      assertMatch(stderr, /^okstra-manifest-io: hint: /m);
      assertEquals([status, stdout], [2, ""], stderr);
      assertEquals(list(root), before);
    }
  });

  it("reads one of its files from standard input, whichever it is, and no two (K-007)", async () => {
    const files = { brief: "brief.md", "provider-file": "providers.json" };
    const words = PREPARE.filter((word) => !/^--(brief|provider-file)=/.test(word));
    const prepare = (root: string, changed: Record<string, string>, stdin = "") => {
      const named = Object.entries({ ...files, ...changed }).map(([name, at]) => `--${name}=${at}`);
      return run(root, [...words, ...named], { stdin });
    };
    const inputs = {
      brief: "What to do",
      "provider-file": JSON.stringify(PROVIDERS),
      profile: "A profile",
      packet: "A packet",
    };
    const root = project();
    const results: Record<string, { paths: Record<string, string>; runManifestPath: string }> = {};
    for (const [name, stdin] of Object.entries(inputs)) {
      const { status, stdout, stderr } = await prepare(root, { [name]: "-" }, stdin);
      assertEquals([status, stderr], [0, ""], name);
      results[name] = JSON.parse(stdout);
    }
    assertEquals(readFileSync(results["brief"]!.paths["brief"]!, "utf8"), "What to do\n");
    const { providers } = JSON.parse(
      readFileSync(results["provider-file"]!.runManifestPath, "utf8"),
    );
    assertEquals(providers["lint-a"].argv, PROVIDERS.providers["lint-a"].argv);
    const set = join(results["packet"]!.paths["taskRoot"]!, "instruction-set");
    assertEquals(readFileSync(join(set, "analysis-profile.md"), "utf8"), "A profile");
    assertEquals(readFileSync(join(set, "analysis-packet.md"), "utf8"), "A packet");

    const before = listTree(root), names = Object.keys(inputs);
    for (const [at, name] of names.entries()) {
      const other = names[(at + 1) % names.length]!;
      const { status, stderr } = await prepare(root, { [name]: "-", [other]: "-" }, "{}");
      assertEquals(status, 2, name);
      assertStringIncludes(stderr, "Cannot read standard input twice");
    }
    const bad = await prepare(root, { "provider-file": "-" }, "{}");
    assertStringIncludes(bad.stderr, 'Cannot read "-" as providers file: 2 problems');
    assertEquals(listTree(root), before);
  });

  it("writes nothing where a link leads out of the project, and leaves what is there (M-006)", async () => {
    const task = ".okstra/tasks/demo/review/src";
    const places: [string, string][] = [
      [".okstra", "."],
      [".okstra/tasks/demo", "."],
      [task, "."],
      [`${task}/runs/discussion/state`, "."],
      [`${task}/instruction-set/task-brief.md`, "kept"],
      [`${task}/task-manifest.json`, "kept"],
    ];
    for (const [place, target] of places) {
      const root = project(), other = project();
      writeFileSync(join(other, "kept"), "kept");
      mkdirSync(join(root, place, ".."), { recursive: true });
      rmSync(join(root, place), { recursive: true, force: true });
      symlinkSync(join(other, target), join(root, place));
      const before = [listTree(root), listTree(other)];
      const { status, stderr } = await run(root, PREPARE);
      assertMatch(stderr, /a link leads out of the project\n/);
      assertEquals([status, listTree(root), listTree(other)], [2, ...before], place);
    }
  });

  it("takes everything back where it fails, and is not the task's newest run then (P-3)", async () => {
    const root = project();
    const set = join(root, ".okstra/tasks/demo/review/src/instruction-set");
    const words = [...PREPARE, "--profile=profile.md"];
    writeFileSync(join(root, "profile.md"), "first");
    await run(root, words);
    writeFileSync(join(root, "profile.md"), "second");
    const brief = join(set, "task-brief.md");
    rmSync(brief);
    mkdirSync(brief);
    const before = list(root);
    const { status, stderr } = await run(root, words);
    assertStringIncludes(stderr, 'task-brief.md": it is a directory');
    assertEquals([status, list(root)], [4, before]);
    assertEquals(readFileSync(join(set, "analysis-profile.md"), "utf8"), "first");
    const { runs } = JSON.parse(readFileSync(join(set, "../task-manifest.json"), "utf8"));
    assertEquals(runs.map((row: { runSequence: string }) => row.runSequence), ["001"]);
  });

  it("takes a link that stays in the project for what it leads to", async () => {
    const root = project();
    renameSync(join(root, ".okstra"), join(root, "data"));
    symlinkSync("data", join(root, ".okstra"));
    assertEquals((await run(root, PREPARE)).status, 0);
    assertEquals(
      list(join(root, "data")).includes("tasks/demo/review/src/task-manifest.json"),
      true,
    );
  });

  it("numbers on from what is a number, whatever else lies there (M-013)", async () => {
    const root = project();
    const manifests = join(root, ".okstra/tasks/demo/review/src/runs/discussion/manifests");
    mkdirSync(manifests, { recursive: true });
    for (const number of ["041", "9".repeat(30), "-1", "1e9"]) {
      writeFileSync(join(manifests, `run-manifest-discussion-${number}.json`), "{}");
    }
    assertEquals(JSON.parse((await run(root, PREPARE)).stdout).runSequence, "042");
  });

  it("refuses a project that no line of a prompt can name (M-027)", async () => {
    for (const name of ["a\nb", "a ", "a\r"]) {
      const root = join(project(), name);
      mkdirSync(join(root, ".okstra"), { recursive: true });
      for (const file of ["brief.md", "providers.json"]) {
        writeFileSync(join(root, file), readFileSync(join(root, "..", file)));
      }
      const { status, stderr } = await run(root, PREPARE);
      assertMatch(stderr, /as project root: a prompt names it in one line/);
      assertEquals([status, list(root)], [2, [".okstra", "brief.md", "providers.json"]]);
    }
  });

  it("refuses a task key that differs from an existing one in case only", async () => {
    const root = project();
    await run(root, PREPARE);
    const before = list(root);
    const other = PREPARE.map((word) => word.replace("review", "Review"));
    const { status, stderr } = await run(root, other);
    assertEquals(status, 2);
    assertStringIncludes(stderr, '"review" exists, which differs only in case');
    assertEquals(list(root), before);
    const born = project();
    mkdirSync(join(born, ".okstra/discussions/demo/Review"), { recursive: true });
    assertStringIncludes((await run(born, PREPARE)).stderr, '"Review" exists');
  });

  it("continues a discussion with its last brief, and only one that exists (G-002)", async () => {
    const root = project();
    const next = PREPARE.filter((word) => !/--(task|brief)/.test(word))
      .concat("--discussion-start=demo/review/src");
    const refused = await run(root, next);
    assertEquals([refused.status, list(join(root, ".okstra"))], [2, []]);
    await run(root, PREPARE);
    const store = join(root, ".okstra/discussions/demo/review/src");
    mkdirSync(store, { recursive: true });
    writeFileSync(join(store, "records.jsonl"), "");
    const { status, stdout } = await run(root, next);
    assertEquals(status, 0);
    const result = JSON.parse(stdout);
    assertEquals(result.runSequence, "002");
    assertEquals(readFileSync(result.paths.brief, "utf8"), "Find the faults of src.\n");
  });

  it("continues a discussion whose record is kept elsewhere, as its last run says (G-002, G-012)", async () => {
    const root = project();
    const next = PREPARE.filter((word) => !/--(task|brief)/.test(word))
      .concat("--discussion-start=demo/review/src");
    const last = JSON.parse((await run(root, PREPARE)).stdout).runManifestPath;
    const merge = '{"discussionStore":"kept"}';
    await run(root, ["update", "run-manifest", last, "--merge", merge]);
    const before = list(root), refused = await run(root, next);
    assertEquals([refused.status, list(root)], [2, before]);
    mkdirSync(join(root, "kept"));
    writeFileSync(join(root, "kept/records.jsonl"), "");
    const { runManifestPath } = JSON.parse((await run(root, next)).stdout);
    const { discussionStore } = JSON.parse(readFileSync(runManifestPath, "utf8"));
    assertEquals(discussionStore, "kept");
  });

  it("continues a discussion with the providers of its last run where no file has them (G-002)", async () => {
    const root = project();
    const describe = (file: string, providers: Record<string, string>) =>
      writeFileSync(
        join(root, file),
        JSON.stringify({
          schemaVersion: "1.0",
          providers: Object.fromEntries(
            Object.entries(providers).map(([name, word]) => [name, { argv: [word] }]),
          ),
        }),
      );
    describe("providers.json", { "lint-a": "first", "lint-b": "first", codex: "first" });
    await run(root, [...PREPARE, "--worker=beta,provider=lint-b"]);
    const store = join(root, ".okstra/discussions/demo/review/src");
    mkdirSync(store, { recursive: true });
    writeFileSync(join(store, "records.jsonl"), "");
    const next = ["prepare", "--discussion-start=demo/review/src"];
    const programs = async (...words: string[]) => {
      const { status, stdout, stderr } = await run(root, [...next, ...words]);
      assertEquals([status, stderr], [0, ""]);
      const { providers } = JSON.parse(readFileSync(JSON.parse(stdout).runManifestPath, "utf8"));
      return Object.entries(providers as Record<string, { argv: string[] }>)
        .map(([name, { argv }]) => `${name} ${argv[0]}`);
    };
    const lintB = "--worker=beta,provider=lint-b", codex = "--worker=codex";
    assertEquals(await programs("--worker=alpha,provider=lint-a", lintB, codex), [
      "lint-a first",
      "lint-b first",
      "codex first",
    ]);
    describe(".okstra/providers.json", { "lint-b": "project" });
    assertEquals(await programs(lintB, codex), ["lint-b project", "codex first"]);
    describe("providers.json", { "lint-b": "file" });
    assertEquals(await programs(lintB, codex, "--provider-file=providers.json"), [
      "lint-b file",
      "codex first",
    ]);

    const before = list(root);
    const gone = await run(root, [...next, "--worker=alpha,provider=lint-a"]);
    assertEquals(gone.status, 2);
    assertStringIncludes(gone.stderr, 'Cannot use "lint-a" as provider: no such provider');
    const begin = ["prepare", "--task-key=demo/review/src", "--task-type=discussion"];
    const begun = await run(root, [...begin, "--brief=brief.md", lintB.replace("-b", "-c")]);
    assertEquals(begun.status, 2);
    assertEquals(list(root), before);
  });
});
