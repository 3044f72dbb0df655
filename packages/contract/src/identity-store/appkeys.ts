import { appkeyCodes, codesOf } from '../errors.ts';
import { IfUnchanged, lastUpdated } from '../if-unchanged.ts';
import { del, get, group, ofUser, post } from '../operation.ts';
import { page, pageQuery } from '../page.ts';
import { anyObject, DateTime, Empty, Id, listOf, mapOf, oneOf, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { AuthenticationResult, User } from './users.ts';

/** Appkeys: keys of mobile and web applications, FIDO UAF 1.1 (specification 4.10). */

const MAX_POLICIES = 50;
const MAX_CRITERIA = 100;
const MAX_STATEMENTS = 100;
const MAX_FLAGS = 2 ** 31 - 1;

const KeyType = oneOf('DEVICE', 'BIOMETRIC');
const KeyStatus = oneOf('ACTIVE', 'DISABLED');
const PushProvider = oneOf('APNS', 'FCM', 'WEB_PUSH');
const closed = { additionalProperties: false } as const;

const flags = (description: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_FLAGS, description: `Flags of the FIDO registry: ${description}` }),
  );
const numbers = (description: string) =>
  Type.Optional(
    listOf(Type.Integer({ minimum: 0, maximum: 65_535 }), 50, `Numbers of the FIDO registry: ${description}`),
  );
const Aaid = Type.String({
  pattern: '^[0-9A-Fa-f]{4}#[0-9A-Fa-f]{4}$',
  maxLength: 9,
  description: 'The model of an authenticator, such as `4E4E#4001`',
});

const abilities = {
  userVerification: flags('how the authenticator verifies the user'),
  keyProtection: flags('where keys are stored'),
  matcherProtection: flags('where the user is recognised'),
  attachmentHint: flags('how the authenticator is attached'),
  tcDisplay: flags('how transactions are shown'),
  authenticationAlgorithms: numbers('signatures'),
  attestationTypes: numbers('15879 is basic full, 15880 basic surrogate'),
};

/** Unknown members are refused: a policy with a misspelt criterion would accept every authenticator. */
const MatchCriteria = withTitle(
  'UafMatchCriteria',
  Type.Object(
    {
      aaid: Type.Optional(listOf(Aaid, MAX_CRITERIA)),
      vendorID: Type.Optional(listOf(Type.String({ pattern: '^[0-9A-Fa-f]{4}$', maxLength: 4 }), MAX_CRITERIA)),
      keyIDs: Type.Optional(listOf(text(1, 2732), MAX_CRITERIA)),
      ...abilities,
      assertionSchemes: Type.Optional(listOf(text(1, 40), 10)),
      authenticatorVersion: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
    },
    closed,
  ),
);

const UafPolicy = withTitle(
  'UafPolicy',
  Type.Object(
    {
      accepted: Type.Array(Type.Array(MatchCriteria, { minItems: 1, maxItems: 1 }), {
        minItems: 1,
        maxItems: MAX_CRITERIA,
        description:
          'The authenticators that may answer. Grove accepts one assertion at a time, so each list has one member',
      }),
      disallowed: Type.Optional(
        listOf(MatchCriteria, MAX_CRITERIA, 'The refused authenticators among the accepted ones'),
      ),
    },
    closed,
  ),
);

const MetadataStatement = withTitle(
  'UafMetadataStatement',
  Type.Object({
    aaid: Aaid,
    description: Type.Optional(text(0, 200)),
    ...abilities,
    attestationRootCertificates: Type.Optional(
      listOf(text(1, 12_000), 10, 'base64 of DER. A full attestation must lead to one of them'),
    ),
  }),
);

const configFields = {
  ...lastUpdated,
  appId: Type.Optional(text(1, 512, 'The FIDO AppID: an address that begins with https, or a facet')),
  trustedFacets: Type.Optional(
    listOf(text(1, 512), 100, '`android:apk-key-hash:…`, `ios:bundle-id:…` or a web origin'),
  ),
  keyTypes: Type.Optional(listOf(KeyType, 2, 'The accepted kinds of keys; default: both')),
  registrationPolicies: Type.Optional(mapOf(UafPolicy, MAX_POLICIES, 'By name')),
  authenticationPolicies: Type.Optional(mapOf(UafPolicy, MAX_POLICIES, 'By name')),
  metadataStatements: Type.Optional(
    listOf(
      MetadataStatement,
      MAX_STATEMENTS,
      'What is known about models of authenticators; a part of what FIDO publishes',
    ),
  ),
};

export const AppkeyConfig = withTitle(
  'AppkeyConfig',
  Type.Object({ rpId: text(1, 253, 'The relying party id'), ...configFields }),
);
const AppkeyConfigChange = withTitle('AppkeyConfigChange', Type.Object(configFields));

const Transaction = withTitle(
  'AppkeyTransaction',
  Type.Object({
    contentType: oneOf('text/plain', 'image/png'),
    content: text(
      1,
      65_536,
      'What the authenticator shows to the user, base64url. Text is ASCII of at most 200 characters',
    ),
  }),
);

