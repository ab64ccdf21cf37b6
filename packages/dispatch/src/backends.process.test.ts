import { describe, it } from "node:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { processState, realPath } from "@okstra/kit/host";
import type { BackendDriver, Handle } from "./io/backends/backend.ts";
import { cliWrapper } from "./io/backends/cli-wrapper.ts";
import { cmuxPane } from "./io/backends/cmux-pane.ts";
import { tmuxPane } from "./io/backends/tmux-pane.ts";
import { readClaim, withdrawLaunch } from "./io/claim.ts";
import { claimPaths } from "@okstra/manifest-io/run-names";
import { launchWords } from "./launch-words.ts";
import { makeRow } from "./test-jobs.ts";
import {
  DUMP_START,
  noTmux,
  ODD_VARIABLES,
  ODD_WORDS,
  TestCmux,
  TestTmux,
  withCmux,
  withTmux,
} from "./test-panes.ts";
import { until } from "./test-run.ts";
import { removeTree } from "../../../test/remove-tree.mjs";

const inherited = () => process.env as Record<string, string>;

const environment = (env: Readonly<Record<string, string>>) => (name: string) =>
  Object.hasOwn(env, name) ? env[name] : process.env[name];

/** Runs a test in a directory whose name is as odd as a name can be. */
async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const top = realPath(mkdtempSync(join(tmpdir(), "okstra-odd-")));
  const folder = join(top, '-a b\'s "$(touch pwned)"\n#(touch pwned);');
  mkdirSync(folder);
  try {
    await test(folder);
    assert(!existsSync(join(folder, "pwned")), "a shell has read a word");
  } finally {
    removeTree(top);
  }
}

/** Starts a command over a backend as attempt 1 of a prompt in a directory. */
function startIn(
  driver: BackendDriver,
  folder: string,
  command: readonly string[],
  variables: Readonly<Record<string, string | null>> = {},
): Promise<Handle> {
  const promptPath = join(folder, "alpha.md"), [claimPath] = claimPaths(promptPath, 1);
  return driver.start({
    workerId: "alpha",
    attempt: 1,
    tag: "inv-alpha:attempt-1",
    command: launchWords(claimPath, folder, command),
    claimPath,
    variables,
    directory: folder,
    promptPath,
  });
}

const hasEnded = ({ process }: Handle) => [null, "Z"].includes(processState(process.pid));

const rowOf = (folder: string, handle: Handle, backendType: string) =>
  makeRow({
    promptPath: join(folder, "alpha.md"),
    backendType,
    paneId: handle.paneId,
    ...handle.paneFacts,
  });

/** Checks that a driver hands words, variables and directory on as they are, and names the very process. */
async function assertFaithful(driver: BackendDriver): Promise<void> {
  await withFolder(async (folder) => {
    const file = join(folder, "out"), command = [DUMP_START, file, ...ODD_WORDS];
    const handle = await startIn(driver, folder, command, ODD_VARIABLES);
    await until(() => existsSync(file), "the program's end");
    const found = readFileSync(file, "utf8").split("\x1f").slice(0, -1);
    const words = found.slice(1, 1 + ODD_WORDS.length);
    assertEquals(found[0], folder);
    assertEquals(words, [...ODD_WORDS]);
    assertEquals(found.slice(1 + ODD_WORDS.length), [
      `DUMP_A=${ODD_VARIABLES["DUMP_A"]}`,
      "DUMP_B=",
      "DUMP_C=(not set)",
    ]);
    const claim = readClaim(claimPaths(join(folder, "alpha.md"), 1)[0]);
    assert(claim.kind === "started");
    const { pid, startTime } = handle.process;
    assertEquals([pid, startTime], [claim.pid, claim.startTime]);
  });
}

