import { codesOf, passkeyCodes } from '../errors.ts';
import { IfUnchanged, lastUpdated } from '../if-unchanged.ts';
import { del, get, group, ofUser, post } from '../operation.ts';
import { anyObject, DateTime, Id, listOf, mapOf, nameText, oneOf, personal, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { ALGORITHMS, Algorithm } from './passkey-algorithms.ts';
import { AuthenticationResult, PasskeySummary, User } from './users.ts';

/** Passkeys: WebAuthn relying parties, ceremonies and their audit (specification 4.10). */

const MAX_POLICIES = 50;
const MAX_CREDENTIALS = 100;

const UserVerification = oneOf('required', 'preferred', 'discouraged');
const Attestation = oneOf('none', 'indirect', 'direct', 'enterprise');
const Aaguids = (description: string) =>
  Type.Optional(
    listOf(
      Type.String({ pattern: '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$', maxLength: 36 }),
      200,
      description,
    ),
  );
const Hints = listOf(
  oneOf('security-key', 'client-device', 'hybrid'),
  3,
  'What the browser shows first, the best first',
);
const Extensions = Type.Object({
  credProps: Type.Optional(Type.Boolean({ description: 'Request whether the passkey is discoverable' })),
  prf: Type.Optional(Type.Boolean({ description: 'Request the pseudo-random function of the passkey' })),
});
const Mediation = Type.Optional(oneOf('conditional'));

const AuthenticatorSelection = withTitle(
  'AuthenticatorSelection',
  Type.Object({
    authenticatorAttachment: Type.Optional(oneOf('platform', 'cross-platform')),
    residentKey: Type.Optional(oneOf('required', 'preferred', 'discouraged')),
    requireResidentKey: Type.Optional(Type.Boolean()),
    userVerification: Type.Optional(UserVerification),
  }),
);

const RegistrationPolicy = withTitle(
  'PasskeyRegistrationPolicy',
  Type.Object({
    attestation: Type.Optional(Attestation),
    attestationTrust: Type.Optional(
      Type.Unsafe<'none' | 'self' | 'trusted'>({
        type: 'string',
        enum: ['none', 'self', 'trusted'],
        description:
          'The lowest accepted trust: `none` checks no attestation, `self` requires a valid signature, `trusted` ' +
          'requires certificates that lead to a root in `attestationRoots`. Default: `none` with the attestation ' +
          '`none`, `trusted` with any other',
      }),
    ),
    allowedAaguids: Aaguids('If there are any, the only accepted models of authenticators'),
    deniedAaguids: Aaguids('Models of authenticators that are refused'),
    metadata: Type.Optional(
      Type.Unsafe<'none' | 'used' | 'required'>({
        type: 'string',
        enum: ['none', 'used', 'required'],
        description:
          "How to use FIDO's metadata about a model: `used` adds the roots of its manufacturer to `attestationRoots` " +
          'and refuses models that are reported as revoked or broken; `required` also refuses unknown models. Default: ' +
          '`none`',
      }),
    ),
    sha1InTpm: Type.Optional(
      Type.Boolean({ description: 'Whether a TPM may sign its statement with SHA-1, as Windows Hello does' }),
    ),
    backup: Type.Optional(
      Type.Unsafe<'any' | 'required' | 'forbidden'>({
        type: 'string',
        enum: ['any', 'required', 'forbidden'],
        description:
          'Whether the passkey may be on several devices; `forbidden` accepts only passkeys that stay on one',
      }),
    ),
    conditionalCreateAllowed: Type.Optional(
      Type.Boolean({ description: 'Whether a browser may create a passkey after a login without asking the user' }),
    ),
    hints: Type.Optional(Hints),
    attestationFormats: Type.Optional(listOf(text(1, 32), 8, 'The preferred formats of statements')),
    extensions: Type.Optional(Extensions),
    algorithms: Type.Optional(
      Type.Array(Algorithm, {
        minItems: 1,
        maxItems: ALGORITHMS.length,
        description: 'The offered algorithms, the best first; default: -7, -8, -257, -35 and -36',
      }),
    ),
    authenticatorSelection: Type.Optional(AuthenticatorSelection),
    externalChallengeAllowed: Type.Optional(Type.Boolean()),
    userNameRequired: Type.Optional(Type.Boolean()),
    displayNameRequired: Type.Optional(Type.Boolean()),
    maxPasskeysPerUser: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CREDENTIALS })),
  }),
);