/** For callers that manage the session themselves. Nothing is required: each missing member has a code of its own. */
const SessionData = withTitle(
  'AppkeySessionData',
  Type.Object({
    challenge: Type.Optional(text(0, 1400)),
    rpId: Type.Optional(text(0, 253)),
    policy: Type.Optional(UafPolicy),
    authPolicyName: Type.Optional(text(0, 100)),
    username: Type.Optional(text(0, 255, 'The external id of the user')),
    transaction: Type.Optional(Transaction),
  }),
);

const uafMessage = anyObject('The UAF message of the client: `uafProtocolMessage`');
const DeviceId = text(1, 255, 'The name of the device in the application');
const PushToken = text(1, 4096, 'Where push notifications to the device are sent');

const AppkeyRegistrationStart = withTitle(
  'AppkeyRegistrationStart',
  Type.Object({
    username: Type.Optional(text(1, 128, 'The name of the user on the device; default: the external id')),
  }),
);

const AppkeyAuthenticationStart = withTitle(
  'AppkeyAuthenticationStart',
  Type.Object({ transaction: Type.Optional(Transaction) }),
);

/** The caller passes the UAF request to the client unchanged. */
const AppkeyCeremony = withTitle(
  'AppkeyCeremony',
  Type.Object({
    sessionId: Id,
    expiringDtm: DateTime,
    uafProtocolMessage: Type.String({ description: 'The UAF request, a JSON text' }),
  }),
);

const AppkeyRegistrationCompletion = withTitle(
  'AppkeyRegistrationCompletion',
  Type.Object({
    sessionId: Type.Optional(text(1, 100)),
    sessionData: Type.Optional(SessionData),
    response: uafMessage,
    deviceId: Type.Optional(DeviceId),
    pushToken: Type.Optional(PushToken),
    pushProvider: Type.Optional(PushProvider),
    preferred: Type.Optional(Type.Boolean({ description: 'Whether the device becomes the preferred one' })),
  }),
);

/** How the attempt of the client ended: `response` or `error`. Without either, the attempt is refused with 1115. */
const AppkeyAuthentication = withTitle(
  'AppkeyAuthentication',
  Type.Object({
    sessionData: Type.Optional(SessionData),
    response: Type.Optional(uafMessage),
    error: Type.Optional(anyObject('How it failed on the client: `errorCode`, `message`')),
  }),
);

const Appkey = withTitle(
  'Appkey',
  Type.Object({
    id: Id,
    keyId: Type.String({ description: 'base64url' }),
    rpId: Type.String(),
    deviceId: Type.String(),
    aaid: Type.String(),
    keyType: KeyType,
    status: KeyStatus,
    attestation: oneOf('FULL', 'SURROGATE'),
    signCount: Type.Integer(),
    createdDtm: DateTime,
    lastUsedDtm: Type.Optional(DateTime),
  }),
);

const AppkeyRegistrationResult = withTitle('AppkeyRegistrationResult', Type.Object({ appkey: Appkey, user: User }));

const AppkeyChange = withTitle('AppkeyChange', Type.Object({ status: KeyStatus }));

const DeviceChange = withTitle(
  'AppkeyDeviceChange',
  Type.Object({ pushToken: PushToken, pushProvider: Type.Optional(PushProvider) }),
);

const ofRelyingParty = '/appkeys/relyingParties/{rpId}';

/** Server-managed and caller-managed sessions have disjoint error codes. */
function codesWithout(...exceptions: readonly (keyof typeof appkeyCodes)[]) {
  return codesOf(appkeyCodes).filter((code) => !exceptions.includes(code));
}

