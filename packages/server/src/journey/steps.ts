import { type api, type Body, MAX_INPUT_ERRORS } from '@grove/contract';
import type { TenantTx } from '../db/db.ts';
import type { JourneyContext } from '../kernel/context.ts';
import { ApiError, type FieldFault, invalidInput } from '../kernel/errors.ts';
import { type Current, isFinal } from '../process-manager/engine/state.ts';
import { openFacts, sealFacts, withNetwork } from '../process-manager/instances/session-facts.ts';
import { type Applied, type ShownJourney, type Snapshot, shownAfter } from '../process-manager/runtime/drive.ts';
import type { JourneyDeps } from './journey-deps.ts';
import { findSession, type SessionRow, setSessionFacts } from './sessions.repository.ts';
import { namesOfAttempt } from './show-journey.ts';
import { spendAnswered } from './spend-answered.ts';

/** What the end user does: steps are submitted, and a journey can be left. Gives what the page shows next, if it is known. */
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
        if (!unable && !useAnyway) await spendAnswered(deps, tx, { snapshot, current, result, now: context.now });
        const applied = await deps.processes.drive.applyTo(
          tx,
          snapshot,
          happeningOf(stepId, input) ?? { type: 'submit', step: stepId, result, images },
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

/** Where the journey stands, for what is checked before the transaction checks it again. */
export async function lookAtJourney(deps: JourneyDeps, { db, session }: JourneyContext): Promise<Snapshot> {
  return ensureUnderWay(await deps.processes.drive.look(db, session.instanceId));
}

function ensureUnderWay(snapshot: Snapshot | undefined): Snapshot {
  if (!snapshot) throw new ApiError(100022);
  if (isFinal(snapshot.root.status)) throw new ApiError(100057);
  return snapshot;
}

/**
 * Where the journey stands, with nobody else able to move it until the transaction ends, for a session that acts. The
 * root is locked first, as everybody does.
 */
export async function lockJourney(deps: JourneyDeps, tx: TenantTx, context: JourneyContext): Promise<Snapshot> {
  const { session } = context;
  // Sent together: the lock is waited for first, and the others are read under it.
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

/** The same for a change that is told: what telling needs is read together with the journey. */
export function lockToTell(deps: JourneyDeps, tx: TenantTx, context: JourneyContext): Promise<Snapshot> {
  const locking = lockJourney(deps, tx, context);
  deps.processes.expectNotified(tx);
  return locking;
}

/** Notes that the address of the end user has changed, for reviewers. */
async function noteNetwork(tx: TenantTx, { id, facts }: SessionRow, { address, now }: JourneyContext): Promise<void> {
  const changed = facts && withNetwork(await openFacts(tx, id, facts), address, now);
  if (changed) setSessionFacts(tx, { id, facts: await sealFacts(tx, id, changed) });
}

/** With `unable` no result is sent. */
function happeningOf(step: string, { unable, useAnyway }: StepInput) {
  if (unable) return { type: 'unable', step } as const;
  return useAnyway ? ({ type: 'useAnyway', step } as const) : undefined;
}

export function currentUserStep({ state }: Snapshot, stepId: string): Current {
  const { current } = state.flow;
  if (current?.phase !== 'user' || current.step !== stepId) throw new ApiError(100056);
  return current;
}

export function ensureApplied(applied: Applied): void {
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

/** What is missing among the images is not below the result, where it could not be given. */
function faultsOf(faults: readonly FieldFault[]): FieldFault[] {
  return faults.slice(0, MAX_INPUT_ERRORS).map(({ pointer, message }) => ({
    pointer: pointer.startsWith('/images/') ? pointer : `/result${pointer}`,
    message,
  }));
}
