import { monotonicMs } from "@okstra/kit/host";
import { attemptOf, workerKey } from "@okstra/manifest-io/identity";
import type { DispatchRow } from "@okstra/manifest-io/schemas/team-state";
import { type Backend, BACKENDS, isLiveStatus } from "@okstra/manifest-io/vocabulary";
import { readTeamState, updateTeamState } from "@okstra/team-state/io/team-state";
import { dispatchLabel } from "../awaited.ts";
import { askToEnd } from "./end-wrapper.ts";
import { observeRow } from "./observe.ts";
import { findProcesses } from "./row-process.ts";
import type { Session } from "./session.ts";

/** What `reclaim` did to one pane. */
export interface ReclaimedPane {
  readonly workerId: string;
  readonly dispatchId: string;
  readonly paneId: string;
  readonly closed: boolean;
  readonly why: string;
}

/** What `reclaim` prints. */
export interface ReclaimPayload {
  readonly runManifestPath: string;
  readonly panes: readonly ReclaimedPane[];
}

/** How long a wrapper that has recorded its end has to go. */
const LINGER_MS = 1_000, GRACE_MS = 5_000, POLL_MS = 50;

/**
 * Closes the panes of dispatches that have ended, those that a re-send replaced included; nothing else is touched.
 *
 * A pane whose worker still runs, since it was only written off, is left open. A wrapper that has recorded its end and
 * lingers is asked to go first, since closing a pane ends nothing by itself.
 */
export async function reclaim(session: Session): Promise<ReclaimPayload> {
  const rows = readTeamState(session.run).workerDispatches ?? [];
  const panes: ReclaimedPane[] = [];
  for (const row of rows) {
    if (isLiveStatus(row.status)) continue;
    const mine: ReclaimedPane[] = [];
    for (const place of await placesOf(session, row)) {
      mine.push(await closePane(session, place.row, place.paneId));
    }
    const closed = mine.filter((pane) => pane.closed).map((pane) => pane.paneId);
    if (closed.length > 0) forgetPanes(session, row, closed);
    panes.push(...mine);
  }
  return { runManifestPath: session.run.manifestPath, panes };
}

/** Lists the places of a row; one that nobody came to write down is looked for, and comes with a row that names it. */
async function placesOf(
  session: Session,
  row: DispatchRow,
): Promise<readonly { readonly paneId: string; readonly row: DispatchRow }[]> {
  const ids = new Set([row.paneId ?? "", ...row.previousPaneIds ?? []]);
  ids.delete("");
  const backend = paneBackend(row);
  const isKnown = Boolean(row.paneId) || row["reclaimedPaneIds"] !== undefined;
  const found = isKnown || backend === null ? [] : await session.drivers(backend).find(row);
  return [
    ...[...ids].map((paneId) => ({ paneId, row })),
    ...found.map(({ paneId, paneFacts }) => ({ paneId, row: { ...row, paneId, ...paneFacts } })),
  ];
}

async function closePane(
  session: Session,
  row: DispatchRow,
  paneId: string,
): Promise<ReclaimedPane> {
  const facts = { workerId: workerKey(row), dispatchId: dispatchLabel(row), paneId };
  if (!await hasGone(session, row)) {
    return { ...facts, closed: false, why: "its worker still runs: teardown --kill ends it" };
  }
  const backend = paneBackend(row);
  if (backend === null) return { ...facts, closed: false, why: "its row names no pane backend" };
  const { isClosed, why } = await session.drivers(backend).close(row, paneId);
  return { ...facts, closed: isClosed, why };
}

/** Waits until the wrapper of a row has gone, and asks it to if it has recorded its end; false: it is still at work. */
async function hasGone(session: Session, row: DispatchRow): Promise<boolean> {
  const { run } = session, start = monotonicMs();
  let isAsked = false;
  for (;;) {
    const { wrapper, group } = findProcesses(run, row);
    if (wrapper === null && group === null) return true;
    const isOver = observeRow(run, row).own?.isTerminal === true, elapsed = monotonicMs() - start;
    if (elapsed > (isOver ? GRACE_MS : LINGER_MS)) return false;
    if (isOver && elapsed > LINGER_MS && !isAsked && wrapper !== null) {
      isAsked = true;
      askToEnd(wrapper);
    }
    if (!isOver) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The backend whose panes a row names; a degraded row has those of the backend that was asked for. */
function paneBackend(row: DispatchRow): Backend | null {
  const named = [row.backendType, row.degradedFrom];
  return BACKENDS.find((backend) => backend !== "cli-wrapper" && named.includes(backend)) ?? null;
}

function forgetPanes(session: Session, row: DispatchRow, closed: readonly string[]): void {
  const id = dispatchLabel(row), { run, lockTimeoutMs } = session;
  updateTeamState(run, { lockTimeoutMs }, (state) => ({
    ...state,
    workerDispatches: state.workerDispatches!.map((each) => {
      if (dispatchLabel(each) !== id || attemptOf(each) !== attemptOf(row)) return each;
      const { previousPaneIds = [], ...rest } = each;
      const left = previousPaneIds.filter((paneId) => !closed.includes(paneId));
      const known = each["reclaimedPaneIds"];
      return {
        ...rest,
        ...(closed.includes(each.paneId ?? "") ? { paneId: "" } : {}),
        ...(left.length === 0 ? {} : { previousPaneIds: left }),
        reclaimedPaneIds: [...Array.isArray(known) ? known : [], ...closed],
      };
    }),
  }));
}