describe("cli-wrapper", () => {
  it("start() hands words, variables and directory on as they are (D-043)", () =>
    assertFaithful(cliWrapper(inherited)));

  it("start() gives an attempt to one of two launches (P-17, P-25)", () =>
    withFolder(async (folder) => {
      const out = join(folder, "out"), shell = ["/bin/sh", "-c", 'echo x >>"$0"; sleep 1', out];
      await startIn(cliWrapper(inherited), folder, shell);
      await until(() => existsSync(out) && readFileSync(out, "utf8") !== "", "the first start");
      const second = await startIn(cliWrapper(inherited), folder, shell);
      await until(() => hasEnded(second), "the end of the second start");
      const claim = readClaim(claimPaths(join(folder, "alpha.md"), 1)[0]);
      assert(claim.kind === "started" && claim.pid !== second.process.pid);
      assertEquals(readFileSync(out, "utf8"), "x\n");
    }));

  it("an attempt is either started or given up, whoever comes first (P-17, P-25)", () =>
    withFolder(async (folder) => {
      const out = join(folder, "out"), shell = ["/bin/sh", "-c", 'echo x >>"$0"; sleep 1', out];
      const [claim] = claimPaths(join(folder, "alpha.md"), 1);
      await startIn(cliWrapper(inherited), folder, shell);
      await until(() => existsSync(out), "the start");
      assertEquals([withdrawLaunch(claim), readClaim(claim).kind], [false, "started"]);
      rmSync(claim);
      rmSync(out);
      assertEquals([withdrawLaunch(claim), withdrawLaunch(claim)], [true, true]);
      const late = await startIn(cliWrapper(inherited), folder, shell);
      await until(() => hasEnded(late), "the end of the late one");
      assertEquals([existsSync(out), readClaim(claim).kind], [false, "withdrawn"]);
    }));
});

describe("the claim of a launch", () => {
  interface Held {
    readonly folder: string;
    readonly claim: string;
    /** Lets the launch go on and waits for its end. */
    end(): Promise<void>;
  }

  /** Calls `body` while a launch is held between the writing of its claim and the making of it. */
  const withHeld = (body: (held: Held) => Promise<void>) =>
    withFolder(async (folder) => {
      const [claim] = claimPaths(join(folder, "alpha.md"), 1),
        at = (name: string) => join(folder, name);
      mkdirSync(at("bin"));
      const hold = ": >held; until [ -e go ]; do sleep 0.02; done";
      const script = `#!/bin/sh\n${hold}\nPATH=/usr/bin:/bin exec ln "$@"\n`;
      writeFileSync(at("bin/ln"), script, { mode: 0o755 });
      const command = ["/bin/sh", "-c", 'printf "%s\\n" "$PATH" "$n" "$born" >out', "sh"];
      const PATH = `${at("bin")}:${inherited()["PATH"]}`;
      const handle = await startIn(cliWrapper(inherited), folder, command, {
        PATH,
        n: "1",
        born: "2",
      });
      const go = () => writeFileSync(at("go"), "");
      try {
        await until(() => existsSync(at("held")) || hasEnded(handle), "the held launch");
        assert(!hasEnded(handle));
        await body({
          folder,
          claim,
          end: async () => {
            go();
            await until(() => hasEnded(handle), "the end of the launch");
            const left = readdirSync(folder).filter((name) => name.startsWith("alpha.md"));
            assertEquals(left, [basename(claim)]);
          },
        });
      } finally {
        go();
      }
    });

  it("is there only when it is whole, and touches no variable of the worker (P-17, P-25)", () =>
    withHeld(async ({ folder, claim, end }) => {
      assertEquals(readClaim(claim), { kind: "none" });
      await end();
      assertEquals(readClaim(claim).kind, "started");
      const PATH = `${join(folder, "bin")}:${inherited()["PATH"]}`;
      assertEquals(readFileSync(join(folder, "out"), "utf8"), `${PATH}\n1\n2\n`);
    }));

  it("is lost to whoever gives the attempt up meanwhile (P-17, P-25)", () =>
    withHeld(async ({ folder, claim, end }) => {
      assertEquals(withdrawLaunch(claim), true);
      await end();
      assertEquals([readClaim(claim).kind, existsSync(join(folder, "out"))], ["withdrawn", false]);
    }));
});

