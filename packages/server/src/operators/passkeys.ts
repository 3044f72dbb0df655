import { createPublicKey } from 'node:crypto';
import { MAX_PASSKEYS_PER_OPERATOR } from '@grove/contract';
import { isUniqueViolation, type TenantTx } from '../db/db.ts';
import { Refusal } from '../identity-store/attempts/refusal.ts';
import { OFFERED } from '../identity-store/passkeys/algorithms.ts';
import type { Places } from '../identity-store/passkeys/check-origin.ts';
import {
  type ClientCredential,
  credentialIdOf,
  verifyAuthentication,
} from '../identity-store/passkeys/verify-authentication.ts';
import { verifyRegistration } from '../identity-store/passkeys/verify-registration.ts';
import { MINUTE, MOST_APART_MS } from '../kernel/clock.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { CEREMONY_MS, type OperatorCeremony, openCeremony, takeCeremony } from './ceremonies.repository.ts';
import { changeOperator, findOperatorForUpdate, type OperatorRow } from './operators.repository.ts';
import {
  addPasskey,
  advancePasskey,
  findByCredential,
  type OperatorPasskeyRow,
  passkeysOf,
} from './passkeys.repository.ts';

/** The passkeys of operators, verified by the code of identity stores. */
export const MAX_FAILURES = 5;
const LOCKED_MS = 15 * MINUTE;

const handleOf = (operatorId: string) => Buffer.from(operatorId).toString('base64url');

/** The body may hold any object. Verification finds what is missing in it. */
function credentialIn(value: Readonly<Record<string, unknown>>): ClientCredential {
  const { id, response } = value;
  if (typeof id !== 'string' || typeof response !== 'object' || response === null) {
    throw invalidInput({ pointer: '/credential', message: 'must be a credential in the JSON form of WebAuthn' });
  }
  return value as unknown as ClientCredential;
}

/** Options for a browser, for any passkey or for one of these. */
export function requestOptions(places: Places, challenge: string, passkeys: readonly OperatorPasskeyRow[] = []) {
  const allowCredentials = passkeys.map(descriptorOf);
  const common = { challenge, rpId: places.rpId, userVerification: 'required', timeout: CEREMONY_MS };
  return { ...common, ...(allowCredentials.length > 0 && { allowCredentials }) };
}

function descriptorOf({ credential_id, transports }: OperatorPasskeyRow) {
  const hints = JSON.parse(transports) as string[];
  return { id: credential_id, type: 'public-key', ...(hints.length > 0 && { transports: hints }) };
}

type Registering = { operator: OperatorRow; places: Places; tenantName: string; now: number };

export async function startRegistration(tx: TenantTx, { operator, places, tenantName, now }: Registering) {
  const own = await passkeysOf(tx, { operatorId: operator.id });
  if (own.length >= MAX_PASSKEYS_PER_OPERATOR) throw new ApiError(100038);
  const { id, challenge } = await openCeremony(tx, { kind: 'REGISTER', operatorId: operator.id, now });
  const name = operator.email || operator.name;
  const publicKey = {
    rp: { id: places.rpId, name: `${tenantName} · Grove` },
    user: { id: handleOf(operator.id), name, displayName: operator.name },
    challenge,
    pubKeyCredParams: OFFERED.map((alg) => ({ type: 'public-key', alg })),
    timeout: CEREMONY_MS,
    excludeCredentials: own.map(descriptorOf),
    // The passkey names the operator, so the authenticator must be able to find it without an id.
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  };
  return { ceremonyId: id, publicKey };
}

type Answer = { ceremonyId: string; credential: Readonly<Record<string, unknown>> };

/** Refuses with 100218 a response that does not verify, and with 100094 a passkey that is already registered. */
export async function completeRegistration(
  tx: TenantTx,
  { ceremonyId, credential }: Answer,
  { operatorId, places, now, name }: { operatorId: string; places: Places; now: number; name: string },
): Promise<OperatorPasskeyRow> {
  const ceremony = await takeCeremony(tx, ceremonyId, { kind: 'REGISTER', operatorId, now });
  if (!ceremony) throw new ApiError(100035);
  if ((await passkeysOf(tx, { operatorId })).length >= MAX_PASSKEYS_PER_OPERATOR) throw new ApiError(100038);
  const registration = refusingPlainly(() =>
    verifyRegistration(credentialIn(credential), {
      ...places,
      challenge: ceremony.challenge,
      userVerification: 'required',
      algorithms: OFFERED,
      now,
      attestation: { trust: 'none', roots: [], aaguids: [] },
    }),
  );
  const row: OperatorPasskeyRow = {
    id: newId(now),
    operator_id: operatorId,
    rp_id: places.rpId,
    credential_id: registration.credentialId,
    alg: registration.alg,
    public_key: registration.publicKey,
    sign_count: registration.signCount,
    backup_eligible: registration.backupEligible ? 1 : 0,
    transports: JSON.stringify(registration.transports),
    name,
    created_at: now,
    last_used_at: null,
  };
  try {
    await addPasskey(tx, row);
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError(100094);
    throw error;
  }
  return row;
}

