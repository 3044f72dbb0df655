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
import { type RegisteredPasskey, verifyRegistration } from './verify-registration.ts';

/** Completes a registration: verifies the answer of the authenticator and stores the passkey. */
type Session = Ceremony<RegistrationCeremony>;

export const AUDIT = 'passkey-registration';

export type CompletionAddress = { readonly storeName: string; readonly sessionId: string };

export function registrationCompleter(
  core: Pick<IdentityCore, 'registration' | 'vault' | 'addIdentityEvent'>,
  metadata: Metadata,
) {
  return async (caller: Caller, { storeName, sessionId }: CompletionAddress, body: Completion) => {
    let ceremony: Session | undefined;
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
        const session = ceremony as Session;
        const credential = readCompletion(body);
        const registered = await verified(tx, session, credential, { store, now, metadata });
        if (user) await ensureStillRoom(tx, user, session);
        const owner = user ?? (await createUser(core, tx, store, { input: {}, now, process: caller.process }));
        const row = toRow(registered, session, { owner, store, now });
        // A concurrent registration was faster: everything is rolled back, including a user created for it.
        if (!(await addPasskey(tx, row))) throw new ApiError(100094);
        await addAudit(tx, {
          passkey_id: row.id,
          sealed: await sealedAudit(core, tx, owner, { taken: session, credential }),
        });
        return { user: owner, result: toSummary(row), rpId: row.rp_id };
      },
    });
    return { passkey, user };
  };
}

async function verified(
  tx: TenantTx,
  { data: { challenge, places, policy, conditional = false } }: Session,
  credential: ClientCredential,
  { store, now, metadata }: { store: Store; now: number; metadata: Metadata },
): Promise<RegisteredPasskey> {
  const { attestationTrust: trust, allowedAaguids: aaguids, algorithms, authenticatorSelection } = policy;
  // A session of an earlier release lacks the newer members.
  const {
    deniedAaguids = [],
    sha1InTpm = false,
    backup = 'any',
    metadata: mode = 'none',
  } = policy as Partial<RegistrationPolicy>;
  // Uses the current roots and not those of the start: a root that was removed in between must not be trusted.
  const { attestationRoots = [] } = trust === 'none' ? {} : await getConfig(tx, store.id, places.rpId);
  const roots = attestationRoots.map((pem) => new X509Certificate(pem));
  const registered = verifyRegistration(credential, {
    ...places,
    challenge,
    algorithms,
    now,
    userVerification: authenticatorSelection.userVerification,
    backup,
    conditional,
    attestation: {
      trust,
      roots,
      aaguids,
      deniedAaguids,
      sha1InTpm,
      ...(mode !== 'none' && { metadata: { required: mode === 'required', find: metadata.find } }),
    },
  });
  const { credentialId } = registered;
  const existing = await findByCredential(tx, { environment: store.environment, rpId: places.rpId, credentialId });
  if (existing) throw new Refusal(100094, { counts: false });
  return registered;
}

/** Ensures that the user is still below the limit: other passkeys may have been registered since the start. */
async function ensureStillRoom(tx: TenantTx, user: UserRow, { data: { places, policy } }: Session): Promise<void> {
  const own = await passkeysAt(tx, { userId: user.id, rpId: places.rpId, limit: MAX_PASSKEYS_PER_USER });
  try {
    await ensureRoom(tx, user.id, own.length, policy);
  } catch (error) {
    // Throws a refusal and not an `ApiError`, so that the session is spent.
    if (error instanceof ApiError) throw new Refusal(100038, { counts: false });
    throw error;
  }
}

function toRow(
  registered: RegisteredPasskey,
  { data: { places, userHandle } }: Session,
  { owner, store, now }: { owner: UserRow; store: Store; now: number },
): PasskeyRow {
  return {
    id: newId(now),
    environment: store.environment,
    store_id: store.id,
    user_id: owner.id,
    rp_id: places.rpId,
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

/** The options of the start and the answer of the authenticator, both as they were sent. */
export type Audit = {
  options: Record<string, unknown>;
  credential: Record<string, unknown>;
  /** The browser's results for the requested extensions. */
  extensions?: { discoverable?: boolean; prfEnabled?: boolean };
};

function sealedAudit(
  { vault }: Pick<IdentityCore, 'vault'>,
  tx: TenantTx,
  owner: UserRow,
  { taken: { data }, credential }: { taken: Session; credential: ClientCredential },
): Promise<Uint8Array> {
  const options = { ...data.options, user: { id: data.userHandle } };
  // Stores only the verified parts, not what a client may have added.
  const { clientDataJSON, attestationObject } = credential.response;
  const verifiedCredential = { id: credential.id, type: 'public-key', response: { clientDataJSON, attestationObject } };
  const audit: Audit = { options, credential: verifiedCredential, extensions: extensionsOf(credential) };
  return vault.sealFor(tx, userSubject(owner.id), AUDIT, Buffer.from(JSON.stringify(audit)));
}

/** Keeps two booleans only: an output of the `prf` extension is a secret of the page and must not be stored. */
function extensionsOf({ clientExtensionResults = {} }: ClientCredential): NonNullable<Audit['extensions']> {
  const member = (extension: string, name: string) => {
    const value = (clientExtensionResults[extension] as Record<string, unknown> | null | undefined)?.[name];
    return typeof value === 'boolean' ? value : undefined;
  };
  const [discoverable, prfEnabled] = [member('credProps', 'rk'), member('prf', 'enabled')];
  return { ...(discoverable !== undefined && { discoverable }), ...(prfEnabled !== undefined && { prfEnabled }) };
}
