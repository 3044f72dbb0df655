import type { TenantTx } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Caller } from '../attempts/attempt.ts';
import { Refusal } from '../attempts/refusal.ts';
import { type Ceremony, takeCeremony } from '../ceremonies/ceremonies.ts';
import type { IdentityCore } from '../identity-core.ts';
import type { Store } from '../stores/find-store.ts';
import type { CompletionAddress } from './complete-registration.ts';
import { ensure } from './ensure.ts';
import { advancePasskey, findByCredential, type PasskeyToVerify } from './passkeys.repository.ts';
import type { PublicKeys } from './public-keys.ts';
import { type Completion, readCompletion } from './read-completion.ts';
import type { AuthenticationCeremony } from './start-authentication.ts';
import { credentialIdOf, type StoredPasskey, verifyAuthentication } from './verify-authentication.ts';

/** Completes an authentication: the user is the one who holds the private key of the passkey. */
type Session = Ceremony<AuthenticationCeremony>;

/** The passkey with which the user authenticated. */
export type PasskeyUsed = { passkeyId: string; userVerified: boolean };

export function authenticationCompleter(core: Pick<IdentityCore, 'attempt'>, publicKeys: PublicKeys) {
  return async (caller: Caller, { storeName, sessionId }: CompletionAddress, body: Completion) => {
    let ceremony: Session | undefined;
    return core.attempt<PasskeyUsed>(caller, {
      storeName,
      modality: 'PASSKEY',
      async find(tx, store) {
        const session = await takeCeremony<AuthenticationCeremony>(
          tx,
          'PASSKEY_AUTHENTICATION',
          store.id,
          sessionId,
          caller.now,
        );
        if (!session) throw new ApiError(100035);
        ceremony = session;
        const { rpId } = session.data.places;
        if (session.user_id !== null) return { userId: session.user_id, rpId };
        // The start named no user, so the passkey in the answer must identify one.
        const passkey = await findNamedPasskey(tx, store, session, body);
        ensure(passkey, 362);
        return { userId: passkey.user_id, rpId };
      },
      runsAgain: true,
      async run(tx, _user, now, store) {
        const session = ceremony as Session;
        const passkey = await findNamedPasskey(tx, store, session, body);
        const { places, ...expected } = session.data;
        const { signCount, backedUp, userVerified } = verifyAuthentication(
          readCompletion(body),
          passkey && toStored(passkey, publicKeys),
          { ...places, ...expected, userId: session.user_id ?? undefined },
        );
        const { id } = passkey as PasskeyToVerify;
        // Two assertions with the same counter can both pass the check above. The update accepts only the first.
        if (!(await advancePasskey(tx, { id, signCount, backedUp, now }))) throw new Refusal(372, { counts: true });
        return { passkeyId: id, userVerified };
      },
    });
  };
}

/** Finds the passkey of this store that the answer names. Refuses a registration response with 352. */
async function findNamedPasskey(
  tx: TenantTx,
  { id, environment }: Store,
  { data: { places } }: Session,
  body: Completion,
): Promise<PasskeyToVerify | undefined> {
  const credential = readCompletion(body);
  ensure(credential.response.attestationObject === undefined, 352);
  const credentialId = credentialIdOf(credential);
  const passkey = await findByCredential(tx, { environment, rpId: places.rpId, credentialId });
  return passkey?.store_id === id ? passkey : undefined;
}

function toStored(row: PasskeyToVerify, publicKeys: PublicKeys): StoredPasskey {
  return {
    credentialId: row.credential_id,
    userId: row.user_id,
    userHandle: row.user_handle,
    status: row.status,
    alg: row.alg,
    key: publicKeys(row.id, row.public_key),
    signCount: row.sign_count,
    backupEligible: row.backup_eligible === 1,
  };
}