describe(`tmux-pane${noTmux === false ? "" : ` (skipped: ${noTmux})`}`, { skip: noTmux }, () => {
  const open = (tmux: TestTmux, run = "run") => tmuxPane(environment(tmux.env), run);
  const exits = (status: string) => ["/bin/sh", "-c", status];

  it("start() hands words, variables and directory on as they are (W-019)", () =>
    withTmux((tmux) => assertFaithful(open(tmux))));

  it("start() names and marks the pane, and takes nobody's place (P-21, D-043)", () =>
    withTmux((tmux) =>
      withFolder(async (folder) => {
        const before = tmux.ask("display-message", "-p", "#{window_id} #{pane_id}");
        const { paneId } = await startIn(open(tmux), folder, exits("sleep 30"));
        const format = "#{pane_id}|#{pane_title}|#{@okstra_dispatch}|#{@okstra_worker}";
        assertEquals(tmux.panes(format).slice(1), [
          `${paneId}|alpha-worker|inv-alpha:attempt-1|alpha`,
        ]);
        assertEquals(tmux.ask("display-message", "-p", "#{window_id} #{pane_id}"), before);
      })
    ));

  it("start() tiles the panes of a run in one window, and opens another one when it is full", () =>
    withTmux((tmux) =>
      withFolder(async (folder) => {
        const driver = open(tmux), other = open(tmux, "other run");
        const start = async (driver: BackendDriver, n: number) => {
          mkdirSync(join(folder, String(n)));
          return await startIn(driver, join(folder, String(n)), exits("sleep 30"));
        };
        const handles = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => start(driver, n)));
        await start(other, 9);
        assertEquals(new Set(handles.map((handle) => handle.paneId)).size, 8);
        const windows = tmux.panes("#{window_id}").slice(1);
        assertEquals(windows.length, 9);
        const counts = [...new Set(windows)].map((id) =>
          windows.filter((each) => each === id).length
        );
        assert(counts.length > 2 && counts[0]! > 1, counts.join());
        assertEquals(counts.at(-1), 1);
      }), { columns: 40, rows: 8 }));

  it("observe() tells the true status or signal, and whether the pane is there (P-21, P-22)", () =>
    withTmux(async (tmux) => {
      const driver = open(tmux);
      const ends: [string, RegExp][] = [
        ["exit 0", /ended with status 0/],
        ["exit 7", /ended with status 7/],
        ["kill -9 $$", /ended with signal (9|kill|KILL)/],
        ["exec /nowhere/program", /ended with status 127/],
      ];
      for (const [script, said] of ends) {
        await withFolder(async (folder) => {
          const handle = await startIn(driver, folder, exits(script));
          const row = rowOf(folder, handle, "tmux-pane");
          const isOpen = async () => (await driver.observe(row)).state === "open";
          await until(async () => !(await isOpen()), "the end of the pane's process");
          const seen = await driver.observe(row);
          assertEquals(seen.state, "dead");
          assertMatch(seen.evidence, said);
          assertEquals((await driver.close(row, handle.paneId)).isClosed, true);
          assertEquals((await driver.observe(row)).state, "none");
        });
      }
    }));

  it("close() leaves a pane alone that belongs to something else by now (P-21, W-013)", () =>
    withTmux((tmux) =>
      withFolder(async (folder) => {
        const driver = open(tmux), handle = await startIn(driver, folder, exits("sleep 30"));
        const row = rowOf(folder, handle, "tmux-pane"), stranger = open(tmux, "other run");
        assertEquals((await stranger.observe(row)).state, "foreign");
        assertEquals((await stranger.close(row, handle.paneId)).isClosed, false);
        tmux.ask("set-option", "-p", "-t", handle.paneId, "@okstra_dispatch", "another");
        assertEquals((await driver.observe(row)).state, "foreign");
        assertEquals((await driver.close(row, handle.paneId)).isClosed, false);
        assert(tmux.panes("#{pane_id}").includes(handle.paneId));
        assertEquals((await driver.close({ ...row, paneId: "%999" }, "%999")).isClosed, true);
      })
    ));

  it("close() takes no pane for gone while its server is not heard (P-21, W-013)", () =>
    withFolder(async (folder) => {
      const program = join(folder, "tmux");
      writeFileSync(
        program,
        "#!/bin/sh\necho 'error connecting to x (Permission denied)' >&2; exit 1\n",
      );
      chmodSync(program, 0o755);
      const driver = tmuxPane(environment({ PATH: folder, TMUX: "/x,1,0" }), "run");
      const row = makeRow({ backendType: "tmux-pane", paneId: "%5" });
      assertEquals((await driver.observe(row)).state, "unknown");
      const { isClosed, why } = await driver.close(row, "%5");
      assertEquals(isClosed, false);
      assertMatch(why, /does not answer: .*Permission denied/);
    }));

  it("start() fails without a client, without its pane and without a server (W-019)", async () => {
    await withTmux((tmux) =>
      withFolder(async (folder) => {
        const refuse = async (env: Record<string, string>, said: RegExp) => {
          const driver = tmuxPane(environment(env), "run");
          const error = await assertRejects(() => startIn(driver, folder, exits("exit 0")), Error);
          assertMatch((error as Error).message, said);
          assertEquals((await driver.check()).isUsable, false);
        };
        await refuse({ TMUX: "" }, /TMUX is not set/);
        await refuse({ ...tmux.env, TMUX_PANE: "%999" }, /no pane %999/);
        await refuse({ TMUX: "/nowhere/s,1,0", TMUX_PANE: "%0" }, /error connecting|no pane %0/);
        assertEquals((await open(tmux).check()).isUsable, true);
        assertEquals(tmux.panes("#{pane_id}").length, 1);
      })
    );
  });

  it("start() leaves no pane behind if its command is too long for tmux", () =>
    withTmux((tmux) =>
      withFolder(async (folder) => {
        const long = ["/bin/sh", "-c", "exit 0", "x".repeat(20_000)];
        const error = await assertRejects(() => startIn(open(tmux), folder, long), Error);
        assertMatch((error as Error).message, /too long/);
        assertEquals(tmux.panes("#{pane_id}").length, 1);
      })
    ));
});

