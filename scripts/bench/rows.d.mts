import type { DispatchRow } from "../../packages/manifest-io/src/schemas/team-state.ts";
export function makeRow(n: number, own: Omit<DispatchRow, "dispatchId" | "attempt">): DispatchRow;
