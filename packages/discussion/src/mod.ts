/**
 * Keeps the record of a moderated discussion between a user and several workers: an append-only chain of facts, and the
 * draft that is computed from them.
 *
 * @example
 * ```ts
 * import { confirmSubject, openLedger } from "@okstra/discussion";
 *
 * const ledger = openLedger([], "2026-01-31T09:05:00Z");
 * const context = { taskKey: "demo/review/src", projectRoot: "/p", store: null, run: null };
 * confirmSubject(ledger, context, { subject: "src", question: "Which faults does src hold?" });
 * console.log(ledger.draft.phase); // "ready"
 * ```
 *
 * @module
 */
export { addMaterial, type MaterialInput } from "./add-material.ts";
export { address, type AddressInput } from "./address.ts";
export { answer, type AnswerInput } from "./answer.ts";
export { ask, type QuestionInput } from "./ask.ts";
export { checkRecords, type RecordsCheck } from "./check-records.ts";
export { checkStore, type StoreCheck, type StoreFacts } from "./check-store.ts";
export type { ClaimRow } from "./claims.ts";
export { closeCycle, type CloseCycleFacts, type CloseCyclePayload } from "./close-cycle.ts";
export { type AnswerSources, collectAnswer } from "./collect-answer.ts";
export { collectQuestions, type CollectQuestionsPayload } from "./collect-questions.ts";
export { complete, type CompleteInput, type CompletePayload } from "./complete.ts";
export { confirmSubject, type SubjectInput } from "./confirm-subject.ts";
export type { Context, Outcome, OutputFile, RunContext, RunFacts } from "./context.ts";
export type { OpenCyclePayload } from "./cycle-actions.ts";
export type { CycleRow } from "./cycles.ts";
export { decide, type DecisionInput } from "./decide.ts";
export type { DispatchSources } from "./dispatch-rows.ts";
export { type Draft, projectDraft } from "./draft.ts";
export { drop, type DropInput } from "./drop.ts";
export type { Standing } from "./fold-claims.ts";
export type { Participant, Recovery } from "./fold-research.ts";
export { type Ledger, openLedger } from "./ledger.ts";
export type { Look, RunTeam, RunWork } from "./look.ts";
export { openCycle, type OpenCycleFacts } from "./open-cycle.ts";
export type { Phase } from "./phase.ts";
export { promptQuestion, type QuestionPrompt } from "./prompt-question.ts";
export { type RecordBook } from "./record-book.ts";
export { formatRecords } from "./records.ts";
export { recover, type RecoverInput, type RecoverPayload } from "./recover.ts";
export { renderPage } from "./render-html/page.ts";
export { renderShow } from "./render-show.ts";
export { renderDraft } from "./render.ts";
export { reopen, type ReopenInput } from "./reopen.ts";
export { type ReplayedFile, type ReplayPayload, replayStore } from "./replay.ts";
export { settle, type SettlePayload } from "./settle.ts";
export { showStatus, type StatusPayload } from "./status.ts";
export type { Suggestion } from "./suggest-commands.ts";
export { type VerifyPayload, verifyStore } from "./verify.ts";
