import { Type } from 'typebox';
import { codesOf, passkeyCodes } from '../errors.ts';
import { get, group, ofUser, post } from '../operation.ts';
import { anyObject, DateTime, Id, listOf, mapOf, named, oneOf, text } from '../schema.ts';
import { AuthenticationResult, PasskeySummary, User } from './users.ts';

/** Passkeys: WebAuthn relying parties, ceremonies and their audit (specification 4.10). */

const MAX_POLICIES = 50;
const MAX_CREDENTIALS = 100;

const UserVerification = oneOf('required', 'preferred', 'discouraged');
const Attestation = oneOf('none', 'indirect', 'direct', 'enterprise');

const AuthenticatorSelection = named(
  'AuthenticatorSelection',
  Type.Object({
    authenticatorAttachment: Type.Optional(oneOf('platform', 'cross-platform')),
    residentKey: Type.Optional(oneOf('required', 'preferred', 'discouraged')),
    requireResidentKey: Type.Optional(Type.Boolean()),
    userVerification: Type.Optional(UserVerification),
  }),
);

const RegistrationPolicy = named(
  'PasskeyRegistrationPolicy',
  Type.Object({
    attestation: Type.Optional(Attestation),
    authenticatorSelection: Type.Optional(AuthenticatorSelection),
    externalChallengeAllowed: Type.Optional(Type.Boolean()),
    userNameRequired: Type.Optional(Type.Boolean()),
    displayNameRequired: Type.Optional(Type.Boolean()),
    maxPasskeysPerUser: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CREDENTIALS })),
  }),
);

const AuthenticationPolicy = named(
  'PasskeyAuthenticationPolicy',
  Type.Object({
    userVerification: Type.Optional(UserVerification),
    externalChallengeAllowed: Type.Optional(Type.Boolean()),
  }),
);

const configFields = {
  rpName: Type.Optional(text(1, 255, 'What the end user is shown')),
  restrictedOrigins: Type.Optional(listOf(text(1, 255), 100, 'The only origins accepted, when any is given')),
  registrationPolicies: Type.Optional(mapOf(RegistrationPolicy, MAX_POLICIES, 'By name')),
  authenticationPolicies: Type.Optional(mapOf(AuthenticationPolicy, MAX_POLICIES, 'By name')),
};

const RpId = text(1, 253, 'The relying party id: a domain');

export const PasskeyConfig = named('PasskeyConfig', Type.Object({ rpId: RpId, ...configFields }));
const PasskeyConfigChange = named('PasskeyConfigChange', Type.Object(configFields));

const Challenge = text(1, 1400, 'A challenge of the caller, base64url; only where the policy allows it');

const RegistrationStart = named(
  'PasskeyRegistrationStart',
  Type.Object({
    userName: Type.Optional(text(1, 255)),
    displayName: Type.Optional(text(1, 255)),
    userHandle: Type.Optional(text(1, 86, 'At most 64 bytes, base64url')),
    challenge: Type.Optional(Challenge),
  }),
);

const AuthenticationStart = named('PasskeyAuthenticationStart', Type.Object({ challenge: Type.Optional(Challenge) }));

const AuthenticationStartByBody = named(
  'PasskeyAuthenticationStartByBody',
  Type.Object({ rpId: RpId, authPolicyName: text(1, 100), challenge: Type.Optional(Challenge) }),
);

const CredentialDescriptor = named(
  'PasskeyCredentialDescriptor',
  Type.Object({
    id: Type.String(),
    type: oneOf('public-key'),
    transports: Type.Optional(listOf(Type.String(), 10)),
  }),
);

const ceremony = { sessionId: Id, expiringDtm: DateTime };

/** `publicKey` is WebAuthn's PublicKeyCredentialCreationOptionsJSON. */
const RegistrationStarted = named(
  'PasskeyRegistrationStarted',
  Type.Object({
    ...ceremony,
    publicKey: Type.Object({
      rp: Type.Object({ id: Type.String(), name: Type.String() }),
      user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
      challenge: Type.String(),
      pubKeyCredParams: listOf(Type.Object({ type: oneOf('public-key'), alg: Type.Integer() }), 20),
      timeout: Type.Integer({ description: 'Milliseconds' }),
      excludeCredentials: listOf(CredentialDescriptor, MAX_CREDENTIALS),
      authenticatorSelection: AuthenticatorSelection,
      attestation: Attestation,
      extensions: Type.Optional(anyObject('WebAuthn extension inputs')),
    }),
  }),
);

/** `publicKey` is WebAuthn's PublicKeyCredentialRequestOptionsJSON. */
const AuthenticationStarted = named(
  'PasskeyAuthenticationStarted',
  Type.Object({
    ...ceremony,
    publicKey: Type.Object({
      challenge: Type.String(),
      timeout: Type.Integer({ description: 'Milliseconds' }),
      rpId: Type.String(),
      allowCredentials: listOf(CredentialDescriptor, MAX_CREDENTIALS),
      userVerification: UserVerification,
      extensions: Type.Optional(anyObject('WebAuthn extension inputs')),
    }),
  }),
);

