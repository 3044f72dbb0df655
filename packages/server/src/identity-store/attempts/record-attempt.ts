import type { TenantTx } from '../../db/db.ts';
import { newId } from '../../kernel/ids.ts';
import type { AddIdentityEvent, NewIdentityEvent } from '../events/identity-events.ts';
import { addAuthentication } from './authentications.repository.ts';
import type { Modality } from './lock-rules.ts';

export type AttemptFields = Omit<NewIdentityEvent, 'type' | 'code' | 'userId'> & { modality: Modality; userId: string };

/** Records an attempt and publishes its event. `code` is set when it was refused. Returns the id of the authentication. */
export async function recordAttempt(
  addIdentityEvent: AddIdentityEvent,
  tx: TenantTx,
  fields: AttemptFields,
  code?: number,
): Promise<string> {
  const { userId, modality, rpId, now } = fields;
  const id = newId(now);
  const succeeded = code === undefined;
  addAuthentication(tx, {
    id,
    user_id: userId,
    modality,
    succeeded: succeeded ? 1 : 0,
    code: code ?? null,
    rp_id: rpId ?? null,
    created_at: now,
  });
  const type = succeeded ? 'identity.authenticationSucceeded' : 'identity.authenticationFailed';
  await addIdentityEvent(tx, { ...fields, type, code });
  return id;
}