function refusingPlainly<T>(verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    if (error instanceof Refusal) throw new ApiError(100218, { log: String(error.code) });
    throw error;
  }
}

/** The operator, or a refusal. A refusal is no exception, because its failure must be committed. */
export type SignInResult =
  | { readonly operator: OperatorRow; readonly passkeyId: string }
  | {
      readonly refused: 'ceremony' | 'passkey' | 'locked';
      readonly operator?: OperatorRow;
      readonly isNewLock?: boolean;
    };

type Context = { places: Places; now: number; expected?: string | undefined };

/**
 * Recognises the operator by a passkey. Only a response that names a passkey of the operator and does not prove it
 * counts as a failure: a stranger who knows nobody's passkey can lock nobody out.
 */
export async function recognise(tx: TenantTx, answer: Answer, context: Context): Promise<SignInResult> {
  const { places, now, expected } = context;
  const kind = expected === undefined ? 'SIGN_IN' : 'CONFIRM';
  const ceremony = await takeCeremony(tx, answer.ceremonyId, { kind, operatorId: expected, now });
  if (!ceremony) return { refused: 'ceremony' };
  const credential = credentialIn(answer.credential);
  const passkey = await findNamedPasskey(tx, credential, places);
  const operator = passkey && (await findOperatorForUpdate(tx, { id: passkey.operator_id }));
  if (!passkey || operator?.status !== 'ACTIVE') return { refused: 'passkey' };
  if (isLockedAt(operator, now)) return { refused: 'locked', operator };
  const failed = await verifyAnswer(tx, { credential, passkey, ceremony, context });
  if (failed === undefined) {
    return { operator: await recogniseSuccess(tx, operator, now), passkeyId: passkey.id };
  }
  return failed.counts ? countFailure(tx, operator, now) : { refused: 'passkey', operator };
}

async function findNamedPasskey(tx: TenantTx, credential: ClientCredential, { rpId }: Places) {
  try {
    return await findByCredential(tx, { rpId, credentialId: credentialIdOf(credential) });
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

type Verifying = {
  credential: ClientCredential;
  passkey: OperatorPasskeyRow;
  ceremony: OperatorCeremony;
  context: Context;
};

/** Undefined if the response is right. */
async function verifyAnswer(tx: TenantTx, { credential, passkey, ceremony, context }: Verifying) {
  try {
    const { signCount } = verifyAuthentication(
      credential,
      {
        credentialId: passkey.credential_id,
        userId: passkey.operator_id,
        status: 'ACTIVE',
        alg: passkey.alg,
        userHandle: handleOf(passkey.operator_id),
        key: createPublicKey({ key: Buffer.from(passkey.public_key), format: 'der', type: 'spki' }),
        signCount: passkey.sign_count,
        backupEligible: passkey.backup_eligible === 1,
      },
      {
        ...context.places,
        challenge: ceremony.challenge,
        userId: context.expected,
        allowed: [],
        userVerification: 'required',
      },
    );
    const isAdvanced = await advancePasskey(tx, { id: passkey.id, signCount, now: context.now });
    return isAdvanced ? undefined : { counts: true };
  } catch (error) {
    if (error instanceof Refusal) return { counts: error.counts };
    throw error;
  }
}

/** A lock that ends later than any lock set now was set while the clock was ahead, and does not count. */
export function isLockedAt({ locked_until }: Pick<OperatorRow, 'locked_until'>, now: number): boolean {
  return locked_until !== null && locked_until > now && locked_until <= now + LOCKED_MS + MOST_APART_MS;
}

export async function recogniseSuccess(tx: TenantTx, operator: OperatorRow, now: number): Promise<OperatorRow> {
  const after = { ...operator, failures: 0, locked_until: null, last_sign_in_at: now };
  await changeOperator(tx, after);
  return after;
}

export async function countFailure(tx: TenantTx, operator: OperatorRow, now: number): Promise<SignInResult> {
  const failures = operator.failures + 1;
  const isNewLock = failures >= MAX_FAILURES;
  const after = { ...operator, failures: isNewLock ? 0 : failures, locked_until: isNewLock ? now + LOCKED_MS : null };
  await changeOperator(tx, after);
  return { refused: isNewLock ? 'locked' : 'passkey', operator: after, isNewLock };
}

export function throwRefused(
  { refused: reason, operator }: Extract<SignInResult, { refused: string }>,
  now: number,
): never {
  if (reason === 'ceremony') throw new ApiError(100035);
  if (reason === 'passkey') throw new ApiError(100218);
  const until = operator?.locked_until ?? now;
  throw new ApiError(100216, { retryAfterSeconds: Math.max(1, Math.ceil((until - now) / 1000)) });
}
