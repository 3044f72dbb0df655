import { api, type Ok } from '@grove/contract';
import type { TenantReads } from '../../db/db.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getStore, type Store } from '../stores/find-store.ts';
import { createPolicy, updatePolicy, withDate } from '../stores/store-policies.ts';
import { getUser, getUserForUpdate, givenUserRef, type UserRow, userRefOf, userSubject } from '../users/find-user.ts';
import { checkConfig } from './check-config.ts';
import { authenticationCompleter } from './complete-authentication.ts';
import { AUDIT, type Audit, registrationCompleter } from './complete-registration.ts';
import { configKey, getConfig } from './find-config.ts';
import type { Metadata } from './metadata/open-metadata.ts';
import { MAX_PASSKEYS_PER_USER, type PasskeyConfig } from './passkey-policies.ts';
import {
  findAudit,
  findPasskey,
  type PasskeyRow,
  passkeysAt,
  removePasskey,
  setPasskeyStatus,
} from './passkeys.repository.ts';
import { openPublicKeys } from './public-keys.ts';
import { authenticationStarter } from './start-authentication.ts';
import { registrationStarter } from './start-registration.ts';
import { summarizePasskeys, toSummary } from './summarize-passkeys.ts';

/** Passkeys: WebAuthn relying parties, ceremonies and their audit (specification 4.10). */
export function openPasskeys(core: IdentityCore, metadata: Metadata) {
  core.summarize('passkeys', summarizePasskeys, ['passkeys']);
  const ceremonies = passkeyCeremonies(core, metadata);
  const handlers = { ...configHandlers(core), ...ceremonyHandlers(ceremonies), ...passkeyHandlers(core) };
  return { handlers, ceremonies };
}

/** The ceremonies, for callers of the API and for steps of a journey. */
function passkeyCeremonies(core: IdentityCore, metadata: Metadata) {
  return {
    startRegistration: registrationStarter(core),
    completeRegistration: registrationCompleter(core, metadata),
    startAuthentication: authenticationStarter(core),
    completeAuthentication: authenticationCompleter(core, openPublicKeys()),
  };
}

export type PasskeyCeremonies = ReturnType<typeof passkeyCeremonies>;

type Operations = typeof api.passkeys;

function configHandlers({ addIdentityEvent }: Pick<IdentityCore, 'addIdentityEvent'>) {
  const { createConfig, updateConfig } = api.passkeys;
  return implement({ createConfig, updateConfig } satisfies Partial<Operations>, {
    createConfig(context, { params, body }) {
      const { now } = context;
      checkConfig(body);
      return context.db.write(async (tx) => {
        const store = await getStore(tx, context, params.storeName);
        const config = knownMembers(body);
        await createPolicy(tx, configKey(store.id, body.rpId), { config, now });
        const eventFields = { ...toldOf(store), rpId: body.rpId, modality: 'PASSKEY', now } as const;
        await addIdentityEvent(tx, { ...eventFields, type: 'identity.configCreated' });
        return withDate(config, now);
      });
    },

    updateConfig(context, { params: { storeName, rpId }, query: ifUnchanged, body }) {
      const { now } = context;
      return context.db.write(async (tx) => {
        const store = await getStore(tx, context, storeName);
        const change = (before: PasskeyConfig): PasskeyConfig => {
          const after = { ...before, ...knownMembers({ ...body, rpId }) };
          checkConfig(after);
          return after;
        };
        const key = configKey(store.id, rpId);
        const config = await updatePolicy<PasskeyConfig>(tx, key, { change, ifUnchanged, now });
        const eventFields = { ...toldOf(store), rpId, modality: 'PASSKEY', now } as const;
        await addIdentityEvent(tx, { ...eventFields, type: 'identity.configUpdated' });
        return config;
      });
    },
  });
}

/** Keeps the known members and drops any other member. */
function knownMembers(config: PasskeyConfig): PasskeyConfig {
  const { rpId, rpName, restrictedOrigins, relatedOrigins, topOrigins, attestationRoots } = config;
  const { registrationPolicies, authenticationPolicies, unnamedTopOriginAllowed } = config;
  return {
    rpId,
    ...(rpName !== undefined && { rpName }),
    ...(restrictedOrigins !== undefined && { restrictedOrigins }),
    ...(relatedOrigins !== undefined && { relatedOrigins }),
    ...(topOrigins !== undefined && { topOrigins }),
    ...(unnamedTopOriginAllowed !== undefined && { unnamedTopOriginAllowed }),
    ...(attestationRoots !== undefined && { attestationRoots }),
    ...(registrationPolicies !== undefined && { registrationPolicies }),
    ...(authenticationPolicies !== undefined && { authenticationPolicies }),
  };
}

