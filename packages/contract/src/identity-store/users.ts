import { del, get, group, ofUser, post } from '../operation.ts';
import { cursorPage, cursorQuery, likeFilter, page, pageQuery } from '../page.ts';
import { Environment } from '../process-manager/parameters.ts';
import { DateTime, Duration, Id, listOf, oneOf, personal, stringMap, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';

/** The users of an identity store, their sessions and their authentications (specification 4.10). */

const MAX_AUTHENTICATORS = 100;

export const UserStatus = oneOf('ACTIVE', 'LOCKED', 'TEMP_LOCKED', 'DISABLED', 'PENDING_ACTIVE');

export const Modality = oneOf('FACE', 'PASSKEY', 'APPKEY', 'TOTP');

const lockState = {
  failedCount: Type.Integer({ description: 'Failures since the last success' }),
  lockCount: Type.Integer({ description: 'Temporary locks since the last success' }),
  tempLockExpiresDtm: Type.Optional(DateTime),
};

const ModalityLock = withTitle('ModalityLock', Type.Object({ ...lockState, locked: Type.Boolean() }));

const LockInfo = withTitle(
  'LockInfo',
  Type.Object({
    ...lockState,
    modalities: Type.Object({
      FACE: Type.Optional(ModalityLock),
      PASSKEY: Type.Optional(ModalityLock),
      APPKEY: Type.Optional(ModalityLock),
      TOTP: Type.Optional(ModalityLock),
    }),
  }),
);

const DeviceSummary = withTitle(
  'DeviceSummary',
  Type.Object({
    deviceId: Type.String(),
    rpId: Type.String(),
    keyIds: listOf(Type.String(), MAX_AUTHENTICATORS, 'The appkeys on the device'),
    preferred: Type.Boolean(),
    invalidToken: Type.Optional(
      Type.Boolean({ description: 'True when the push notification token was used and is marked unusable' }),
    ),
  }),
);

const AppkeySummary = withTitle(
  'AppkeySummary',
  Type.Object({
    keyId: Type.String(),
    rpId: Type.String(),
    deviceId: Type.String({ description: 'The device that holds the appkey' }),
    invalidToken: Type.Optional(
      Type.Boolean({ description: 'True when the push notification token of its device is marked unusable' }),
    ),
  }),
);

export const PasskeySummary = withTitle(
  'PasskeySummary',
  Type.Object({
    id: Id,
    rpId: Type.String(),
    credentialId: Type.String({ description: 'base64url' }),
    status: oneOf('ACTIVE', 'DISABLED'),
    createdDtm: DateTime,
    lastUsedDtm: Type.Optional(DateTime),
  }),
);

const TotpSummary = withTitle(
  'TotpSummary',
  Type.Object({ policyName: Type.String(), status: oneOf('ACTIVE', 'PENDING', 'DISABLED'), createdDtm: DateTime }),
);

const BiometricSummary = withTitle(
  'BiometricSummary',
  Type.Object({ type: Type.String(), status: oneOf('ACTIVE', 'DISABLED'), lastUpdatedDtm: DateTime }),
);

const SummaryInfo = withTitle(
  'SummaryInfo',
  Type.Object({
    devices: listOf(DeviceSummary, MAX_AUTHENTICATORS),
    appkeys: listOf(AppkeySummary, MAX_AUTHENTICATORS, 'The keys of all devices'),
    passkeys: listOf(PasskeySummary, MAX_AUTHENTICATORS),
    totps: listOf(TotpSummary, MAX_AUTHENTICATORS),
    biometrics: listOf(BiometricSummary, MAX_AUTHENTICATORS),
  }),
);

const ExtId = text(1, 255, 'The id of the user at the relying party; unique in the store, and neither `.` nor `..`');
const Attributes = stringMap(100, 4000);
const Locale = text(1, 35, 'BCP 47, such as `en-GB`');
const TimeZone = text(1, 64, 'IANA, such as `Europe/Dublin`');

export const User = withTitle(
  'User',
  Type.Object({
    id: Id,
    environment: Environment,
    extId: Type.Optional(personal(ExtId)),
    status: UserStatus,
    attributes: personal(Attributes),
    locale: Type.Optional(Locale),
    timeZone: Type.Optional(TimeZone),
    createdDtm: DateTime,
    lastUpdatedDtm: DateTime,
    lastSuccessfulAuthenticationDtm: Type.Optional(DateTime),
    lockInfo: LockInfo,
    summaryInfo: SummaryInfo,
  }),
);

/** The response to an authentication that succeeded. The response to a refused one is 400, with the code and the user. */
export const AuthenticationResult = withTitle(
  'AuthenticationResult',
  Type.Object({ authenticationId: Id, user: User }),
);

/** Read-only fields may be sent back as they were read; they are ignored. All are optional, also to create a user. */
const UserInput = withTitle(
  'UserInput',
  Type.Object({
    extId: Type.Optional(ExtId),
    status: Type.Optional(UserStatus),
    attributes: Type.Optional(Attributes),
    locale: Type.Optional(Locale),
    timeZone: Type.Optional(TimeZone),
  }),
);

const UserLock = withTitle(
  'UserLock',
  Type.Object({
    duration: Type.Optional(
      Type.String({ ...Duration, description: 'An ISO 8601 duration; without it, until unlocked' }),
    ),
  }),
);

const UserUnlock = withTitle(
  'UserUnlock',
  Type.Object({
    modality: Type.Optional({
      ...Modality,
      description: 'Unlocks only this modality; without it, the whole user',
    }),
  }),
);

const UserSession = withTitle(
  'UserSession',
  Type.Object({
    id: Id,
    type: oneOf('REGISTRATION', 'AUTHENTICATION'),
    modality: Modality,
    rpId: Type.Optional(Type.String()),
    username: Type.Optional(personal(Type.String({ description: 'The appkey username for the registration' }))),
    createdDtm: DateTime,
    expiringDtm: DateTime,
  }),
);

const Authentication = withTitle(
  'Authentication',
  Type.Object({
    id: Id,
    modality: Modality,
    succeeded: Type.Boolean(),
    code: Type.Optional(Type.Integer({ description: 'Why the attempt was refused; see the error catalogue' })),
    rpId: Type.Optional(Type.String()),
    createdDtm: DateTime,
  }),
);

export const users = group('/api/identity-store/stores/{storeName}', {
  create: post('/users', {
    summary: 'Create a user',
    permission: 'IdentityStore:createUser',
    auditOperators: 'user.created',
    body: UserInput,
    ok: User,
    status: 201,
    codes: [100027, 100037, 100083],
  }),
  list: get('/users', {
    summary: 'List users',
    permission: 'IdentityStore:listUsers',
    persons: 'each',
    query: cursorQuery({ extId: likeFilter('users whose external id'), status: Type.Optional(UserStatus) }),
    ok: cursorPage(User),
    codes: [100027],
  }),
  get: get(ofUser('', 'id', 'ext'), {
    summary: 'Get a user',
    permission: 'IdentityStore:getUser',
    persons: 'one',
    ok: User,
    codes: [100027, 100028],
  }),
  update: post(ofUser('', 'id', 'ext'), {
    summary: 'Update a user',
    description:
      'Changes only the fields that you send; `attributes` are replaced as a whole. If you set the `status` of a ' +
      'locked user to `ACTIVE`, that unlocks the user.',
    permission: 'IdentityStore:updateUser',
    auditOperators: 'user.updated',
    persons: 'one',
    body: UserInput,
    ok: User,
    codes: [100027, 100028, 100037],
  }),
  delete: del(ofUser('', 'id', 'ext'), {
    summary: 'Delete a user',
    description:
      'Deletes the user with all data and destroys the key that sealed the data. After a restore of an older ' +
      'backup, the user is deleted again.',
    permission: 'IdentityStore:deleteUser',
    auditOperators: 'user.deleted',
    destructive: true,
    status: 204,
    codes: [100027, 100028],
  }),
  lock: post(ofUser('/lock', 'id', 'ext'), {
    summary: 'Lock a user',
    description:
      'The user cannot authenticate in any way until somebody unlocks the user, or until the time has passed.',
    permission: 'IdentityStore:lockUser',
    auditOperators: 'user.locked',
    persons: 'one',
    body: UserLock,
    ok: User,
    codes: [502, 100027, 100028],
  }),
  unlock: post(ofUser('/unlock', 'id', 'ext'), {
    summary: 'Unlock a user',
    description: 'Clears the failures. A modality that was disabled after too many failures works again.',
    permission: 'IdentityStore:unlockUser',
    auditOperators: 'user.unlocked',
    persons: 'one',
    body: UserUnlock,
    ok: User,
    codes: [100027, 100028],
  }),
  listSessions: get(ofUser('/sessions', 'id', 'ext'), {
    summary: "List a user's open registration and authentication sessions",
    permission: 'IdentityStore:listUserSessions',
    persons: 'one',
    query: pageQuery({}),
    ok: page(UserSession),
    codes: [100027, 100028],
  }),
  listAuthentications: get(ofUser('/authentications', 'id', 'ext'), {
    summary: "List a user's authentications",
    permission: 'IdentityStore:listUserAuthentications',
    persons: 'one',
    query: cursorQuery({ modality: Type.Optional(Modality) }),
    ok: cursorPage(Authentication),
    codes: [100027, 100028],
  }),
});
