import type { Check } from '../../kernel/check.ts';

/**
 * The findings of the sandbox that a caller can choose by the parameter `_scenario`. A scenario changes single checks; all
 * others pass. The outcome is that of the shipped definition `document-and-selfie`.
 */
export type Scenario = {
  readonly name: string;
  readonly description: string;
  readonly outcome: 'COMPLETED_ENDED_SUCCESS' | 'COMPLETED_ENDED_ERROR' | 'COMPLETED_PROCESS_ERROR' | 'REVIEW';
  readonly finds?: { readonly [check: string]: ScenarioFinding };
  /** Fields of the document that replace those of the expected person. */
  readonly reads?: Readonly<Record<string, string>>;
  /** The age of the person on the document. */
  readonly bornYearsAgo?: number;
  /** The machine itself fails at the document. */
  readonly breaks?: true;
};

type ScenarioFinding = Pick<Check, 'status' | 'reason' | 'advice'> & {
  /** The number of attempts with this finding before the check passes; all attempts by default. */
  readonly times?: number;
  readonly score?: number;
};

export const DEFAULT_SCENARIO = 'passed';

const failed = (reason: string, advice: 'retry' | 'final', more: Partial<ScenarioFinding> = {}): ScenarioFinding => ({
  status: 'FAILED',
  reason,
  advice,
  ...more,
});
const forReview = (reason: string, more: Partial<ScenarioFinding> = {}): ScenarioFinding => ({
  status: 'REVIEW',
  reason,
  advice: 'final',
  ...more,
});

export const scenarios: readonly Scenario[] = [
  {
    name: DEFAULT_SCENARIO,
    description: 'Every check passes.',
    outcome: 'COMPLETED_ENDED_SUCCESS',
  },
  {
    name: 'document-blurred-once',
    description: 'The first photograph of the document is blurred, the second is good.',
    outcome: 'COMPLETED_ENDED_SUCCESS',
    finds: { documentQuality: failed('blurred', 'retry', { times: 1 }) },
  },
  {
    name: 'document-blurred',
    description: 'Every photograph of the document is blurred; it can be used all the same, and a human decides.',
    outcome: 'REVIEW',
    finds: { documentQuality: failed('blurred', 'retry') },
  },
  {
    name: 'document-unreadable',
    description: 'No photograph of the document can be read.',
    outcome: 'REVIEW',
    finds: { documentQuality: failed('unreadable', 'retry') },
  },
  {
    name: 'document-expired',
    description: 'The document has expired.',
    outcome: 'REVIEW',
    finds: { documentExpiry: failed('expired', 'retry') },
  },
  {
    name: 'document-inconsistent',
    description: 'The machine-readable zone says something else than the printed text.',
    outcome: 'REVIEW',
    finds: { documentConsistency: forReview('mrz_mismatch') },
  },
  {
    name: 'applicant-mismatch',
    description: 'The document is that of somebody else than the parameters of the instance name.',
    outcome: 'REVIEW',
    reads: { 'First Name': 'GRETA', 'Last Name': 'HOLMQVIST', 'Date Of Birth': '1951-02-03' },
    finds: { applicantMatch: failed('name_differs', 'final') },
  },
  {
    name: 'applicant-uncertain',
    description: 'The document has another last name than the parameters of the instance; a human decides.',
    outcome: 'REVIEW',
    reads: { 'Last Name': 'HOLMQVIST' },
    finds: { applicantMatch: forReview('last_name_differs') },
  },
  {
    name: 'underage',
    description: 'The person on the document is 12 years old; of effect in definitions with a rule about the age.',
    outcome: 'COMPLETED_ENDED_SUCCESS',
    bornYearsAgo: 12,
  },
  {
    name: 'document-photocopy',
    description: 'The document is a grey copy.',
    outcome: 'REVIEW',
    finds: { documentAuthenticity: failed('photocopy', 'retry') },
  },
  {
    name: 'document-suspicious',
    description: 'Something about the document looks as if it were on a screen or printed by an office printer.',
    outcome: 'REVIEW',
    finds: { documentAuthenticity: forReview('screen_or_print') },
  },
  {
    name: 'liveness-failed',
    description: 'The selfie is a picture of a picture.',
    outcome: 'REVIEW',
    finds: { liveness: failed('not_live', 'retry') },
  },
  {
    name: 'liveness-failed-once',
    description: 'The first selfie is too dark, the second is good.',
    outcome: 'COMPLETED_ENDED_SUCCESS',
    finds: { faceQuality: failed('too_dark', 'retry', { times: 1, score: 0.3 }) },
  },
  {
    name: 'face-mismatch',
    description: 'The selfie shows somebody else than the document.',
    outcome: 'REVIEW',
    finds: { faceMatch: failed('not_the_same', 'final', { score: 0.07 }) },
  },
  {
    name: 'face-uncertain',
    description: 'Whether selfie and document show one person is for a human to say.',
    outcome: 'REVIEW',
    finds: { faceMatch: forReview('uncertain', { score: 0.46 }) },
  },
  {
    name: 'watchlist-hit',
    description: 'The face resembles one on a watchlist; of effect in definitions with a watchlist step.',
    outcome: 'COMPLETED_ENDED_SUCCESS',
    finds: { watchlist: forReview('candidate_found', { score: 0.83 }) },
  },
  {
    name: 'duplicate-found',
    description: 'The face is known from another instance; of effect in definitions with a duplicate step.',
    outcome: 'COMPLETED_ENDED_SUCCESS',
    finds: { duplicate: forReview('candidate_found', { score: 0.91 }) },
  },
  {
    name: 'not-performed',
    description: 'The machine is not there: no check is performed, and a human decides.',
    outcome: 'REVIEW',
    finds: Object.fromEntries(
      [
        'documentQuality',
        'documentType',
        'documentMrz',
        'documentExpiry',
        'documentPlausibility',
        'documentConsistency',
        'documentAuthenticity',
        'faceQuality',
        'liveness',
        'faceMatch',
      ].map((name) => [name, { status: 'NOT_PERFORMED', reason: 'engine_not_available', advice: 'final' } as const]),
    ),
  },
  {
    name: 'engine-error',
    description: 'The machine breaks down at the document.',
    outcome: 'COMPLETED_PROCESS_ERROR',
    breaks: true,
  },
];

export function scenarioOf(name: string | undefined): Scenario {
  const scenario = scenarios.find((each) => each.name === (name ?? DEFAULT_SCENARIO));
  return scenario ?? (scenarios[0] as Scenario);
}

export function isScenario(name: string): boolean {
  return scenarios.some((each) => each.name === name);
}