describe("cmux-pane", () => {
  const open = (cmux: TestCmux, limitMs = 5_000) => cmuxPane(environment(cmux.env), limitMs);

  it("start() hands words, variables and directory on as they are, by a script (D-043)", () =>
    withCmux((cmux) => assertFaithful(open(cmux))));

  it("start() opens a named tab of the caller's workspace, verifies it, and types nothing (P-8, P-21)", () =>
    withCmux((cmux) =>
      withFolder(async (folder) => {
        const handle = await startIn(open(cmux), folder, ["/bin/sh", "-c", "exit 0"]);
        assertEquals(cmux.surfaces(), [`${handle.paneId} alpha-worker`]);
        const [words = []] = cmux.callsOf("new-surface").slice(-1);
        assertEquals(words.slice(0, 8), [
          "--type",
          "terminal",
          "--workspace",
          "W-1",
          "--working-directory",
          folder,
          "--focus",
          "false",
        ]);
        assertMatch(words.at(-1)!, /^exec \/bin\/sh '/);
        const asked = ["--workspace", "W-1", "--surface", handle.paneId];
        assert(cmux.callsOf("identify").some((call) => call.slice(-4).join() === asked.join()));
        assertEquals([cmux.callsOf("send"), cmux.callsOf("send-key")], [[], []]);
      })
    ));

  it("start() asks for the caller's workspace, not for the one that is looked at", () =>
    withCmux((cmux) =>
      withFolder(async (folder) => {
        const env = environment({ ...cmux.env, CMUX_WORKSPACE_ID: "" });
        await startIn(cmuxPane(env), folder, ["/bin/sh", "-c", "exit 0"]);
        const [words = []] = cmux.callsOf("new-surface").slice(-1);
        assertEquals(words[words.indexOf("--workspace") + 1], "W-1");
      })
    ));

  for (
    const [mode, said] of [
      ["down", /Socket not found/],
      ["denied", /Access denied/],
      ["old", /no --command/],
      ["liar", /does not know surface:7/],
      ["asleep", /nothing was started in surface:7/],
    ] as const
  ) {
    it(`start() fails if cmux is ${mode}, and nothing starts then or later (D-043, P-21, P-25)`, () =>
      withCmux((cmux) =>
        withFolder(async (folder) => {
          cmux.mode = mode;
          const out = join(folder, "out");
          const command = ["/bin/sh", "-c", 'echo x >"$0"', out];
          const error = await assertRejects(() => startIn(open(cmux, 100), folder, command), Error);
          assertMatch((error as Error).message, said);
          if (mode === "liar") return await until(() => existsSync(out), "what cmux started");
          assert(!existsSync(out));
          const claim = readClaim(claimPaths(join(folder, "alpha.md"), 1)[0]);
          assertEquals(claim.kind, mode === "asleep" ? "withdrawn" : "none");
          assertEquals(cmux.surfaces(), []);
        })
      ));
  }

  it("close() closes by the lasting id, and nothing that has taken the name since (P-21, W-013)", () =>
    withCmux((cmux) =>
      withFolder(async (folder) => {
        const driver = open(cmux), handle = await startIn(driver, folder, ["/bin/sh", "-c", ":"]);
        const row = rowOf(folder, handle, "cmux-pane");
        const other = { ...row, paneUuid: "5A1F0000-0000-4000-8000-1" };
        for (const each of [other, { ...row, paneUuid: "" }, { ...row, paneId: "surface:8" }]) {
          assertEquals((await driver.close(each, handle.paneId)).isClosed, false);
        }
        assertEquals(cmux.surfaces().length, 1);
        assertEquals((await driver.close(row, handle.paneId)).isClosed, true);
        assertEquals(cmux.surfaces(), []);
        const [words = []] = cmux.callsOf("close-surface");
        assertEquals(words.at(-1), handle.paneFacts["paneUuid"]);
        assertEquals((await driver.close(row, handle.paneId)).isClosed, false);
      })
    ));

  it("check() says whether a command can be started in a surface", () =>
    withCmux(async (cmux) => {
      assertEquals((await open(cmux).check()).isUsable, true);
      cmux.mode = "old";
      assertMatch((await open(cmux).check()).reason, /no --command/);
      cmux.mode = "denied";
      assertMatch((await open(cmux).check()).reason, /Access denied/);
    }));
});
