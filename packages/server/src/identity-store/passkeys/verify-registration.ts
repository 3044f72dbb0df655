import { hash } from 'node:crypto';
import type { Alg } from './algorithms.ts';
import { type AttestationPolicy, type AttestationTrust, assessAttestation } from './attestation/assess-attestation.ts';
import { checkClientData, type ExpectedData } from './check-client-data.ts';
import { decodePart } from './decode-base64url.ts';
import { ensure, refusingMalformed } from './ensure.ts';
import { Malformed } from './malformed.ts';
import { type AttestedCredential, type AuthenticatorData, readAuthenticatorData } from './read-authenticator-data.ts';
import { type CborValue, readWholeCbor } from './read-cbor.ts';
import { readClientData } from './read-client-data.ts';
import { type CredentialKey, readCoseKey } from './read-cose-key.ts';
import { type ClientCredential, credentialIdOf } from './verify-authentication.ts';

export type ExpectedRegistration = ExpectedData & {
  readonly userVerification: 'required' | 'preferred' | 'discouraged';
  readonly algorithms: readonly Alg[];
  readonly attestation: AttestationPolicy;
  /** Whether the passkey must or must not be synced to other devices. */
  readonly backup?: 'any' | 'required' | 'forbidden';
  /** A conditional create: the browser may have created the passkey without asking the user (WebAuthn 7.1 step 15). */
  readonly conditional?: boolean;
  readonly now: number;
};

/** WebAuthn's credential record (section 4). */
export type RegisteredPasskey = {
  credentialId: string;
  alg: Alg;
  /** The public key, SPKI in DER. */
  publicKey: Buffer;
  signCount: number;
  userVerified: boolean;
  backupEligible: boolean;
  backedUp: boolean;
  transports: string[];
  aaguid: string;
  attestationFormat: string;
  attestationTrust: AttestationTrust;
};

/** WebAuthn Level 3, 7.1, in its order. The caller checks that the credential id is new. */
export function verifyRegistration(credential: ClientCredential, expected: ExpectedRegistration): RegisteredPasskey {
  return refusingMalformed(() => {
    const { response } = credential;
    if (response.attestationObject === undefined) throw new Malformed('the client response is not a registration');
    const clientDataJson = decodePart(response, 'clientDataJSON');
    checkClientData(readClientData(clientDataJson), 'webauthn.create', expected);
    const { format, statement, authData } = readAttestationObject(response);
    const data = checkAuthenticatorData(authData, expected);
    const { attested, key } = checkAttested(data, credential, expected.algorithms);
    const trust = assessAttestation(
      {
        format,
        statement,
        authData,
        attested,
        key,
        rpIdHash: data.rpIdHash,
        clientDataHash: hash('sha256', clientDataJson, 'buffer'),
      },
      expected.attestation,
      expected.now,
    );
    return {
      credentialId: credential.id,
      alg: key.alg,
      publicKey: key.key.export({ type: 'spki', format: 'der' }),
      signCount: data.signCount,
      userVerified: data.userVerified,
      backupEligible: data.backupEligible,
      backedUp: data.backedUp,
      transports: transportsOf(response.transports),
      aaguid: toUuid(attested.aaguid),
      attestationFormat: format,
      attestationTrust: trust,
    };
  });
}

type AttestationObject = { format: string; statement: CborValue; authData: Buffer };

function readAttestationObject(response: ClientCredential['response']): AttestationObject {
  const bytes = decodePart(response, 'attestationObject');
  const object = readWholeCbor(bytes, 'the attestation object');
  if (!(object instanceof Map) || object.size !== 3) throw new Malformed('the attestation object is not valid');
  const [format, statement, authData] = [object.get('fmt'), object.get('attStmt'), object.get('authData')];
  const whole = statement instanceof Map || (Array.isArray(statement) && format === 'compound');
  if (typeof format !== 'string' || !whole || !Buffer.isBuffer(authData)) {
    throw new Malformed('the attestation object is not valid');
  }
  return { format, statement, authData };
}

/** Steps 14 to 17. */
function checkAuthenticatorData(
  bytes: Buffer,
  { rpId, userVerification, backup = 'any', conditional = false }: ExpectedRegistration,
): AuthenticatorData {
  const data = readAuthenticatorData(bytes);
  ensure(data.rpIdHash.equals(hash('sha256', rpId, 'buffer')), 383, 'the authenticator answered another relying party');
  ensure(data.userPresent || conditional, 100092, 'nobody was present');
  ensure(data.userVerified || userVerification !== 'required', 100092);
  if (data.backedUp && !data.backupEligible) throw new Malformed('it is backed up, but not eligible for backup');
  ensure(backup !== 'forbidden' || !data.backupEligible, 100093, 'the passkey does not stay on one device');
  ensure(backup !== 'required' || data.backupEligible, 100093, 'the passkey cannot be backed up');
  return data;
}

/** Step 20. Also ensures that the id of the client is the id of the attested credential. */
function checkAttested(
  { attested }: AuthenticatorData,
  credential: ClientCredential,
  algorithms: readonly Alg[],
): { attested: AttestedCredential; key: CredentialKey } {
  if (!attested) throw new Malformed('there is no attested credential');
  if (credentialIdOf(credential) !== attested.credentialId.toString('base64url')) {
    throw new Malformed('id is not the id of the attested credential');
  }
  const key = readCoseKey(attested.publicKey);
  if (!key || !algorithms.includes(key.alg)) throw new Malformed('the algorithm was not offered');
  return { attested, key };
}

const MAX_TRANSPORTS = 10;

/** The transports are hints for the next ceremony. A client may omit or invent them, so malformed ones are dropped. */
function transportsOf(transports: unknown): string[] {
  if (!Array.isArray(transports)) return [];
  const hints = transports.filter((each): each is string => typeof each === 'string' && /^[a-z-]{1,32}$/.test(each));
  return [...new Set(hints)].slice(0, MAX_TRANSPORTS);
}

function toUuid(aaguid: Buffer): string {
  return aaguid.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
