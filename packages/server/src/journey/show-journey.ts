import type { api, Ok } from '@grove/contract';
import { toDtm } from '../kernel/clock.ts';

import { correctableSteps } from '../process-manager/engine/do-again.ts';
import { triesLeft } from '../process-manager/engine/judge-attempt.ts';
import type { Current, InstanceStatus } from '../process-manager/engine/state.ts';
import { stepTypeOf } from '../process-manager/engine/steps/registry.ts';
import { earlierAttempts } from '../process-manager/engine/walk.ts';
import { STATUS_MAPPED } from '../process-manager/instances/instance-view.ts';
import type { ShownJourney } from '../process-manager/runtime/drive.ts';

/** The view of a journey for a browser. Nothing else of the definition, the state or the instance leaves the server. Pure. */
export type Journey = Ok<typeof api.journey.get>;

type Outcome = NonNullable<Journey['result']>['outcome'];

const OUTCOMES: Readonly<Partial<Record<InstanceStatus, Outcome>>> = {
  REVIEW: 'received',
  COMPLETED_ENDED_SUCCESS: 'passed',
  COMPLETED_ENDED_ERROR: 'notPossible',
  COMPLETED_PROCESS_ERROR: 'tryAgain',
  COMPLETED_TERMINATED: 'expired',
};

type Tenant = { tenantId: string; tenantName: string };

export type Parts = Tenant & {
  device: Journey['device'];
  images: string[];
  redirectUrl: string | undefined;
  homeUrl: string | undefined;
};

export function showJourney(
  snapshot: ShownJourney,
  { device, images, redirectUrl, homeUrl, ...tenant }: Parts,
): Journey {
  const { root, state } = snapshot;
  const { current } = state.flow;
  const outcome = OUTCOMES[root.status];
  const waitingFor = outcome === 'received' ? 'review' : outcome ? undefined : waitsFor(current);
  const step = outcome ? undefined : showStep(snapshot, images);
  return {
    ...head(snapshot, tenant),
    progress: progressOf(snapshot),
    ...preparationOf(snapshot),
    ...(step && { step }),
    correctable: step ? correctableOf(snapshot) : [],
    ...(step && askedAgainOf(snapshot)),
    ...(waitingFor && { waitingFor }),
    ...(outcome && {
      result: { outcome, ...(redirectUrl !== undefined && { redirectUrl }), ...(homeUrl !== undefined && { homeUrl }) },
    }),
    device,
  };
}

/** The status that an unconfirmed device sees instead of the real one, because its link may be stolen. */
export const UNCONFIRMED = { status: 'PENDING', revision: 0 } as const;

/** The view of an unconfirmed device, which can only confirm its number. */
export function showUnconfirmed(snapshot: ShownJourney, tenant: Tenant): Journey {
  return {
    ...head(snapshot, tenant),
    ...UNCONFIRMED,
    statusMapped: STATUS_MAPPED[UNCONFIRMED.status],
    progress: { position: 0, total: 0 },
    stepTypes: [],
    needs: [],
    minutes: 0,
    correctable: [],
    retentionDays: 0,
    device: { active: false, handoff: 'CONFIRMING' },
  };
}

function head({ root, revision, definition: { definition } }: ShownJourney, { tenantId, tenantName }: Tenant) {
  return {
    processInstanceId: root.id,
    environment: root.environment,
    tenantName,
    status: root.status,
    statusMapped: STATUS_MAPPED[root.status],
    revision,
    retentionDays: definition.retentionDays,
    themeUrl: `/api/theme-server/themes/${encodeURIComponent(definition.theme)}?tn=${tenantId}${root.environment === 'test' ? '&environment=test' : ''}`,
  };
}

function correctableOf({ definition, state }: ShownJourney): Journey['correctable'] {
  return correctableSteps(definition, state).map(({ id, type, title }) => ({
    stepId: id,
    type,
    ...(title !== undefined && { title: byLanguage(title as LocalText) }),
  }));
}

type LocalText = string | Record<string, string>;

function byLanguage(text: LocalText): Record<string, string> {
  return typeof text === 'string' ? { und: text } : { ...text };
}

/** Shown only with a step that the reviewer asked for again. */
function askedAgainOf({ state: { flow, data } }: ShownJourney): Pick<Journey, 'askedAgain'> {
  const { steps = [], reason } = flow.askedAgain ?? {};
  if (!flow.current || !steps.includes(flow.current.step)) return {};
  return {
    askedAgain: { ...(reason !== undefined && { reason }), ...(data.message && { message: { ...data.message } }) },
  };
}

function showStep({ definition, state }: ShownJourney, images: string[]): Journey['step'] {
  const { current } = state.flow;
  const step = current?.phase === 'user' ? definition.step(current.step) : undefined;
  if (!current || !step) return undefined;
  return {
    id: step.id,
    type: step.type,
    attempt: current.attempt - earlierAttempts(state, step.id),
    maxAttempts: step.maxAttempts ?? 1,
    triesLeft: triesLeft(step, current, earlierAttempts(state, step.id)),
    ...(current.dueAt !== undefined && { expiringDtm: toDtm(current.dueAt) }),
    settings: { ...stepTypeOf(step.type).user?.show(step, state) },
    images,
    ...(current.fault && { fault: current.fault }),
    ...(current.mayUseAnyway && { mayUseAnyway: true }),
  };
}

/** A child that has not begun counts as a check, like everything that the end user cannot influence. */
function waitsFor(current: Current | undefined): Journey['waitingFor'] {
  switch (current?.phase) {
    case 'user':
      return undefined;
    case 'review':
      return 'review';
    case 'pause':
      return 'resume';
    default:
      return 'check';
  }
}

/** The progress in the steps of the end user, without skipped ones. */
function progressOf({ definition, state }: ShownJourney): Journey['progress'] {
  const { done } = state.flow;
  const recordOf = (id: string) => (Object.hasOwn(done, id) ? done[id] : undefined);
  const steps = definition.definition.steps.filter(
    ({ id, type }) => stepTypeOf(type).kind === 'user' && recordOf(id)?.outcome !== 'SKIPPED',
  );
  const endedCount = steps.filter(({ id }) => recordOf(id) !== undefined).length;
  return { position: Math.min(endedCount + 1, steps.length), total: steps.length };
}

/** What the end user should prepare. A step that may be skipped later counts. */
function preparationOf({ definition }: ShownJourney): Pick<Journey, 'stepTypes' | 'needs' | 'minutes'> {
  const types = [...new Set(definition.definition.steps.map(({ type }) => stepTypeOf(type)))];
  const parts = types.flatMap(({ type, user }) => (user ? [{ type, ...user }] : []));
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
  return {
    stepTypes: parts.map(({ type }) => type),
    needs: NEEDS.filter((need) => parts.some(({ needs }) => needs === need)),
    minutes: Math.max(1, Math.ceil(seconds / 60)),
  };
}

/** The needs in the order of the page. */
const NEEDS = ['document', 'face', 'form', 'passkey', 'totp'] as const;

export function namesOfAttempt(images: ShownJourney['images'], { step, attempt }: Current): string[] {
  return images.filter((each) => each.step === step && each.attempt === attempt).map(({ name }) => name);
}
