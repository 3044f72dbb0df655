import type { api, Ok } from '@grove/contract';
import { intervalOf, MEASURED, type MeasuredMethod } from '../../engines/vision/measured.ts';
import type { CheckStatus } from '../../kernel/check.ts';
import { isReviewed, levelOf } from '../engine/assurance.ts';
import type { AssuranceLevel } from '../engine/assurance-level.ts';
import type { Definition } from '../engine/definition.ts';
import { isPassiveEnough } from '../engine/passive-enough.ts';
import { type Flow, isFinal } from '../engine/state.ts';

/** The assurance of a result: how each threat was assessed and with what measured error, or that it was not. Pure. */
export type Assurance = Ok<typeof api.userData.get>['_assurance'];
type Assessment = Assurance['presentationAttack'];

/** A stored check. */
export type AssessedCheck = {
  readonly step: string;
  readonly name: string;
  readonly status: CheckStatus;
  readonly reason: string | null;
  readonly meta_data: string | null;
};

export type AssessedJourney = {
  readonly definition: Definition;
  readonly flow: Flow;
  readonly checks: readonly AssessedCheck[];
  readonly environment: 'live' | 'test';
};

/** The checks from which the section is made. */
export const ASSESSED_CHECKS = [
  'liveness',
  'documentAuthenticity',
  'faceMatch',
  'faceAuthentication',
  'applicantMatch',
] as const;

const BOTH: AssuranceLevel[] = ['basic', 'substantial'];

export function showAssurance({ definition, flow, checks, environment }: AssessedJourney): Assurance {
  const simulated = environment === 'test';
  const { secondFactor } = flow;
  const isDecided = isFinal(flow.status) && flow.decision !== undefined;
  const liveness = weakest(checks, 'liveness');
  const authenticity = weakest(checks, 'documentAuthenticity');
  const applicant = weakest(checks, 'applicantMatch');
  const method = liveness && methodOf(liveness);
  const about = (check: AssessedCheck | undefined, how: Assessment['method'], countsFor: AssuranceLevel[]) =>
    assess(check, { method: how, countsFor, simulated });
  return {
    level: levelOf(definition),
    ...((isDecided || isReviewed(definition, flow)) && {
      decidedBy: isReviewed(definition, flow) ? 'human' : 'machine',
    }),
    ...(secondFactor && { secondFactor }),
    missing: [...(flow.gaps ?? [])],
    simulated,
    presentationAttack: about(liveness, method, liveness ? livenessCounts(definition, liveness) : []),
    injection: injectionOf(liveness, method),
    // No machine here proves that a document is genuine, so even a passed check counts for one level only.
    documentAuthenticity: about(authenticity, 'imageSigns', authenticity?.status === 'PASSED' ? ['basic'] : []),
    identityBinding: bindingOf(checks, about),
    expectedPerson: about(applicant, 'parameters', applicant?.status === 'PASSED' ? BOTH : []),
  };
}

const ORDER: readonly CheckStatus[] = ['FAILED', 'REVIEW', 'NOT_PERFORMED', 'PASSED'];

/** The check with the worst status: a result is no better than its weakest step. */
function weakest(checks: readonly AssessedCheck[], name: string): AssessedCheck | undefined {
  const sameName = checks.filter((check) => check.name === name);
  return sameName.toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status))[0];
}

type How = { method: Assessment['method']; countsFor: AssuranceLevel[]; simulated: boolean };

function assess(check: AssessedCheck | undefined, { method, countsFor, simulated }: How): Assessment {
  if (!check) return NOT_ASKED;
  const { status, reason } = check;
  const assessed = status !== 'NOT_PERFORMED' || reason === 'no_attack_seen';
  return {
    assessed,
    ...(method && { method }),
    status,
    ...(reason !== null && { reason }),
    countsFor,
    measured: assessed && !simulated ? measuredOf(method, metaOf(check)) : [],
  };
}

/** The definition does not require it, or the journey has not reached it. */
const NOT_ASKED: Assessment = { assessed: false, countsFor: [], measured: [] };

function measuredOf(method: Assessment['method'], { algorithm }: Meta): Assessment['measured'] {
  const pack = method === 'faceMatch' && algorithm === INTEL ? 'faceMatch, intel-0095' : method;
  const measurements = pack !== undefined && Object.hasOwn(MEASURED, pack) ? MEASURED[pack as MeasuredMethod] : [];
  return measurements.map((each) => ({ ...each, ...intervalOf(each) }));
}

type Meta = Readonly<Record<string, unknown>>;

const INTEL = 'GROVE_FACE_INTEL_0095_1';

function metaOf({ meta_data }: AssessedCheck): Meta {
  return meta_data === null ? {} : (JSON.parse(meta_data) as Record<string, unknown>);
}

function methodOf(check: AssessedCheck): 'challenge' | 'passive' | undefined {
  const { method } = metaOf(check);
  if (method === 'active' || check.reason === 'challenge_answered') return 'challenge';
  return method === 'passive' || check.reason === 'no_attack_seen' ? 'passive' : undefined;
}

function livenessCounts({ steps }: Definition, check: AssessedCheck): AssuranceLevel[] {
  if (check.status === 'PASSED') return BOTH;
  const step = steps.find(({ id }) => id === check.step);
  const { name, status, reason } = check;
  return step && isPassiveEnough(step, { name, status, ...(reason !== null && { reason }) }) ? ['basic'] : [];
}

/** Assesses injection by the browser's reports. An attacker who controls the browser can forge them, so no error is known. */
function injectionOf(liveness: AssessedCheck | undefined, method: 'challenge' | 'passive' | undefined): Assessment {
  const { hints } = liveness ? metaOf(liveness) : {};
  if (method !== 'challenge' || !Array.isArray(hints)) return NOT_ASKED;
  const signs = hints.filter((hint): hint is string => typeof hint === 'string');
  return {
    assessed: true,
    method: 'clientSignals',
    signs,
    countsFor: signs.length === 0 ? ['basic'] : [],
    measured: [],
  };
}

type About = (check: AssessedCheck | undefined, how: Assessment['method'], countsFor: AssuranceLevel[]) => Assessment;

/** Assesses whether the person before the camera is the one in the document or in a store. */
function bindingOf(checks: readonly AssessedCheck[], about: About): Assessment {
  const [match, authentication] = [weakest(checks, 'faceMatch'), weakest(checks, 'faceAuthentication')];
  const check = match ?? authentication;
  return about(check, match ? 'faceMatch' : 'faceAuthentication', check?.status === 'PASSED' ? BOTH : []);
}
