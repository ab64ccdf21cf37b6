// Every scenario of the kit as tests; `scripts/fault-kit` runs the same ones.
import { describe, it } from "node:test";
import { RUNTIME } from "../support.ts";
import { SCENARIOS } from "./all.ts";
import { runFault, runSeveral } from "./run-fault.ts";

/** Most of a scenario is waiting for programs. */
const PARALLEL = 3;

const all = SCENARIOS.flatMap((scenario) =>
  scenario.faults.filter((fault) => RUNTIME === "node" || !fault.isOnNodeAlone)
    .map((fault) => ({ scenario, fault, obstacle: fault.obstacle?.() ?? null }))
);
const possible = all.filter(({ obstacle }) => obstacle === null);
const running = runSeveral(possible.map(({ fault }) => () => runFault(fault)), PARALLEL);
// A failure is told by its test, which may come to it later.
for (const each of running) each.catch(() => {});
const outcomes = new Map(possible.map(({ fault }, at) => [fault, running[at]!]));

for (const { number, reported, faults } of SCENARIOS) {
  describe(`${number}: ${reported}`, () => {
    for (const { scenario, fault, obstacle } of all) {
      if (scenario.number !== number || !faults.includes(fault)) continue;
      it(
        `${fault.injected}: ${fault.expected} (${number})`,
        { skip: obstacle ?? false },
        async () => {
          await outcomes.get(fault);
        },
      );
    }
  });
}
