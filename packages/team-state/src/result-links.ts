import { isBlank } from "@okstra/manifest-io/blank";
import { OkstraError } from "@okstra/manifest-io/errors";
import { type ItemIdentity, parseItemIdentity } from "@okstra/manifest-io/identity";
import { isSameJson } from "@okstra/manifest-io/same-json";
import type { LedgerRow, ResultLink, TeamState } from "@okstra/manifest-io/schemas/team-state";

/** Which file is the result of which dispatch. */
export interface LinkRequest {
  readonly dispatchId: string;
  /** Project-relative, links resolved. */
  readonly resultPath: string;
}

/** What linking comes to. */
export interface LinkPlan {
  readonly link: ResultLink;
  /** The document with the link; `null` if it has it already. */
  readonly state: TeamState | null;
  /** The dispatch's row in the ledger of native dispatches, if it stands there with an identity of version 2. */
  readonly native: LedgerRow | null;
}

/**
 * Adds the link of a dispatch to its result, unless it is there.
 *
 * A dispatch has one result for ever, and a result one dispatch until that is rejected.
 *
 * @throws {OkstraError} `dispatch-ambiguous`, `dispatch-superseded`, `dispatch-linked` or `result-linked`, and the
 * errors of `parseItemIdentity` for a row that mixes identities
 */
export function planLink(state: TeamState, request: LinkRequest): LinkPlan {
  const { native, identity } = findDispatch(state, request.dispatchId);
  const { dispatchId, resultPath } = request;
  const link: ResultLink = { dispatchId, resultPath, ...identity };
  const links = state.agentResultLinks ?? [];
  const known = findOwnLink(links, link);
  if (known !== null) return { link: known, state: null, native };
  const other = links.find((each) =>
    each.resultPath === resultPath && each.supersededBy === undefined
  );
  if (other === undefined) {
    return { link, state: { ...state, agentResultLinks: [...links, link] }, native };
  }
  throw refuse(
    "result-linked",
    link,
    `it is the result of dispatch "${other.dispatchId}"`,
    `okstra-team-state result reject --dispatch-id ${other.dispatchId} --superseded-by ${dispatchId} --reason TEXT`,
  );
}

/** Finds the one dispatch of an id, which may have a row in each of the collections. */
function findDispatch(
  state: TeamState,
  dispatchId: string,
): { native: LedgerRow | null; identity: ItemIdentity | null } {
  const ledger = (state.agentDispatches ?? []).filter((row) => row.dispatchId === dispatchId);
  const started = (state.workerDispatches ?? []).filter((row) => row.dispatchId === dispatchId);
  const refuseRows = (state: string) =>
    new OkstraError(
      "dispatch-ambiguous",
      `Cannot link a result to dispatch "${dispatchId}": it needs exactly one record, and ${state}`,
      { hint: "okstra-team-state show" },
    );
  if (ledger.length > 1 || started.length > 1 || ledger.length + started.length === 0) {
    const counts = `${ledger.length} in agentDispatches, ${started.length} in workerDispatches`;
    throw refuseRows(`it has ${counts}`);
  }
  const [identity = null, twin = identity] = [...ledger, ...started].map((row) =>
    parseItemIdentity(row, `dispatch "${dispatchId}"`)
  );
  if (!isSameJson(identity, twin)) throw refuseRows("its two rows have different identities");
  const native = identity === null ? null : ledger[0] ?? null;
  return { native, identity };
}

function findOwnLink(links: readonly ResultLink[], wanted: ResultLink): ResultLink | null {
  for (const link of links.filter((each) => each.dispatchId === wanted.dispatchId)) {
    if (link.supersededBy !== undefined) {
      const state = `its result was rejected in favour of dispatch "${link.supersededBy}"`;
      throw refuse("dispatch-superseded", wanted, state, "dispatch the work anew");
    }
    if (isSameJson(link, wanted)) return link;
    const state = link.resultPath === wanted.resultPath
      ? "it is linked with another identity"
      : `its result is "${link.resultPath}" already`;
    throw refuse(
      "dispatch-linked",
      wanted,
      state,
      "a dispatch has one result; dispatch the work anew",
    );
  }
  return null;
}

