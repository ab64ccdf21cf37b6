import type { ClaimRow } from "./claims.ts";
import { type Position, splitSides } from "./claim-sides.ts";
import type { CycleRow } from "./cycles.ts";
import type { Participant } from "./fold-research.ts";
import type { Draft } from "./draft.ts";
import { USER } from "./reserved-authors.ts";
import type { FailureRow } from "./failures.ts";
import { formatSection, inlineText, joinParts, listNames, quoteText } from "./markdown.ts";
import type { QuestionRow } from "./questions.ts";

/**
 * Renders a draft as Markdown that ends in one newline.
 *
 * Depends on the records alone: same records, same bytes. Free text stands quoted; every section is there, an empty
 * one says `none`.
 */
export function renderDraft(draft: Draft, taskKey: string): string {
  const { questions } = draft;
  const answered = (isFromUser: boolean) =>
    questions.flatMap((question) =>
      question.answers.filter(({ author }) => (author === USER) === isFromUser)
        .map((answer) => renderAnswer(question, answer))
    );
  const materials = (kind: string) =>
    draft.materials.filter(({ materialKind }) => materialKind === kind).map(renderMaterial);
  const open = questions.filter(({ isSettled }) => !isSettled).map(renderQuestion);
  const dropped = questions.filter((question) => question.dropped).map(renderQuestion);
  return [
    `# Discussion record of ${inlineText(taskKey)}\n\nDraft version: ${draft.recordsDigest}\n`,
    formatSection("Subject and question", renderSubject(draft)),
    formatSection("Based on", renderBasis(draft)),
    formatSection("User decisions", draft.decisions.map(renderDecision)),
    formatSection("Answers of the user", answered(true)),
    formatSection("Answers of participants", answered(false)),
    formatSection("Evidence", materials("evidence")),
    formatSection("Alternatives", materials("alternative")),
    formatSection("Research", draft.cycles.map(renderCycle)),
    formatSection("Failures and unverified scope", draft.failures.map(renderFailure)),
    formatSection("Remaining disagreements", renderDisagreements(draft)),
    formatSection("Open questions", open),
    formatSection("Dropped questions", dropped),
  ].join("\n");
}

function renderSubject({ subject }: Draft): readonly string[] {
  if (subject === null) return [];
  return [
    `Subject (${subject.recordId}):\n\n${quoteText(subject.subject)}`,
    `Question:\n\n${quoteText(subject.question)}`,
  ];
}

function renderBasis({ basedOn }: Draft): readonly string[] {
  return basedOn === null ? [] : [
    `Revision ${inlineText(basedOn.revisionId)}, opened again by the user:\n\n${
      quoteText(basedOn.reason)
    }`,
  ];
}

function renderDecision({ recordId, text, settles }: Draft["decisions"][number]): string {
  const scope = settles.length === 0 ? "" : ` settles ${listNames(settles)}`;
  return `### ${recordId}${scope}\n\n${quoteText(text)}`;
}

function renderAnswer(question: QuestionRow, answer: QuestionRow["answers"][number]): string {
  const from = answer.resultPath === undefined ? "" : `\n\nFile: ${inlineText(answer.resultPath)}`;
  return [
    `### ${answer.recordId} of ${inlineText(answer.author)} to ${question.recordId}`,
    `Asked by ${inlineText(question.author)}:`,
    quoteText(question.text),
    `Answer:`,
    `${quoteText(answer.text)}${from}`,
  ].join("\n\n");
}

function renderMaterial(material: Draft["materials"][number]): string {
  const place = material.location === "" ? "" : `\n\nPlace: ${inlineText(material.location)}`;
  return `### ${material.recordId} of ${inlineText(material.author)}\n\n${
    quoteText(material.text)
  }${place}`;
}

function renderQuestion({ recordId, author, to, text }: QuestionRow): string {
  return `### ${recordId} of ${inlineText(author)} to ${inlineText(to)}\n\n${quoteText(text)}`;
}

