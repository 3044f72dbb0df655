import type { Plan, TenantReads } from '../../db/db.ts';
import { newId } from '../../kernel/ids.ts';
import type { NewIdentityEvent, PlanIdentityEvent } from '../events/identity-events.ts';
import { addedAuthentication } from './authentications.repository.ts';
import type { Modality } from './lock-rules.ts';

export type Told = Omit<NewIdentityEvent, 'type' | 'code' | 'userId'> & { modality: Modality; userId: string };

/** What keeps in mind what became of an attempt, and tells it. With a code it was refused. */
export async function recordOf(
  planIdentityEvent: PlanIdentityEvent,
  db: TenantReads,
  told: Told,
  code?: number,
): Promise<Plan & { authenticationId: string }> {
  const { userId, modality, rpId, now } = told;
  const authenticationId = newId(now);
  const added = addedAuthentication(db, {
    ...{ id: authenticationId, user_id: userId, modality, succeeded: code === undefined ? 1 : 0, code: code ?? null },
    ...{ rp_id: rpId ?? null, created_at: now },
  });
  const type = code === undefined ? 'identity.authenticationSucceeded' : 'identity.authenticationFailed';
  const { changes, afterCommit } = await planIdentityEvent(db, { ...told, type, code });
  return { authenticationId, changes: [added, ...changes], afterCommit };
}
