import { assertEquals, assertMatch } from "@std/assert";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { checkCmux, checkTmux, detectBackend, findTmux } from "./detect-backend.ts";

const INSIDE_CMUX = { CMUX_WORKSPACE_ID: "W-1" };
const INSIDE_TMUX = { TMUX: "/tmp/a,b,17,0", TMUX_PANE: "%3" };
const PONG = 'test "$1" = ping && echo PONG';
const PANE = 'test "$1 $2 $3 $4 $5 $6" = "-S /tmp/a,b display-message -p -t %3" && echo \'$0\'';

/** Runs a test with programs of the given names and shell texts alone on PATH. */
async function withPrograms(
  programs: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
  test: (env: (name: string) => string | undefined) => Promise<void>,
) {
  const folder = mkdtempSync(join(tmpdir(), "okstra-detect-"));
  try {
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    const env: Record<string, string> = { PATH: folder, ...variables };
    await test((name) => Object.hasOwn(env, name) ? env[name] : undefined);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("detectBackend()", () => {
  it("detectBackend() takes plain processes if neither variable is set, whatever is installed (M-026)", () =>
    withPrograms({ cmux: PONG, tmux: PANE }, {}, async (env) => {
      assertEquals(await detectBackend(env), "cli-wrapper");
    }));

  it("detectBackend() takes cmux before tmux if it answers PONG (M-026)", () =>
    withPrograms({ cmux: PONG, tmux: PANE }, { ...INSIDE_CMUX, ...INSIDE_TMUX }, async (env) => {
      assertEquals(await detectBackend(env), "cmux-pane");
    }));

  it("detectBackend() takes tmux if cmux is denied, answers something else or does not answer (M-026)", async () => {
    for (const cmux of ["echo denied >&2; exit 1", "echo OK", "exec sleep 30"]) {
      await withPrograms(
        { cmux: `PATH=/usr/bin:/bin; ${cmux}`, tmux: PANE },
        { ...INSIDE_CMUX, ...INSIDE_TMUX },
        async (env) =>
          assertEquals(await detectBackend(env, cmux.includes("sleep") ? 300 : 5000), "tmux-pane"),
      );
    }
  });

  it("detectBackend() takes plain processes if the server of tmux is gone, or has no such pane (M-026)", async () => {
    for (const tmux of ["echo 'no server running' >&2; exit 1", "echo"]) {
      await withPrograms({ tmux }, INSIDE_TMUX, async (env) => {
        assertEquals(await detectBackend(env), "cli-wrapper");
      });
    }
  });

  it("checkCmux() and checkTmux() say why not (M-026)", async () => {
    const denied = "echo 'Error: ERROR: Access denied' >&2; exit 1";
    await withPrograms({ cmux: denied }, { ...INSIDE_CMUX, ...INSIDE_TMUX }, async (env) => {
      assertMatch((await checkCmux(env)).reason, /ping fails: Error: ERROR: Access denied/);
      assertMatch((await checkTmux(env)).reason, /tmux is not installed/);
    });
    for (const blank of [{}, { CMUX_WORKSPACE_ID: "\u200b", TMUX: "\u200b" }]) {
      await withPrograms({}, blank, async (env) => {
        assertMatch((await checkCmux(env)).reason, /CMUX_WORKSPACE_ID is not set/);
        assertMatch((await checkTmux(env)).reason, /TMUX is not set/);
      });
    }
  });

  it("checkCmux() does not wait for what a child of cmux holds open (M-026)", () =>
    withPrograms({ cmux: "/bin/sleep 30 & exec /bin/sleep 30" }, INSIDE_CMUX, async (env) => {
      assertMatch((await checkCmux(env, 200)).reason, /no answer within 200 ms/);
    }));

  it("findTmux() finds the socket, commas and all (M-026)", () =>
    withPrograms({ tmux: "true" }, INSIDE_TMUX, (env) => {
      const client = findTmux(env);
      assertEquals(typeof client === "string" ? client : [client.socket, client.pane], [
        "/tmp/a,b",
        "%3",
      ]);
      return Promise.resolve();
    }));
});
