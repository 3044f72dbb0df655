import { Type } from 'typebox';
import { appkeyCodes, codesOf } from '../errors.ts';
import { del, group, ofUser, post } from '../operation.ts';
import { anyObject, Empty, Id, listOf, mapOf, named, oneOf, text } from '../schema.ts';
import { AuthenticationResult, User } from './users.ts';

/** Appkeys: keys of mobile and web applications, FIDO UAF 1.1 (specification 4.10). */

const MAX_POLICIES = 50;

const KeyType = oneOf('DEVICE', 'BIOMETRIC');

const configFields = {
  appId: Type.Optional(text(1, 512, 'The FIDO AppID')),
  trustedFacets: Type.Optional(
    listOf(text(1, 512), 100, '`android:apk-key-hash:…`, `ios:bundle-id:…` or a web origin'),
  ),
  keyTypes: Type.Optional(listOf(KeyType, 2, 'The kinds of key that may be registered')),
  registrationPolicies: Type.Optional(mapOf(anyObject('A FIDO UAF policy'), MAX_POLICIES, 'By name')),
  authenticationPolicies: Type.Optional(mapOf(anyObject('A FIDO UAF policy'), MAX_POLICIES, 'By name')),
};

export const AppkeyConfig = named(
  'AppkeyConfig',
  Type.Object({ rpId: text(1, 253, 'The relying party id'), ...configFields }),
);
const AppkeyConfigChange = named('AppkeyConfigChange', Type.Object(configFields));

/** For callers that keep the session themselves. Nothing is required: each missing member has a code of its own. */
const SessionData = named(
  'AppkeySessionData',
  Type.Object({
    challenge: Type.Optional(text(0, 1400)),
    rpId: Type.Optional(text(0, 253)),
    policy: Type.Optional(anyObject('The FIDO UAF policy of the request')),
    authPolicyName: Type.Optional(text(0, 100)),
    username: Type.Optional(text(0, 255)),
  }),
);

const uafMessage = anyObject('The UAF message of the client: `uafProtocolMessage`');

const AppkeyRegistrationCompletion = named(
  'AppkeyRegistrationCompletion',
  Type.Object({
    sessionId: Type.Optional(text(1, 100)),
    sessionData: Type.Optional(SessionData),
    response: uafMessage,
    deviceId: Type.Optional(text(1, 255)),
    pushToken: Type.Optional(text(1, 4096, 'Where push notifications to the device are sent')),
  }),
);

/** How the client's attempt ended: `response` or `error`; neither is code 1115. */
const AppkeyAuthentication = named(
  'AppkeyAuthentication',
  Type.Object({
    sessionData: Type.Optional(SessionData),
    response: Type.Optional(uafMessage),
    error: Type.Optional(anyObject('How it failed on the client: `errorCode`, `message`')),
  }),
);

const AppkeyRegistrationResult = named(
  'AppkeyRegistrationResult',
  Type.Object({
    appkey: Type.Object({ id: Id, keyId: Type.String(), rpId: Type.String(), deviceId: Type.String() }),
    user: User,
  }),
);

export const appkeys = group('/api/identity-store/stores/{storeName}', {
  createConfig: post('/appkeyConfig', {
    summary: 'Create the appkey configuration of a relying party',
    permission: 'IdentityStore:createAppkeyConfig',
    body: AppkeyConfig,
    ok: AppkeyConfig,
    status: 201,
    codes: [100014, 100027],
  }),
  updateConfig: post('/appkeyConfig/{rpId}', {
    summary: 'Update the appkey configuration of a relying party',
    description: 'Changes only the fields given.',
    permission: 'IdentityStore:updateAppkeyConfig',
    body: AppkeyConfigChange,
    ok: AppkeyConfig,
    codes: [100027, 100029],
  }),
  completeRegistration: post('/appkeys/registrations', {
    summary: 'Complete an appkey registration',
    permission: 'IdentityStore:completeAppkeyRegistration',
    body: AppkeyRegistrationCompletion,
    ok: AppkeyRegistrationResult,
    codes: [502, 1009, 1011, 1012, 1026, 1029, 1035, 2100, 100027, 100029, 100035],
  }),
  authenticate: post('/appkeys/authentications', {
    summary: 'Authenticate with an appkey; the caller keeps the session',
    permission: 'IdentityStore:authenticateAppkey',
    body: AppkeyAuthentication,
    ok: AuthenticationResult,
    codes: [...codesOf(appkeyCodes), 100027],
  }),
  authenticateWithSession: post('/appkeys/authentications/sessions/{sessionId}', {
    summary: 'Authenticate with an appkey; the session is ours',
    description: 'A session is good for one attempt.',
    permission: 'IdentityStore:authenticateAppkeyWithSession',
    body: AppkeyAuthentication,
    ok: AuthenticationResult,
    codes: [...codesOf(appkeyCodes), 100027, 100035],
  }),
  deregister: post(ofUser('/appkeys/relyingParties/{rpId}/deregistrations', 'id', 'ext'), {
    summary: "Delete a user's appkeys of a relying party",
    permission: 'IdentityStore:deregisterAppkeys',
    body: Empty,
    ok: User,
    codes: [100027, 100028, 100029],
  }),
  deregisterKey: del(ofUser('/appkeys/relyingParties/{rpId}/registrations/keyIds/{keyId}', 'id'), {
    summary: 'Delete one appkey of a user',
    permission: 'IdentityStore:deregisterAppkey',
    ok: User,
    codes: [100027, 100028, 100029, 100032],
  }),
  clearPreferredDevice: del(ofUser('/appkeys/relyingParties/{rpId}/preferredDevices', 'id', 'ext'), {
    summary: "Clear a user's preferred device, whichever it is",
    permission: 'IdentityStore:clearPreferredDevice',
    ok: User,
    codes: [100027, 100028, 100029],
  }),
  deletePreferredDevice: del(ofUser('/appkeys/relyingParties/{rpId}/preferredDevice/{deviceId}', 'id', 'ext'), {
    summary: 'Delete a device as the preferred one of a user',
    permission: 'IdentityStore:deletePreferredDevice',
    ok: User,
    codes: [100027, 100028, 100029, 100033],
  }),
});
