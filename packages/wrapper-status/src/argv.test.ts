import { describe, it } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { OkstraError } from "@okstra/manifest-io/errors";
import { wrapperArgv, type WrapperJob } from "./argv.ts";

const first: WrapperJob = {
  wrapper: ["/bin/okstra-wrapper-status", "run"],
  provider: "codex",
  projectRoot: "/p",
  modelExecutionValue: "small-1",
  promptPath: "/p/x y.md",
  worktreePath: "",
  role: "Codex worker",
  idleTimeoutSeconds: null,
  backend: "cli-wrapper",
};
const second: WrapperJob = {
  ...first,
  participantRef: "p/codex",
  roleExecutionRef: "re/codex/verifier",
  executionLabel: "codex",
  dutyId: "implementation-verifier",
  invocationRef: "initial-codex-001",
  attempt: 1,
  promptMetadataPath: "/p/x y.md.meta.json",
};
const positionals = (job: WrapperJob) =>
  wrapperArgv(job).slice(job.wrapper.length, job.wrapper.length + 6);

describe("wrapperArgv()", () => {
  it("keeps six positions before every option (W-001)", () => {
    assertEquals(
      wrapperArgv({ ...second, sessionId: "s-1", worktreePath: "/w", idleTimeoutSeconds: 90 }),
      [
        "/bin/okstra-wrapper-status",
        "run",
        "/p",
        "small-1",
        "/p/x y.md",
        "/w",
        "verifier",
        "90",
        "--provider",
        "codex",
        "--presentation",
        "quiet",
        "--invocation-metadata",
        "/p/x y.md.meta.json",
        "--session-id",
        "s-1",
      ],
    );
  });

  it("shows the output live in every backend but cli-wrapper (W-002)", () => {
    const shown = (backend: string) => {
      const argv = wrapperArgv({ ...first, backend });
      return argv[argv.indexOf("--presentation") + 1];
    };
    assertEquals(["cli-wrapper", "cmux-pane", "tmux-pane"].map(shown), ["quiet", "live", "live"]);
  });

  it("leaves the idle timeout empty if dispatch sets none (W-003)", () => {
    assertEquals(positionals(first)[5], "");
    assertEquals(positionals({ ...first, idleTimeoutSeconds: 5 })[5], "5");
  });

  it("names the duty's role, or the stored one if the duty is unknown (W-004)", () => {
    assertEquals(positionals(second)[4], "verifier");
    assertEquals(positionals({ ...second, dutyId: "gardening" })[4], "Codex worker");
    assertEquals(positionals(first)[4], "Codex worker");
  });

  it("refuses an identity with parts missing, and an attempt below 1 (W-005)", () => {
    const { dutyId: _, ...partial } = second;
    const error = assertThrows(() => wrapperArgv(partial), OkstraError, "lacks dutyId");
    assertEquals(error.code, "partial-identity");
    const hidden = { ...second, dutyId: "\u200b" };
    assertThrows(() => wrapperArgv(hidden), OkstraError, "lacks dutyId");
    for (const attempt of [0, 1.5, undefined]) {
      const bad = { ...second, attempt } as WrapperJob;
      assertEquals(assertThrows(() => wrapperArgv(bad), OkstraError).code, "bad-attempt");
    }
  });

  it("refuses a position that would be read as an option (W-001)", () => {
    for (const change of [{ modelExecutionValue: "--fast" }, { worktreePath: "-w t" }]) {
      const error = assertThrows(() => wrapperArgv({ ...second, ...change }), OkstraError, "dash");
      assertEquals(error.code, "bad-position");
    }
    assertEquals(positionals({ ...second, modelExecutionValue: "-" })[1], "-");
  });

  it("never moves a position for an option (W-017)", () => {
    const plain = positionals(second);
    for (const extra of [{ sessionId: "s" }, { backend: "tmux-pane" }, { provider: null }]) {
      assertEquals(positionals({ ...second, ...extra }), plain);
    }
  });

  it("passes no metadata for a job without identity (W-018)", () => {
    const argv = wrapperArgv({ ...first, promptMetadataPath: "/p/x y.md.meta.json" });
    assertEquals(argv.includes("--invocation-metadata"), false);
  });

  it("passes no --provider to a provider's own script (W-006)", () => {
    const argv = wrapperArgv({ ...first, wrapper: ["/bin/codex.sh"], provider: null });
    assertEquals(argv.slice(0, 2), ["/bin/codex.sh", "/p"]);
    assertEquals(argv.includes("--provider"), false);
  });
});
