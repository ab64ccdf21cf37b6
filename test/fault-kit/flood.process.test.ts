// A flood of output: a real wrapper process reads its events and stays small.
import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { toolEnv, toolFolder, writeFiles } from "../support.ts";
import { program } from "./bench.ts";
import { withFaults } from "./in-process.ts";

/** `FAULT_FLOOD=full` floods with 1 GiB, a number with so many MiB. */
const wanted = process.env["FAULT_FLOOD"] ?? "64";
const BYTES = (wanted === "full" ? 1024 : Number(wanted)) << 20;

/** More than a wrapper needs for itself under either runtime, and less than the smallest flood. */
const MEMORY_LIMIT_BYTES = 110 << 20;

/** The most memory that a process has had, in bytes; 0 once it has ended. */
function peakMemory(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

describe("a worker that floods its output", () => {
  const skip = process.platform === "linux" ? false : "the memory of a process is read from /proc";
  for (const kind of ["endless", "lines", "events"]) {
    it(
      `is read to its last event (${kind}), and its wrapper stays small`,
      { skip },
      () =>
        withFaults(async (bench) => {
          writeFiles(bench.directory, {
            ".okstra/providers.json": JSON.stringify({
              schemaVersion: "1.0",
              providers: {
                flood: { argv: [program("flood.sh"), kind, String(BYTES)], eventStream: "codex" },
              },
            }),
          });
          const tools = toolFolder(bench.at("tools"));
          const words = [bench.directory, "none", bench.promptPath, "", "analyser", "60"];
          const wrapper = spawn(
            `${tools}/okstra-wrapper-status`,
            ["run", ...words, "--provider", "flood"],
            { env: toolEnv(tools), stdio: "ignore", cwd: bench.directory },
          );
          const status = new Promise((resolve) => wrapper.on("exit", resolve));
          let peak = 0, isOver = false;
          void status.then(() => isOver = true);
          while (!isOver) {
            peak = Math.max(peak, peakMemory(wrapper.pid!));
            await sleep(20);
          }
          assertEquals(await status, 1);
          const sidecar = JSON.parse(bench.read("prompt.md.status.json"));
          assertEquals([sidecar.exitCode, sidecar.failureClass], [1, "auth"]);
          assertEquals(statSync(bench.at("prompt.md.log")).size > BYTES, true);
          assert(peak > 0 && peak < MEMORY_LIMIT_BYTES, `the wrapper took ${peak} bytes`);
        }),
    );
  }
});