function renderCycle(cycle: CycleRow): string {
  const facts = [
    `- Status: ${cycle.status}`,
    `- Run: ${inlineText(cycle.sourceRun)}`,
    `- Participants: ${joinParts(cycle.roster.map(nameParticipant))}`,
    `- Unverified: ${listNames(cycle.unverified)}`,
    `- Input: ${listNames(cycle.inputRefs)}`,
    `- Results: ${joinParts(cycle.results.map(nameResult))}`,
    ...cycle.close === null ? [] : [`- Final state: ${inlineText(cycle.close.finalState)}`],
  ];
  return [`### ${cycle.recordId}`, facts.join("\n"), ...cycle.claims.map(renderClaim)].join("\n\n");
}

function nameParticipant({ worker, model }: Participant): string {
  return `${inlineText(worker)} (${inlineText(model)})`;
}

function nameResult({ recordId, author, resultPath }: CycleRow["results"][number]): string {
  return `${recordId} of ${inlineText(author)} (${inlineText(resultPath)})`;
}

function renderClaim(claim: ClaimRow): string {
  const revisited = claim.revisitedBy.length === 0
    ? []
    : [`Revisited by ${listNames(claim.revisitedBy)}`];
  const verdicts = claim.verdicts.map(({ round, worker, verdict, disagreeBasis, explanation }) => {
    const basis = disagreeBasis === null ? "" : ` (${inlineText(disagreeBasis)})`;
    return `- Round ${inlineText(String(round))}, ${inlineText(worker)}: ${
      inlineText(verdict)
    }${basis}${explanation === "" ? "" : `\n\n${quoteText(explanation)}`}`;
  });
  return [
    `#### ${claim.recordId} ${claim.standing} (${inlineText(claim.classification)})`,
    [
      `- Finding: ${inlineText(claim.findingId)} of ${inlineText(claim.author)}`,
      `- Category: ${inlineText(claim.category)}`,
      `- Found by: ${listNames(claim.discoveredBy)}`,
    ].join("\n"),
    ...revisited,
    `Summary:\n\n${quoteText(claim.summary)}`,
    `Evidence:\n\n${quoteText(claim.evidence)}`,
    `Verdicts:\n\n${verdicts.length === 0 ? "none" : verdicts.join("\n\n")}`,
  ].join("\n\n");
}

function renderFailure(failure: FailureRow): string {
  const scope = failure.questionId ?? failure.cycleId;
  const became = failure.recovery === null
    ? "waits for the user"
    : `${failure.recovery.choice} (${failure.recovery.recordId})`;
  return [
    `### ${failure.recordId} of ${inlineText(failure.author)} in ${inlineText(scope)}`,
    [
      `- Stage: ${failure.stage}, attempts: ${failure.attempts}`,
      `- Status: ${inlineText(failure.status)}`,
      `- Recovery: ${became}`,
    ].join("\n"),
    `Reason:\n\n${quoteText(failure.reason)}`,
  ].join("\n\n");
}

function renderDisagreements(draft: Draft): readonly string[] {
  return draft.remainingDisagreements.map(draft.claim).filter((claim) => claim !== null)
    .map((claim) => {
      const { support, oppose, undecided } = splitSides(claim);
      return [
        `### ${claim.recordId} of ${inlineText(claim.author)}`,
        quoteText(claim.summary),
        ...renderSide("For it", support),
        ...renderSide("Against it", oppose),
        ...undecided.length === 0 ? [] : renderSide("Undecided", undecided),
      ].join("\n\n");
    });
}

function renderSide(title: string, positions: readonly Position[]): readonly string[] {
  if (positions.length === 0) return [`${title}: nobody`];
  return positions.flatMap(({ worker, round, verdict, basis, explanation }) => {
    const when = round === null ? "" : `, round ${inlineText(String(round))}`;
    const why = basis === null ? "" : ` (${inlineText(basis)})`;
    const head = `${title}: ${inlineText(worker)}${when}: ${inlineText(verdict)}${why}`;
    return explanation === "" ? [head] : [head, quoteText(explanation)];
  });
}
