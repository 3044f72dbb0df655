import type { ErrorCode } from '@grove/contract';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import { newId } from '../../kernel/ids.ts';
import type { PresentedFace } from '../../process-manager/engine/steps/identity-acts.ts';
import type { AttemptSuccess, Caller } from '../attempts/attempt.ts';
import { locksOf } from '../attempts/locks.repository.ts';
import { ensure, Refusal } from '../attempts/refusal.ts';
import { faultOfLock, faultOfStatus } from '../attempts/usable.ts';
import type { IdentityCore } from '../identity-core.ts';
import type { Store } from '../stores/find-store.ts';
import { type UserRef, type UserRow, userSubject } from '../users/find-user.ts';
import { type MatchingProcess, REFRESH_QUALITY, shownScore, thresholdsOf } from './biometric-rules.ts';
import { type BiometricRow, findFace, putFace } from './biometrics.repository.ts';
import { templateContext } from './enrol-face.ts';
import type { PresentFace } from './present-face.ts';

/** Compares a presented face with the stored face of a user. */
export type FaceAttempt = {
  readonly storeName: string;
  readonly user: UserRef;
  /** The fault of the request, or the reason why the image was not analysed. */
  readonly fault?: ErrorCode | undefined;
  readonly presented?: PresentedFace | undefined;
  readonly matching: MatchingProcess;
};

type Core = Pick<IdentityCore, 'attempt' | 'vault' | 'addIdentityEvent'>;
type Template = Extract<PresentedFace, { template: Buffer }>;
type Comparison = { user: UserRow; store: Store; now: number; process: Caller['process'] };

export function faceAuthenticator(core: Core, compare: PresentFace['compare']) {
  return (caller: Caller, input: FaceAttempt): Promise<AttemptSuccess<{ score: number }>> =>
    core.attempt(caller, {
      storeName: input.storeName,
      modality: 'FACE',
      find: input.user,
      async run(tx, user, now, store) {
        if (input.fault) throw new Refusal(input.fault, { counts: false });
        const face = await comparableFace(tx, user);
        const presented = comparable(input.presented, face);
        const stored = await core.vault.openFor(tx, userSubject(user.id), templateContext(face.id), face.sealed);
        const score = compared(() => compare(face.algorithm, stored, presented.template));
        const { passes, refreshes } = thresholdsOf(input.matching, store.configuration);
        ensure(score >= passes, 100140, { counts: true });
        if (refreshes !== undefined && score >= refreshes && presented.quality >= REFRESH_QUALITY) {
          await refresh(core, tx, face, presented, { user, store, now, process: caller.process });
        }
        return { score: shownScore(score) };
      },
    });
}

/**
 * Returns the code with which an attempt would be refused whatever the image shows, so that the image need not be
 * analysed. The attempt checks the same again, with the row of the user locked.
 */
export async function foreseenFault(db: TenantReads, user: UserRow, now: number): Promise<ErrorCode | undefined> {
  const lock = (await locksOf(db, [user.id])).get(user.id)?.FACE;
  const fault = faultOfStatus(user, 'FACE', now) ?? faultOfLock(lock, now);
  return fault ?? faultOfFace(await findFace(db, { userId: user.id }));
}

function faultOfFace(face: BiometricRow | undefined): 20122 | 2103 | undefined {
  if (!face) return 20122;
  return face.status === 'ACTIVE' ? undefined : 2103;
}

async function comparableFace(db: TenantReads, user: UserRow): Promise<BiometricRow> {
  const face = await findFace(db, { userId: user.id });
  const fault = faultOfFace(face);
  if (fault) throw new Refusal(fault, { counts: false });
  return face as BiometricRow;
}

/** Templates of different algorithms cannot be compared: the user must be enrolled again. */
function comparable(presented: PresentedFace | undefined, { algorithm }: BiometricRow): Template {
  if (!presented) throw new Refusal(20114, { counts: false });
  if (!presented.template) throw new Refusal(20120, { counts: false, detail: presented.reason });
  if (presented.algorithm === algorithm) return presented;
  throw new Refusal(20122, { counts: false, detail: 'the enrolled face was made by another algorithm' });
}

function compared(compare: () => number): number {
  try {
    return compare();
  } catch {
    throw new Refusal(20121, { counts: false });
  }
}

/** Faces age, so a template that matches with certainty replaces the stored one. */
async function refresh(
  { vault, addIdentityEvent }: Core,
  tx: TenantTx,
  before: BiometricRow,
  { template, algorithm }: Template,
  { user, store, now, process }: Comparison,
): Promise<void> {
  const id = newId(now);
  const sealed = await vault.sealFor(tx, userSubject(user.id), templateContext(id), template);
  putFace(tx, { ...before, id, algorithm, sealed, last_updated_at: now });
  const eventFields = { environment: store.environment, storeName: store.name, userId: user.id, process, now };
  await addIdentityEvent(tx, { ...eventFields, type: 'identity.biometricUpdated', modality: 'FACE' });
}