const AuthenticationPolicy = withTitle(
  'PasskeyAuthenticationPolicy',
  Type.Object({
    userVerification: Type.Optional(UserVerification),
    externalChallengeAllowed: Type.Optional(Type.Boolean()),
    hints: Type.Optional(Hints),
  }),
);

const configFields = {
  ...lastUpdated,
  rpName: Type.Optional(nameText(1, 255, 'The name that the end user sees')),
  restrictedOrigins: Type.Optional(listOf(text(1, 255), 100, 'If there are any, the only accepted origins')),
  relatedOrigins: Type.Optional(
    listOf(text(1, 255), 100, 'Origins of other domains, which the relying party lists at `/.well-known/webauthn`'),
  ),
  topOrigins: Type.Optional(
    listOf(
      text(1, 255),
      100,
      'Pages that may show a ceremony in a frame; if there are none, frames of other origins are refused',
    ),
  ),
  unnamedTopOriginAllowed: Type.Optional(
    Type.Boolean({
      description:
        'Whether to accept a frame if the browser does not name the page around it, as some do not. Then any page may' +
        ' show the ceremony. Default: `false`',
    }),
  ),
  attestationRoots: Type.Optional(
    listOf(text(1, 4000), 50, 'Trusted certificates of manufacturers of authenticators, PEM'),
  ),
  registrationPolicies: Type.Optional(mapOf(RegistrationPolicy, MAX_POLICIES, 'By name')),
  authenticationPolicies: Type.Optional(mapOf(AuthenticationPolicy, MAX_POLICIES, 'By name')),
};

const RpId = text(1, 253, 'The relying party id: a domain');

export const PasskeyConfig = withTitle('PasskeyConfig', Type.Object({ rpId: RpId, ...configFields }));
const PasskeyConfigChange = withTitle('PasskeyConfigChange', Type.Object(configFields));

const Challenge = text(
  22,
  1366,
  'A challenge of the caller, from 16 to 1024 bytes, base64url; only if the policy allows it',
);

const RegistrationStart = withTitle(
  'PasskeyRegistrationStart',
  Type.Object({
    userName: Type.Optional(text(1, 255)),
    displayName: Type.Optional(text(1, 255)),
    userHandle: Type.Optional(text(1, 86, 'At most 64 bytes, base64url')),
    challenge: Type.Optional(Challenge),
    mediation: Mediation,
  }),
);

/** Inputs of the pseudo-random function: the passkey gives the page a secret for each, which the server never receives. */
const Prf = Type.Optional(
  Type.Object({ first: text(1, 1400, 'base64url'), second: Type.Optional(text(1, 1400, 'base64url')) }),
);

const authenticationStart = { challenge: Type.Optional(Challenge), mediation: Mediation, prf: Prf };
const AuthenticationStart = withTitle('PasskeyAuthenticationStart', Type.Object(authenticationStart));

const AuthenticationStartByBody = withTitle(
  'PasskeyAuthenticationStartByBody',
  Type.Object({ rpId: RpId, authPolicyName: text(1, 100), ...authenticationStart }),
);

const CredentialDescriptor = withTitle(
  'PasskeyCredentialDescriptor',
  Type.Object({
    id: Type.String(),
    type: oneOf('public-key'),
    transports: Type.Optional(listOf(Type.String(), 10)),
  }),
);

const ceremony = { sessionId: Id, expiringDtm: DateTime };

/** `publicKey` is WebAuthn's PublicKeyCredentialCreationOptionsJSON. */
const RegistrationStarted = withTitle(
  'PasskeyRegistrationStarted',
  Type.Object({
    ...ceremony,
    publicKey: Type.Object({
      rp: Type.Object({ id: Type.String(), name: Type.String() }),
      user: Type.Object({
        id: Type.String(),
        name: personal(Type.String()),
        displayName: personal(Type.String()),
      }),
      challenge: Type.String(),
      pubKeyCredParams: listOf(Type.Object({ type: oneOf('public-key'), alg: Type.Integer() }), 20),
      timeout: Type.Integer({ description: 'Milliseconds' }),
      excludeCredentials: listOf(CredentialDescriptor, MAX_CREDENTIALS),
      authenticatorSelection: AuthenticatorSelection,
      attestation: Attestation,
      attestationFormats: Type.Optional(listOf(Type.String(), 8)),
      hints: Type.Optional(Hints),
      extensions: Type.Optional(anyObject('WebAuthn extension inputs')),
    }),
  }),
);

