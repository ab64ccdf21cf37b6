import type { Walk } from "./walk.ts";

const WRAPPER = "okstra-wrapper-status";

/** Every command of okstra-wrapper-status. */
export async function walkWrapperStatus(walk: Walk): Promise<void> {
  await walk.prepare("walk/wrapper/status", ["alpha,provider=says", "beta,provider=says"]);
  await walk.step("okstra-dispatch run");
  await walk.step(`${WRAPPER} liveness`, [], { worker: ["beta"] });
  walk.env = {};
  walk.write({ "task.md": "Work.\n", "second.md": "Work.\n", "out.md": "" });
  const script = [
    "--",
    "sh",
    "-c",
    "cat >/dev/null; echo said; sleep 3; echo x >out.md; echo y >two.md",
  ];
  await walk.step(`${WRAPPER} run --prompt task.md --result out.md`, script, {
    "prompt": ["second.md"],
    "result": ["three.md"],
    "idle-timeout": ["0.2"],
    "total-timeout": ["0.2"],
    "session-id": ["s-1"],
  });
  walk.write({
    ".okstra/providers.json": JSON.stringify({
      schemaVersion: "1.0",
      providers: { here: { argv: ["echo", "{sessionId}"] }, there: { argv: ["false"] } },
    }),
    "third.md": "Work.\n",
  });
  const live = ["", "analyser", "", "--provider", "here"];
  await walk.step(`${WRAPPER} run`, [walk.project, "none", walk.at("third.md"), ...live], {
    "provider": ["there"],
    "presentation": ["live"],
    "invocation-metadata": [walk.at("none.json")],
    "session-id": ["s-1"],
  });
  await walk.step(`${WRAPPER} read task.md`);
  await walk.step(`${WRAPPER} paths task.md`);
  await walk.step(`${WRAPPER} explain task.md`);
  await walk.step(`${WRAPPER} follow task.md`, [], { format: ["text"] }, { prints: "lines" });
  await walk.step(`${WRAPPER} providers`, [], { "check": [], "project-root": [walk.at("empty")] });
}