function ceremonyHandlers(ceremonies: PasskeyCeremonies) {
  const { startRegistration, completeRegistration, startAuthentication } = api.passkeys;
  const { startAuthenticationByBody, authenticate } = api.passkeys;
  const operations = {
    startRegistration,
    completeRegistration,
    startAuthentication,
    startAuthenticationByBody,
    authenticate,
  } satisfies Partial<Operations>;
  return implement(operations, {
    startRegistration: (context, { params, body }) =>
      ceremonies.startRegistration(context, { ...params, user: userRefOf(params) }, body),

    completeRegistration: (context, { params, body }) => ceremonies.completeRegistration(context, params, body),

    startAuthentication: (context, { params, body: { challenge, mediation, prf } }) =>
      ceremonies.startAuthentication(context, { ...params, user: userRefOf(params), challenge, mediation, prf }),

    startAuthenticationByBody: (context, { params, body }) =>
      ceremonies.startAuthentication(context, { ...params, ...body, user: undefined }),

    async authenticate(context, { params, body }) {
      const { authenticationId, user } = await ceremonies.completeAuthentication(context, params, body);
      return { authenticationId, user };
    },
  });
}

type Params = { readonly storeName: string; readonly id: string };

function passkeyHandlers(core: Pick<IdentityCore, 'vault' | 'addIdentityEvent' | 'userView'>) {
  const { update, delete: remove, getSignals, getRegistrationAudit } = api.passkeys;
  return implement({ update, delete: remove, getSignals, getRegistrationAudit } satisfies Partial<Operations>, {
    update: (context, { params, body: { status } }) =>
      change(context, params, async (tx, { store, user, passkey }) => {
        await setPasskeyStatus(tx, { userId: user.id, id: passkey.id, status });
        const eventFields = { ...toldOf(store), userId: user.id, rpId: passkey.rp_id, modality: 'PASSKEY' } as const;
        await core.addIdentityEvent(tx, { ...eventFields, type: 'identity.userUpdated', now: context.now });
        return toSummary({ ...passkey, status });
      }),

    delete: (context, { params }) =>
      change(context, params, async (tx, { store, user, passkey }) => {
        await removePasskey(tx, { userId: user.id, id: passkey.id });
        const eventFields = { ...toldOf(store), userId: user.id, rpId: passkey.rp_id, modality: 'PASSKEY' } as const;
        await core.addIdentityEvent(tx, { ...eventFields, type: 'identity.authenticatorRemoved', now: context.now });
        return core.userView(tx, user, context.now);
      }),

    async getSignals(context, { params }) {
      const { db } = context;
      const store = await getStore(db, context, params.storeName);
      const user = await getUser(db, store.id, givenUserRef(params));
      const { rpId } = await getConfig(db, store.id, params.rpId);
      const own = await passkeysAt(db, { userId: user.id, rpId, limit: MAX_PASSKEYS_PER_USER });
      const accepted = own.filter(({ status }) => status === 'ACTIVE');
      return {
        rpId,
        userId: own[0]?.user_handle ?? '',
        allAcceptedCredentialIds: accepted.map(({ credential_id }) => credential_id),
      };
    },

    async getRegistrationAudit(context, { params }) {
      const { db } = context;
      const store = await getStore(db, context, params.storeName);
      const user = await getUser(db, store.id, givenUserRef(params));
      const passkey = await getPasskey(db, user, params.id);
      const sealed = await findAudit(db, passkey.id);
      if (!sealed) throw new Error(`the audit of the passkey ${passkey.id} is gone`);
      const plain = await core.vault.openFor(db, userSubject(user.id), AUDIT, sealed);
      return toAudit(passkey, JSON.parse(plain.toString('utf8')) as Audit);
    },
  });
}

type OwnedPasskey = { store: Store; user: UserRow; passkey: PasskeyRow };
type Tx = Parameters<Parameters<Context['db']['write']>[0]>[0];

/** Locks the row of the user: a login with the passkey runs completely before or completely after. */
function change<T>(context: Context, params: Params, work: (tx: Tx, owned: OwnedPasskey) => Promise<T>): Promise<T> {
  return context.db.write(async (tx) => {
    const store = await getStore(tx, context, params.storeName);
    const user = await getUserForUpdate(tx, store.id, givenUserRef(params));
    return work(tx, { store, user, passkey: await getPasskey(tx, user, params.id) });
  });
}

async function getPasskey(db: TenantReads, user: UserRow, id: string): Promise<PasskeyRow> {
  const passkey = await findPasskey(db, { userId: user.id, id });
  if (!passkey) throw new ApiError(100031);
  return passkey;
}

function toAudit(
  passkey: PasskeyRow,
  { options, credential, extensions }: Audit,
): Ok<Operations['getRegistrationAudit']> {
  const summary = toSummary(passkey);
  return {
    passkey: summary,
    algorithm: passkey.alg,
    aaguid: passkey.aaguid,
    transports: JSON.parse(passkey.transports) as string[],
    userVerified: passkey.user_verified === 1,
    backupEligible: passkey.backup_eligible === 1,
    backedUp: passkey.backed_up === 1,
    signCount: passkey.sign_count,
    attestationFormat: passkey.attestation_format,
    attestationTrust: passkey.attestation_trust,
    ...extensions,
    options,
    credential,
    createdDtm: summary.createdDtm,
  };
}

function toldOf({ environment, name: storeName }: Store) {
  return { environment, storeName };
}
