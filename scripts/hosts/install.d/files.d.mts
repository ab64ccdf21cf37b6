import type { Change, State } from "./plan.mjs";
export function look(path: string): State;
export function applyChanges(changes: readonly Change[]): void;
