import { type api, type Body, MAX_INPUT_ERRORS } from '@grove/contract';
import type { TenantTx } from '../db/db.ts';
import type { JourneyContext } from '../kernel/context.ts';
import { ApiError, type FieldFault, invalidInput } from '../kernel/errors.ts';
import { type Current, isFinal } from '../process-manager/engine/state.ts';
import { openFacts, sealFacts, withNetwork } from '../process-manager/instances/session-facts.ts';
import { type ApplyResult, type ShownJourney, type Snapshot, shownAfter } from '../process-manager/runtime/drive.ts';
import type { JourneyDeps } from './journey-deps.ts';
import { findSession, type SessionRow, setSessionFacts } from './sessions.repository.ts';
import { namesOfAttempt } from './show-journey.ts';
import { spendChallenge } from './spend-challenge.ts';

/** The actions of the end user. They return the next view of the page, if it is known. */
type StepInput = Body<typeof api.journey.submitStep>;

export function stepHandlers(deps: JourneyDeps) {
  return {
    submit: (context: JourneyContext, stepId: string, input: StepInput): Promise<ShownJourney | undefined> =>
      context.db.write(async (tx) => {
        const { revision, result = {}, unable, useAnyway } = input;
        const snapshot = await lockToTell(deps, tx, context);
        const current = currentUserStep(snapshot, stepId);
        // A page with an older state may have meant another attempt.
        if (revision !== snapshot.revision) throw new ApiError(100056);
        const images = namesOfAttempt(snapshot.images, current);
        if (!unable && !useAnyway) await spendChallenge(deps, tx, { snapshot, current, result, now: context.now });
        const applied = await deps.processes.drive.applyTo(
          tx,
          snapshot,
          eventOf(stepId, input) ?? { type: 'submit', step: stepId, result, images },
          context.now,
        );
        ensureApplied(applied);
        return shownAfter(snapshot, applied);
      }),

    repeat: (context: JourneyContext, stepId: string, revision: number): Promise<ShownJourney | undefined> =>
      context.db.write(async (tx) => {
        const snapshot = await lockToTell(deps, tx, context);
        if (revision !== snapshot.revision) throw new ApiError(100056);
        const again = { type: 'doAgain', step: stepId } as const;
        const applied = await deps.processes.drive.applyTo(tx, snapshot, again, context.now);
        if (applied.refusal) throw new ApiError(100232);
        return shownAfter(snapshot, applied);
      }),

    leave: (context: JourneyContext, stepId: string): Promise<void> =>
      context.db.write(async (tx) => {
        const snapshot = await lockToTell(deps, tx, context);
        currentUserStep(snapshot, stepId);
        await deps.processes.leaveStep(tx, snapshot, context.now);
      }),

    abandon: (context: JourneyContext): Promise<void> =>
      context.db.write(async (tx) => {
        const snapshot = await lockToTell(deps, tx, context);
        const { refusal } = await deps.processes.drive.endEarly(tx, snapshot, 'abandon', context.now);
        // A journey in review cannot be abandoned.
        if (refusal) throw new ApiError(100057);
      }),
  };
}

/** Reads the journey for checks that the transaction repeats. */
export async function lookAtJourney(deps: JourneyDeps, { db, session }: JourneyContext): Promise<Snapshot> {
  return ensureUnderWay(await deps.processes.drive.look(db, session.instanceId));
}

function ensureUnderWay(snapshot: Snapshot | undefined): Snapshot {
  if (!snapshot) throw new ApiError(100022);
  if (isFinal(snapshot.root.status)) throw new ApiError(100057);
  return snapshot;
}

/**
 * Locks the journey until the end of the transaction and reads it. Ensures that the session acts. The root is locked first,
 * in the same order as everywhere else (deadlock).
 */
export async function lockJourney(deps: JourneyDeps, tx: TenantTx, context: JourneyContext): Promise<Snapshot> {
  const { session } = context;
  // Sent together: the lock is taken first, and the other reads run under it.
  const [instance, own, snapshot] = await Promise.all([
    deps.processes.lockInstance(tx, { id: session.instanceId }),
    findSession(tx, { id: session.sessionId }),
    deps.processes.drive.look(tx, session.instanceId),
  ]);
  if (!instance) throw new ApiError(100022);
  if (own?.state !== 'ACTIVE') throw new ApiError(own ? 100058 : 100054);
  await noteNetwork(tx, own, context);
  return ensureUnderWay(snapshot);
}

/** Locks the journey for a change with events: the subscriptions are read together with the journey. */
export function lockToTell(deps: JourneyDeps, tx: TenantTx, context: JourneyContext): Promise<Snapshot> {
  const locking = lockJourney(deps, tx, context);
  deps.processes.expectNotified(tx);
  return locking;
}

/** Records a changed address of the end user, for reviewers. */
async function noteNetwork(tx: TenantTx, { id, facts }: SessionRow, { address, now }: JourneyContext): Promise<void> {
  const changed = facts && withNetwork(await openFacts(tx, id, facts), address, now);
  if (changed) setSessionFacts(tx, { id, facts: await sealFacts(tx, id, changed) });
}

/** The event of a step without a result. */
function eventOf(step: string, { unable, useAnyway }: StepInput) {
  if (unable) return { type: 'unable', step } as const;
  return useAnyway ? ({ type: 'useAnyway', step } as const) : undefined;
}

export function currentUserStep({ state }: Snapshot, stepId: string): Current {
  const { current } = state.flow;
  if (current?.phase !== 'user' || current.step !== stepId) throw new ApiError(100056);
  return current;
}

export function ensureApplied(applied: ApplyResult): void {
  switch (applied.refusal) {
    case undefined:
      return;
    case 'ended':
      throw new ApiError(100057);
    case 'notOffered':
      throw new ApiError(100155);
    case 'badInput':
      throw invalidInput(...faultsOf(applied.faults ?? []));
    default:
      throw new ApiError(100056);
  }
}

/** Pointers to missing images do not begin with `/result`, because images are not part of the result. */
function faultsOf(faults: readonly FieldFault[]): FieldFault[] {
  return faults.slice(0, MAX_INPUT_ERRORS).map(({ pointer, message }) => ({
    pointer: pointer.startsWith('/images/') ? pointer : `/result${pointer}`,
    message,
  }));
}
