import { readDate } from './dates.ts';
import type { Step } from './definition.ts';
import { CORRECTABLE_FIELDS, DATE_FIELDS } from './document-facts.ts';
import { type ReadField, shownValue } from './read-values.ts';
import { type Flow, isFinal, type JourneyData, type Reason, type StepRecord, type Trigger } from './state.ts';
import { stepTypeOf } from './steps/registry.ts';
import { assessedOf, outcomeOf } from './take-findings.ts';
import { enterFrom, keep, noteChecks, setFlow, stepOf, type Walk } from './walk.ts';

/**
 * Corrects a value that a machine misread. The checks that compare this value, and later conclusions of machines, are made
 * again. A correction decides nothing: a human gives the verdict whatever the rules result in, because otherwise one person
 * could bypass the four-eyes rule. Pure.
 */
export const MAX_VALUE_CORRECTIONS = 50;

type CorrectionInput = Extract<Trigger, { type: 'correctValue' }>;
type Refusal = { refusal: Reason; faults?: readonly { pointer: string; message: string }[] };

export function correctValue(walk: Walk, input: CorrectionInput): Refusal | undefined {
  const { current, done } = walk.state.flow;
  if (current?.phase !== 'review') return { refusal: 'notInReview' };
  const step = walk.definition.definition.steps.find((each) => each.key === input.document && isRead(each, done));
  const record = step && done[step.id];
  const document = step && documentOf(walk.state.data, input.document);
  if (!step || !record || !document) return fault('/document', 'is not a document that was read');
  const field = document.biographicData.find(({ fieldName }) => fieldName === input.fieldName);
  const faults = faultsOf(walk, input, field);
  if (faults) return faults;
  const before = shownValue(field?.values ?? {});
  if (input.replaces !== undefined && input.replaces !== before) return { refusal: 'changed' };

  const key = input.document;
  const corrected = withValue(document.biographicData, input);
  const { fieldName, value, comment, reviewer } = input;
  const correction = { step: step.id, fieldName, value, before, comment, reviewer, at: walk.input.now };
  keep(walk, {
    documents: { [key]: { ...walk.state.data.documents[key], biographicData: corrected } },
    corrections: [...(walk.state.data.corrections ?? []), correction],
  });
  evaluateAnew(walk, step, record, input);
}

function isRead({ id, type }: Step, done: Flow['done']): boolean {
  return stepTypeOf(type).corrected !== undefined && Object.hasOwn(done, id);
}

function documentOf({ documents }: JourneyData, key: string): { biographicData: readonly ReadField[] } | undefined {
  if (!Object.hasOwn(documents, key)) return undefined;
  const { biographicData } = documents[key] as { biographicData?: readonly ReadField[] };
  return { biographicData: biographicData ?? [] };
}

const fault = (pointer: string, message: string): Refusal => ({ refusal: 'badInput', faults: [{ pointer, message }] });

function faultsOf({ state }: Walk, { fieldName, value }: CorrectionInput, field: ReadField | undefined) {
  if (!field && !CORRECTABLE_FIELDS.includes(fieldName)) return fault('/fieldName', 'is not a field of this document');
  if (DATE_FIELDS.includes(fieldName) && !readDate(value)) return fault('/value', 'must be a day such as 1990-01-31');
  if (field && shownValue(field.values) === value) return fault('/value', 'is the present value');
  const { corrections = [] } = state.data;
  if (corrections.length < MAX_VALUE_CORRECTIONS) return undefined;
  return fault('/value', `cannot be corrected: ${MAX_VALUE_CORRECTIONS} corrections were made`);
}

function withValue(fields: readonly ReadField[], { fieldName, value }: CorrectionInput): ReadField[] {
  const others = fields.map((field) =>
    field.fieldName === fieldName ? { ...field, values: { ...field.values, correctedValue: value } } : field,
  );
  const isNew = !fields.some((field) => field.fieldName === fieldName);
  return isNew ? [...others, { fieldName, values: { correctedValue: value } }] : others;
}

function evaluateAnew(walk: Walk, step: Step, record: StepRecord, input: CorrectionInput): void {
  const { state } = walk;
  const before = (Object.hasOwn(input.checks, step.id) && input.checks[step.id]) || [];
  const checks = stepTypeOf(step.type).corrected?.(step, { state, checks: before, now: walk.input.now }) ?? before;
  noteChecks(walk, step, record.attempts, checks);
  const again = concludedAfter(walk, step);
  const { current, decision: _d, gaps: _g, secondFactor: _f, evaluation: _e, ...flow } = state.flow;
  const remaining = Object.entries(flow.done).filter(([id]) => !again.includes(id));
  const attempts = again.map((id) => [id, flow.done[id]?.attempts ?? 0]);
  const { outcome, ...rest } = outcomeOf(step, checks);
  const newRecord: StepRecord = { outcome, attempts: record.attempts, ...rest, ...assessedOf(checks) };
  walk.state = {
    ...walk.state,
    flow: {
      ...flow,
      status: 'ACTIVE',
      done: { ...Object.fromEntries(remaining), [step.id]: newRecord },
      earlier: { ...flow.earlier, ...Object.fromEntries(attempts) },
      corrected: [...new Set([...(flow.corrected ?? []), step.id])],
    },
  };
  if (again.length > 0) walk.effects.push({ type: 'forget', steps: again });
  const { fieldName } = input;
  walk.effects.push({ type: 'event', event: 'instance.valueCorrected', step: step.id, data: { fieldName } });
  const effects = walk.effects.length;
  enterFrom(walk, 0);
  const wouldEnd = isFinal(walk.state.flow.status);
  // The definition would end the journey here, which only the reviewer may do.
  if (wouldEnd) walk.effects.length = effects;
  const waiting = wouldEnd ? current : walk.state.flow.current;
  if (!current || waiting?.phase !== 'review') return;
  // Verdicts belong to the moment when the review began, so the new review must begin later, even within one millisecond.
  const enteredAt = Math.max(walk.input.now, current.enteredAt + 1);
  setFlow(walk, { status: 'REVIEW', current: { ...waiting, enteredAt }, ...(wouldEnd && { evaluation: 'FAIL' }) });
}

/** Removes the corrections of these steps, because the steps are done again. */
export function withoutCorrections(
  { corrected = [], evaluation: _before, ...flow }: Flow,
  steps: readonly string[],
): Flow {
  const remaining = corrected.filter((id) => !steps.includes(id));
  return { ...flow, ...(remaining.length > 0 && { corrected: remaining }) };
}

/** The later steps that depend on its values and can be done again: searches of machines, and skipped steps. */
function concludedAfter(walk: Walk, { id: correctedId, key }: Step): string[] {
  const index = walk.definition.indexOf(correctedId);
  return Object.entries(walk.state.flow.done).flatMap(([id, { outcome }]) => {
    const step = stepOf(walk, id);
    const restsOnIt = stepTypeOf(step.type).readsValuesOf?.(step, key as string) ?? false;
    return walk.definition.indexOf(id) > index && (outcome === 'SKIPPED' || restsOnIt) ? [id] : [];
  });
}