/**
 * How the client's ceremony ended. Nothing is required, and a registration fits as well as an authentication: answers
 * that are missing, of the other kind or beside session data have codes of their own (395, 352, 388).
 */
const Completion = named(
  'PasskeyCompletion',
  Type.Object({
    credential: Type.Optional(
      Type.Object({
        id: text(1, 1400),
        rawId: Type.Optional(text(1, 1400)),
        type: oneOf('public-key'),
        response: anyObject(
          'WebAuthn: `clientDataJSON` with `attestationObject`, or with `authenticatorData` and `signature`',
        ),
        authenticatorAttachment: Type.Optional(text(0, 40)),
        clientExtensionResults: Type.Optional(anyObject('WebAuthn extension outputs')),
      }),
    ),
    error: Type.Optional(
      Type.Object({
        name: text(1, 100, 'The name of the DOMException, such as `NotAllowedError`'),
        message: Type.Optional(text(0, 1000)),
      }),
    ),
    sessionData: Type.Optional(anyObject('Refused: the session is ours')),
  }),
);

const RegistrationResult = named('PasskeyRegistrationResult', Type.Object({ passkey: PasskeySummary, user: User }));

const RegistrationAudit = named(
  'PasskeyRegistrationAudit',
  Type.Object({
    passkey: PasskeySummary,
    options: anyObject('What was asked of the authenticator'),
    credential: anyObject('What it answered'),
    createdDtm: DateTime,
  }),
);

export const passkeys = group('/api/identity-store/stores/{storeName}', {
  createConfig: post('/passkeyConfig', {
    summary: 'Create the passkey configuration of a relying party',
    permission: 'IdentityStore:createPasskeyConfig',
    body: PasskeyConfig,
    ok: PasskeyConfig,
    status: 201,
    codes: [100014, 100027],
  }),
  updateConfig: post('/passkeyConfig/{rpId}', {
    summary: 'Update the passkey configuration of a relying party',
    description: 'Changes only the fields given.',
    permission: 'IdentityStore:updatePasskeyConfig',
    body: PasskeyConfigChange,
    ok: PasskeyConfig,
    codes: [100027, 100029],
  }),
  startRegistration: post(
    ofUser('/passkeys/relyingParties/{rpId}/registrations/{regPolicyName}', 'id', 'ext', 'none'),
    {
      summary: 'Start a passkey registration',
      description: 'Pass `publicKey` to `navigator.credentials.create`. Without a user, completing it makes one.',
      permission: 'IdentityStore:startPasskeyRegistration',
      body: RegistrationStart,
      ok: RegistrationStarted,
      status: 201,
      codes: [502, 2100, 100027, 100028, 100029, 100030, 100038, 100043],
    },
  ),
  completeRegistration: post('/passkeys/registrations/sessions/{sessionId}', {
    summary: 'Complete a passkey registration',
    description: 'A session is good for one attempt.',
    permission: 'IdentityStore:completePasskeyRegistration',
    body: Completion,
    ok: RegistrationResult,
    codes: [353, 354, 382, 383, 388, 395, 397, 398, 403, 502, 100027, 100035, 100038],
  }),
  startAuthentication: post(
    ofUser('/passkeys/relyingParties/{rpId}/authentications/{authPolicyName}', 'id', 'ext', 'none'),
    {
      summary: 'Start a passkey authentication',
      description: 'Pass `publicKey` to `navigator.credentials.get`. Without a user, the passkey tells who it is.',
      permission: 'IdentityStore:startPasskeyAuthentication',
      body: AuthenticationStart,
      ok: AuthenticationStarted,
      status: 201,
      codes: [502, 2100, 2101, 100027, 100028, 100029, 100030, 100043],
    },
  ),
  startAuthenticationByBody: post('/passkeys/authentications', {
    summary: 'Start a passkey authentication, with the relying party and the policy in the body',
    permission: 'IdentityStore:startPasskeyAuthenticationByBody',
    body: AuthenticationStartByBody,
    ok: AuthenticationStarted,
    status: 201,
    codes: [100027, 100029, 100030, 100043],
  }),
  authenticate: post('/passkeys/authentications/sessions/{sessionId}', {
    summary: 'Authenticate with a passkey',
    description: 'Completes the authentication that was started. A session is good for one attempt.',
    permission: 'IdentityStore:authenticatePasskey',
    body: Completion,
    ok: AuthenticationResult,
    codes: [...codesOf(passkeyCodes), 100027, 100035],
  }),
  getRegistrationAudit: get(ofUser('/passkeys/{id}/registrationAudit', 'id', 'ext'), {
    summary: 'Get the audit of a passkey registration',
    permission: 'IdentityStore:getPasskeyRegistrationAudit',
    ok: RegistrationAudit,
    codes: [100027, 100028, 100031],
  }),
});
