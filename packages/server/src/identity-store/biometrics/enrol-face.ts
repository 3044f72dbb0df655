import type { ErrorCode } from '@grove/contract';
import { newId } from '../../kernel/ids.ts';
import type { PresentedFace } from '../../process-manager/engine/steps/identity-acts.ts';
import type { Caller } from '../attempts/attempt.ts';
import { Refusal } from '../attempts/refusal.ts';
import type { IdentityCore } from '../identity-core.ts';
import { type UserRef, userSubject } from '../users/find-user.ts';
import type { User } from '../users/user-view.ts';
import { ENROLMENT_QUALITY } from './biometric-rules.ts';
import { type BiometricRow, findFace, putFace } from './biometrics.repository.ts';

/** Enrols a face: the template is sealed for the user and replaces an earlier one. */
export type Enrolment = {
  readonly storeName: string;
  readonly user: UserRef;
  /** The fault of the request, found before the image was analysed. */
  readonly fault?: ErrorCode | undefined;
  readonly presented?: PresentedFace | undefined;
  readonly status: BiometricRow['status'];
};

export const templateContext = (id: string) => `face:${id}`;

export function faceEnroller(core: Pick<IdentityCore, 'registration' | 'vault'>) {
  return async (caller: Caller, { storeName, user: ref, fault, presented, status }: Enrolment): Promise<User> => {
    const { user } = await core.registration(caller, {
      storeName,
      modality: 'FACE',
      find: async () => ref,
      async run(tx, owner, now) {
        if (!owner) throw new Error('a face cannot be enrolled without its user');
        if (fault) throw new Refusal(fault, { counts: false });
        const { template, algorithm } = goodEnough(presented);
        const before = await findFace(tx, { userId: owner.id });
        const id = newId(now);
        const sealed = await core.vault.sealFor(tx, userSubject(owner.id), templateContext(id), template);
        putFace(tx, {
          user_id: owner.id,
          type: 'FACE',
          id,
          status,
          algorithm,
          sealed,
          created_at: before?.created_at ?? now,
          last_updated_at: now,
        });
        return { user: owner, result: undefined };
      },
    });
    return user;
  };
}

function goodEnough(presented: PresentedFace | undefined): Extract<PresentedFace, { template: Buffer }> {
  if (!presented) throw new Refusal(20114, { counts: false });
  if (!presented.template) throw new Refusal(20120, { counts: false, detail: presented.reason });
  if (presented.quality >= ENROLMENT_QUALITY) return presented;
  throw new Refusal(100141, { counts: false, detail: presented.reasons.join(', ') });
}