export const appkeys = group('/api/identity-store/stores/{storeName}', {
  createConfig: post('/appkeyConfig', {
    summary: 'Create the appkey configuration of a relying party',
    permission: 'IdentityStore:createAppkeyConfig',
    audit: 'appkeyConfig.created',
    body: AppkeyConfig,
    ok: AppkeyConfig,
    status: 201,
    codes: [100014, 100027, 100065],
  }),
  updateConfig: post('/appkeyConfig/{rpId}', {
    summary: 'Update the appkey configuration of a relying party',
    description: 'Changes only the fields that you send.',
    permission: 'IdentityStore:updateAppkeyConfig',
    audit: 'appkeyConfig.updated',
    query: IfUnchanged,
    body: AppkeyConfigChange,
    ok: AppkeyConfig,
    codes: [100027, 100029, 100351],
  }),
  startRegistration: post(ofUser(`${ofRelyingParty}/registrations/{regPolicyName}`, 'id', 'ext'), {
    summary: 'Start an appkey registration',
    description:
      'Pass `uafProtocolMessage` to the UAF client, and send its answer with the session to `registrations`.',
    permission: 'IdentityStore:startAppkeyRegistration',
    body: AppkeyRegistrationStart,
    ok: AppkeyCeremony,
    status: 201,
    codes: [502, 2100, 100027, 100028, 100029, 100030, 100082, 100116],
  }),
  completeRegistration: post('/appkeys/registrations', {
    summary: 'Complete an appkey registration',
    description: 'A session allows one attempt. Without a session, `sessionData` describes the request to the client.',
    permission: 'IdentityStore:completeAppkeyRegistration',
    body: AppkeyRegistrationCompletion,
    ok: AppkeyRegistrationResult,
    codes: [
      502, 1009, 1011, 1012, 1014, 1026, 1029, 1035, 1055, 1090, 2100, 100027, 100028, 100029, 100035, 100082, 100110,
      100111, 100112, 100114, 100115, 100116,
    ],
  }),
  startAuthentication: post(ofUser(`${ofRelyingParty}/authentications/{authPolicyName}`, 'id', 'ext'), {
    summary: 'Start an appkey authentication, or the confirmation of a transaction',
    permission: 'IdentityStore:startAppkeyAuthentication',
    body: AppkeyAuthenticationStart,
    ok: AppkeyCeremony,
    status: 201,
    codes: [502, 2100, 2101, 100027, 100028, 100029, 100030, 100032, 100082],
  }),
  authenticate: post('/appkeys/authentications', {
    summary: 'Authenticate with an appkey, with a session that the caller manages',
    description: 'A challenge allows one attempt. Without a `username`, the appkey identifies the user.',
    permission: 'IdentityStore:authenticateAppkey',
    body: AppkeyAuthentication,
    ok: AuthenticationResult,
    codes: [...codesWithout(1014), 100027, 100028, 100029, 100030, 100035, 100082],
  }),
  authenticateWithSession: post('/appkeys/authentications/sessions/{sessionId}', {
    summary: 'Authenticate with an appkey, with a session that Grove manages',
    description: 'A session allows one attempt.',
    permission: 'IdentityStore:authenticateAppkeyWithSession',
    body: AppkeyAuthentication,
    ok: AuthenticationResult,
    codes: [...codesWithout(1009, 1011, 1012, 1055, 1056, 1090), 100027, 100035, 100082],
  }),
  listKeys: get(ofUser(`${ofRelyingParty}/keys`, 'id', 'ext'), {
    summary: "List a user's appkeys of a relying party",
    permission: 'IdentityStore:listAppkeys',
    query: pageQuery({}),
    ok: page(Appkey),
    codes: [100027, 100028, 100029],
  }),
  updateKey: post(ofUser(`${ofRelyingParty}/keys/{keyId}`, 'id', 'ext'), {
    summary: 'Disable or enable an appkey of a user',
    permission: 'IdentityStore:updateAppkey',
    auditOperators: 'appkey.updated',
    body: AppkeyChange,
    ok: Appkey,
    codes: [100027, 100028, 100029, 100032],
  }),
  deregister: post(ofUser(`${ofRelyingParty}/deregistrations`, 'id', 'ext'), {
    summary: "Delete a user's appkeys of a relying party",
    permission: 'IdentityStore:deregisterAppkeys',
    auditOperators: 'appkey.deleted',
    persons: 'one',
    body: Empty,
    ok: User,
    codes: [100027, 100028, 100029],
  }),
  deregisterKey: del(ofUser(`${ofRelyingParty}/registrations/keyIds/{keyId}`, 'id'), {
    summary: 'Delete one appkey of a user',
    permission: 'IdentityStore:deregisterAppkey',
    auditOperators: 'appkey.deleted',
    persons: 'one',
    ok: User,
    codes: [100027, 100028, 100029, 100032],
  }),
  updateDevice: post(ofUser(`${ofRelyingParty}/devices/{deviceId}`, 'id', 'ext'), {
    summary: 'Set a new push token for a device of a user',
    permission: 'IdentityStore:updateAppkeyDevice',
    auditOperators: 'appkeyDevice.updated',
    persons: 'one',
    body: DeviceChange,
    ok: User,
    codes: [100027, 100028, 100029, 100033],
  }),
  setPreferredDevice: post(ofUser(`${ofRelyingParty}/preferredDevice/{deviceId}`, 'id', 'ext'), {
    summary: 'Make a device the preferred device of a user',
    permission: 'IdentityStore:setPreferredDevice',
    auditOperators: 'appkeyDevice.preferred',
    persons: 'one',
    body: Empty,
    ok: User,
    codes: [100027, 100028, 100029, 100033],
  }),
  clearPreferredDevice: del(ofUser(`${ofRelyingParty}/preferredDevices`, 'id', 'ext'), {
    summary: 'Clear the preferred device of a user',
    permission: 'IdentityStore:clearPreferredDevice',
    auditOperators: 'appkeyDevice.notPreferred',
    persons: 'one',
    ok: User,
    codes: [100027, 100028, 100029],
  }),
  deletePreferredDevice: del(ofUser(`${ofRelyingParty}/preferredDevice/{deviceId}`, 'id', 'ext'), {
    summary: 'Remove a device as the preferred device of a user',
    description: 'The appkeys of the device stay. A device that is not the preferred one is not found.',
    permission: 'IdentityStore:deletePreferredDevice',
    auditOperators: 'appkeyDevice.notPreferred',
    persons: 'one',
    ok: User,
    codes: [100027, 100028, 100029, 100033],
  }),
});
