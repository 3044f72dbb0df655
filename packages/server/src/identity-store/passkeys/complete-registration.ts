import { X509Certificate } from 'node:crypto';
import type { TenantTx } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Caller } from '../attempts/attempt.ts';
import { Refusal } from '../attempts/refusal.ts';
import { type Ceremony, takeCeremony } from '../ceremonies/ceremonies.ts';
import type { IdentityCore } from '../identity-core.ts';
import type { Store } from '../stores/find-store.ts';
import { createUser } from '../users/create-user.ts';
import { type UserRow, userSubject } from '../users/find-user.ts';
import { getConfig } from './find-config.ts';
import type { Metadata } from './metadata/open-metadata.ts';
import { MAX_PASSKEYS_PER_USER, type RegistrationPolicy } from './passkey-policies.ts';
import { addAudit, addPasskey, findByCredential, type PasskeyRow, passkeysAt } from './passkeys.repository.ts';
import { type Completion, readCompletion } from './read-completion.ts';
import { ensureRoom, type RegistrationCeremony } from './start-registration.ts';
import { type PasskeySummary, toSummary } from './summarize-passkeys.ts';
import type { ClientCredential } from './verify-authentication.ts';
import { type Registered, verifyRegistration } from './verify-registration.ts';

/** The second half of a registration: what the authenticator answered, verified and kept. */
type Taken = Ceremony<RegistrationCeremony>;

export const AUDIT = 'passkey-registration';

export type CompletionAddress = { readonly storeName: string; readonly sessionId: string };

export function registrationCompleter(
  core: Pick<IdentityCore, 'registration' | 'vault' | 'addIdentityEvent'>,
  metadata: Metadata,
) {
  return async (caller: Caller, { storeName, sessionId }: CompletionAddress, body: Completion) => {
    let ceremony: Taken | undefined;
    const { result: passkey, user } = await core.registration<PasskeySummary>(caller, {
      storeName,
      modality: 'PASSKEY',
      async find(tx, store) {
        ceremony = await takeCeremony<RegistrationCeremony>(
          tx,
          'PASSKEY_REGISTRATION',
          store.id,
          sessionId,
          caller.now,
        );
        if (!ceremony) throw new ApiError(100035);
        return ceremony.user_id === null ? undefined : { userId: ceremony.user_id, rpId: ceremony.data.places.rpId };
      },
      run: async (tx, user, now, store) => {
        const taken = ceremony as Taken;
        const credential = readCompletion(body);
        const registered = await verified(tx, taken, credential, { store, now, metadata });
        if (user) await ensureStillRoom(tx, user, taken);
        const owner = user ?? (await createUser(core, tx, store, { input: {}, now, process: caller.process }));
        const row = toRow(registered, taken, { owner, store, now });
        // Somebody was faster: all of this is rolled back, the user that was made for it included.
        if (!(await addPasskey(tx, row))) throw new ApiError(100094);
        await addAudit(tx, row.id, await sealedAudit(core, tx, owner, { taken, credential }));
        return { user: owner, result: toSummary(row), rpId: row.rp_id };
      },
    });
    return { passkey, user };
  };
}

async function verified(
  tx: TenantTx,
  { data: { challenge, places, policy, conditional = false } }: Taken,
  credential: ClientCredential,
  { store, now, metadata }: { store: Store; now: number; metadata: Metadata },
): Promise<Registered> {
  const { attestationTrust: trust, allowedAaguids: aaguids, algorithms, authenticatorSelection } = policy;
  // A session of an earlier release lacks what this one has added.
  const {
    deniedAaguids = [],
    sha1InTpm = false,
    backup = 'any',
    metadata: mode = 'none',
  } = policy as Partial<RegistrationPolicy>;
  // The roots of today, not those of the start: what is trusted no more must not be trusted.
  const { attestationRoots = [] } = trust === 'none' ? {} : await getConfig(tx, store.id, places.rpId);
  const roots = attestationRoots.map((pem) => new X509Certificate(pem));
  const registered = verifyRegistration(credential, {
    ...places,
    ...{ challenge, algorithms, now, userVerification: authenticatorSelection.userVerification },
    ...{ backup, conditional },
    attestation: {
      ...{ trust, roots, aaguids, deniedAaguids, sha1InTpm },
      ...(mode !== 'none' && { metadata: { required: mode === 'required', find: metadata.find } }),
    },
  });
  const { credentialId } = registered;
  const known = await findByCredential(tx, { environment: store.environment, rpId: places.rpId, credentialId });
  if (known) throw new Refusal(100094, { counts: false });
  return registered;
}

/** Others may have been registered since the start. */
async function ensureStillRoom(tx: TenantTx, user: UserRow, { data: { places, policy } }: Taken): Promise<void> {
  const own = await passkeysAt(tx, { userId: user.id, rpId: places.rpId, limit: MAX_PASSKEYS_PER_USER });
  try {
    await ensureRoom(tx, user.id, own.length, policy);
  } catch (error) {
    // As a refusal it spends the session.
    if (error instanceof ApiError) throw new Refusal(100038, { counts: false });
    throw error;
  }
}

function toRow(
  registered: Registered,
  { data: { places, userHandle } }: Taken,
  { owner, store, now }: { owner: UserRow; store: Store; now: number },
): PasskeyRow {
  return {
    ...{ id: newId(now), environment: store.environment, store_id: store.id, user_id: owner.id, rp_id: places.rpId },
    credential_id: registered.credentialId,
    user_handle: userHandle,
    status: 'ACTIVE',
    alg: registered.alg,
    public_key: registered.publicKey,
    sign_count: registered.signCount,
    user_verified: Number(registered.userVerified),
    backup_eligible: Number(registered.backupEligible),
    backed_up: Number(registered.backedUp),
    transports: JSON.stringify(registered.transports),
    aaguid: registered.aaguid,
    attestation_format: registered.attestationFormat,
    attestation_trust: registered.attestationTrust,
    created_at: now,
    last_used_at: null,
  };
}

/** What was asked and what was answered, in the words of both. */
export type Audit = {
  options: Record<string, unknown>;
  credential: Record<string, unknown>;
  /** What the browser said to extensions that were asked for. */
  extensions?: { discoverable?: boolean; prfEnabled?: boolean };
};

function sealedAudit(
  { vault }: Pick<IdentityCore, 'vault'>,
  tx: TenantTx,
  owner: UserRow,
  { taken: { data }, credential }: { taken: Taken; credential: ClientCredential },
): Promise<Uint8Array> {
  const options = { ...data.options, user: { id: data.userHandle } };
  // What was verified, and nothing that a client may have put beside it.
  const { clientDataJSON, attestationObject } = credential.response;
  const answered = { id: credential.id, type: 'public-key', response: { clientDataJSON, attestationObject } };
  const audit: Audit = { options, credential: answered, extensions: extensionsOf(credential) };
  return vault.sealFor(tx, userSubject(owner.id), AUDIT, Buffer.from(JSON.stringify(audit)));
}

/** Two answers and no more: an output of the pseudo-random function is a secret of the page. */
function extensionsOf({ clientExtensionResults = {} }: ClientCredential): NonNullable<Audit['extensions']> {
  const member = (extension: string, name: string) => {
    const value = (clientExtensionResults[extension] as Record<string, unknown> | null | undefined)?.[name];
    return typeof value === 'boolean' ? value : undefined;
  };
  const [discoverable, prfEnabled] = [member('credProps', 'rk'), member('prf', 'enabled')];
  return { ...(discoverable !== undefined && { discoverable }), ...(prfEnabled !== undefined && { prfEnabled }) };
}