/** `publicKey` is WebAuthn's PublicKeyCredentialRequestOptionsJSON. */
const AuthenticationStarted = withTitle(
  'PasskeyAuthenticationStarted',
  Type.Object({
    ...ceremony,
    publicKey: Type.Object({
      challenge: Type.String(),
      timeout: Type.Integer({ description: 'Milliseconds' }),
      rpId: Type.String(),
      allowCredentials: listOf(CredentialDescriptor, MAX_CREDENTIALS),
      userVerification: UserVerification,
      hints: Type.Optional(Hints),
      extensions: Type.Optional(anyObject('WebAuthn extension inputs')),
    }),
  }),
);

/**
 * How the ceremony of the client ended. Nothing is required, and a registration is as valid as an authentication: a
 * response that is missing, of the other kind or with session data has a code of its own (395, 352, 388).
 */
const Completion = withTitle(
  'PasskeyCompletion',
  Type.Object({
    credential: Type.Optional(
      Type.Object(
        {
          id: text(1, 1400),
          rawId: Type.Optional(text(1, 1400)),
          type: oneOf('public-key'),
          response: anyObject(
            'WebAuthn: `clientDataJSON` with `attestationObject`, or with `authenticatorData` and `signature`',
          ),
          authenticatorAttachment: Type.Optional(text(0, 40)),
          clientExtensionResults: Type.Optional(anyObject('WebAuthn extension outputs')),
        },
        // Browsers write it, and newer browsers may add members.
        { additionalProperties: true },
      ),
    ),
    error: Type.Optional(
      Type.Object({
        name: text(1, 100, 'The name of the DOMException, such as `NotAllowedError`'),
        message: Type.Optional(text(0, 1000)),
      }),
    ),
    sessionData: Type.Optional(anyObject('Refused: Grove manages the session')),
  }),
);

const RegistrationResult = withTitle('PasskeyRegistrationResult', Type.Object({ passkey: PasskeySummary, user: User }));

const PasskeyChange = withTitle('PasskeyChange', Type.Object({ status: oneOf('ACTIVE', 'DISABLED') }));

const RegistrationAudit = withTitle(
  'PasskeyRegistrationAudit',
  Type.Object({
    passkey: PasskeySummary,
    algorithm: Algorithm,
    aaguid: Type.String({ description: 'The model of the authenticator; zeros if it is unknown' }),
    transports: listOf(Type.String(), 10),
    userVerified: Type.Boolean(),
    backupEligible: Type.Boolean({ description: 'Whether the passkey may be on several devices' }),
    backedUp: Type.Boolean({ description: 'The value at the last use' }),
    signCount: Type.Integer({ description: 'The value at the last use' }),
    attestationFormat: Type.String({ description: 'Such as `none` or `packed`' }),
    attestationTrust: oneOf('none', 'self', 'trusted'),
    discoverable: Type.Optional(Type.Boolean({ description: 'The browser’s result of the extension `credProps`' })),
    prfEnabled: Type.Optional(Type.Boolean({ description: 'The browser’s result of the extension `prf`' })),
    options: anyObject('The options of the ceremony'),
    credential: anyObject('The response of the authenticator'),
    createdDtm: DateTime,
  }),
);

/** As `PublicKeyCredential.signalAllAcceptedCredentials` takes it. */
const Signals = withTitle(
  'PasskeySignals',
  Type.Object({
    rpId: Type.String(),
    userId: Type.String({ description: 'The user handle, base64url; empty for a user without passkeys' }),
    allAcceptedCredentialIds: listOf(Type.String(), MAX_CREDENTIALS),
  }),
);