function refuse(code: string, link: LinkRequest, state: string, hint: string): OkstraError {
  return new OkstraError(
    code,
    `Cannot link "${link.resultPath}" to dispatch "${link.dispatchId}": ${state}`,
    { hint },
  );
}

/** Which result is no longer one, and why. */
export interface Rejection {
  readonly dispatchId: string;
  /** Dispatch that does the work instead; stored as given. */
  readonly supersededBy: string;
  /** Stored as given. */
  readonly reason: string;
}

/**
 * Checks a rejection before anything is locked or written.
 *
 * @throws {OkstraError} `superseder-missing`, `reason-missing` or `self-superseded`
 */
export function checkRejection({ dispatchId, supersededBy, reason }: Rejection): void {
  const no = (code: string, state: string, hint: string) =>
    new OkstraError(code, `Cannot reject the result of dispatch "${dispatchId}": ${state}`, {
      hint,
    });
  if (isBlank(supersededBy)) {
    throw no(
      "superseder-missing",
      "the dispatch that supersedes it is not named",
      "add --superseded-by ID",
    );
  }
  if (isBlank(reason)) {
    throw no(
      "reason-missing",
      "it has no reason, and the ledger must say why a result was given up",
      "add --reason TEXT",
    );
  }
  if (supersededBy.trim() === dispatchId.trim()) {
    throw no(
      "self-superseded",
      "a dispatch cannot supersede itself",
      "name the new dispatch with --superseded-by ID",
    );
  }
}

/**
 * Marks the link of a dispatch as superseded; nothing is deleted.
 *
 * The tools link nothing themselves, the row of a completed dispatch says where its result is: such a dispatch gets its
 * link with the mark.
 *
 * @param toRelative makes the path of a row project-relative
 * @throws {OkstraError} `link-ambiguous` if the dispatch has not exactly one link or result, `already-superseded`
 */
export function rejectResult(
  state: TeamState,
  { dispatchId, supersededBy, reason }: Rejection,
  toRelative: (path: string) => string,
): { readonly state: TeamState; readonly link: ResultLink } {
  const links = state.agentResultLinks ?? [];
  const own = links.filter((each) => each.dispatchId === dispatchId);
  const [old = own.length === 0 ? impliedLink(state, dispatchId, toRelative) : undefined] = own;
  const name = `Cannot reject the result of dispatch "${dispatchId}"`;
  if (old === undefined || own.length > 1) {
    const count = own.length === 1 ? "1 link" : `${own.length} links`;
    throw new OkstraError("link-ambiguous", `${name}: it has ${count}, and needs exactly one`, {
      hint: "okstra-team-state show",
    });
  }
  if (old.supersededBy !== undefined) {
    throw new OkstraError(
      "already-superseded",
      `${name}: it was superseded by dispatch "${old.supersededBy}"`,
      { hint: `link or reject the result of "${old.supersededBy}"` },
    );
  }
  const link: ResultLink = { ...old, supersededBy, rejectionReason: reason };
  const at = links.indexOf(old), next = at < 0 ? [...links, link] : links.with(at, link);
  return { state: { ...state, agentResultLinks: next }, link };
}

/** Returns the link that the row of a completed dispatch of the tools stands for. */
function impliedLink(
  state: TeamState,
  dispatchId: string,
  toRelative: (path: string) => string,
): ResultLink | undefined {
  const isNative = state.agentDispatches?.some((row) => row.dispatchId === dispatchId) ?? false;
  const rows = (state.workerDispatches ?? []).filter((row) => row.dispatchId === dispatchId);
  const [row] = rows, path = row?.workerResultPath?.trim() || row?.resultPath?.trim();
  if (isNative || rows.length !== 1 || row?.status !== "completed" || !path) return undefined;
  const identity = parseItemIdentity(row, `dispatch "${dispatchId}"`);
  return { dispatchId, resultPath: toRelative(path), ...identity };
}