export const passkeys = group('/api/identity-store/stores/{storeName}', {
  createConfig: post('/passkeyConfig', {
    summary: 'Create the passkey configuration of a relying party',
    permission: 'IdentityStore:createPasskeyConfig',
    audit: 'passkeyConfig.created',
    body: PasskeyConfig,
    ok: PasskeyConfig,
    status: 201,
    codes: [100014, 100027, 100065],
  }),
  updateConfig: post('/passkeyConfig/{rpId}', {
    summary: 'Update the passkey configuration of a relying party',
    description: 'Changes only the fields that you send.',
    permission: 'IdentityStore:updatePasskeyConfig',
    audit: 'passkeyConfig.updated',
    query: IfUnchanged,
    body: PasskeyConfigChange,
    ok: PasskeyConfig,
    codes: [100027, 100029, 100351],
  }),
  startRegistration: post(
    ofUser('/passkeys/relyingParties/{rpId}/registrations/{regPolicyName}', 'id', 'ext', 'none'),
    {
      summary: 'Start a passkey registration',
      description: 'Pass `publicKey` to `navigator.credentials.create`. Without a user, the completion creates one.',
      permission: 'IdentityStore:startPasskeyRegistration',
      persons: 'one',
      body: RegistrationStart,
      ok: RegistrationStarted,
      status: 201,
      codes: [502, 2100, 100027, 100028, 100029, 100030, 100038, 100043, 100082],
    },
  ),
  completeRegistration: post('/passkeys/registrations/sessions/{sessionId}', {
    summary: 'Complete a passkey registration',
    description: 'A session allows one attempt.',
    permission: 'IdentityStore:completePasskeyRegistration',
    body: Completion,
    ok: RegistrationResult,
    codes: [
      353, 354, 356, 382, 383, 388, 395, 397, 398, 403, 502, 2100, 100027, 100035, 100038, 100082, 100090, 100092,
      100093, 100094, 100200,
    ],
  }),
  startAuthentication: post(
    ofUser('/passkeys/relyingParties/{rpId}/authentications/{authPolicyName}', 'id', 'ext', 'none'),
    {
      summary: 'Start a passkey authentication',
      description: 'Pass `publicKey` to `navigator.credentials.get`. Without a user, the passkey identifies the user.',
      permission: 'IdentityStore:startPasskeyAuthentication',
      body: AuthenticationStart,
      ok: AuthenticationStarted,
      status: 201,
      codes: [502, 2100, 2101, 100027, 100028, 100029, 100030, 100031, 100043, 100082],
    },
  ),
  startAuthenticationByBody: post('/passkeys/authentications', {
    summary: 'Start a passkey authentication, with the relying party and the policy in the body',
    permission: 'IdentityStore:startPasskeyAuthenticationByBody',
    body: AuthenticationStartByBody,
    ok: AuthenticationStarted,
    status: 201,
    codes: [100027, 100029, 100030, 100043, 100082],
  }),
  authenticate: post('/passkeys/authentications/sessions/{sessionId}', {
    summary: 'Authenticate with a passkey',
    description: 'Completes the started authentication. A session allows one attempt.',
    permission: 'IdentityStore:authenticatePasskey',
    body: Completion,
    ok: AuthenticationResult,
    codes: [...codesOf(passkeyCodes), 100027, 100035, 100082],
  }),
  update: post(ofUser('/passkeys/{id}', 'id', 'ext'), {
    summary: 'Disable or enable a passkey of a user',
    permission: 'IdentityStore:updatePasskey',
    auditOperators: 'passkey.updated',
    body: PasskeyChange,
    ok: PasskeySummary,
    codes: [100027, 100028, 100031],
  }),
  delete: del(ofUser('/passkeys/{id}', 'id', 'ext'), {
    summary: 'Delete a passkey of a user',
    description: 'Grove refuses the passkey from then on, even if the authenticator still has it.',
    permission: 'IdentityStore:deletePasskey',
    auditOperators: 'passkey.deleted',
    persons: 'one',
    ok: User,
    codes: [100027, 100028, 100031],
  }),
  getSignals: get(ofUser('/passkeys/relyingParties/{rpId}/signals', 'id', 'ext'), {
    summary: 'Get the passkey signals for the browser of a user',
    description:
      'Pass it to `PublicKeyCredential.signalAllAcceptedCredentials`: the browser then hides passkeys that are not accepted any more.',
    permission: 'IdentityStore:getPasskeySignals',
    ok: Signals,
    codes: [100027, 100028, 100029],
  }),
  getRegistrationAudit: get(ofUser('/passkeys/{id}/registrationAudit', 'id', 'ext'), {
    summary: 'Get the audit of a passkey registration',
    permission: 'IdentityStore:getPasskeyRegistrationAudit',
    ok: RegistrationAudit,
    codes: [100027, 100028, 100031],
  }),
});
