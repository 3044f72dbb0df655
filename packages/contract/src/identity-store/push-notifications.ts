import { IfUnchanged } from '../if-unchanged.ts';
import { del, get, group, ofUser, post } from '../operation.ts';
import { page, pageQuery } from '../page.ts';
import { DateTime, Id, lenientInteger, listOf, mapOf, oneOf, personal, stringMap, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';

/** Push notifications to the devices that hold a user's appkeys, and the policies of relying parties (4.10). */

const MAX_DEVICES = 100;
const MAX_ACTIVE_OF_A_DEVICE = 100;

const NotificationType = oneOf('PROCESS', 'GENERIC');
const NotificationStatus = oneOf('SENT', 'DELIVERED', 'ACCEPTED', 'REJECTED', 'COMPLETED', 'EXPIRED', 'FAILED');

const NUMBER = { minimum: 10, maximum: 99 } as const;

const PushNotificationInput = withTitle(
  'PushNotificationInput',
  Type.Object({
    type: NotificationType,
    devices: Type.Optional(oneOf('ALL', 'PREFERRED')),
    title: Type.Optional(text(0, 255)),
    message: Type.Optional(text(0, 1000)),
    processDefnName: Type.Optional(text(0, 50, 'The process to run; for `PROCESS`')),
    processDefnVersion: Type.Optional(lenientInteger(1, 2 ** 31 - 1)),
    processDefnTag: Type.Optional(text(1, 50)),
    parameters: Type.Optional(stringMap(100, 4000)),
    parentProcessInstanceId: Type.Optional(
      text(1, 50, 'An instance that waits in a `pause` step; it continues when the process has ended. For `PROCESS`'),
    ),
  }),
);

const PushNotification = withTitle(
  'PushNotification',
  Type.Object({
    id: Id,
    type: NotificationType,
    rpId: Type.String(),
    deviceId: Type.String(),
    status: NotificationStatus,
    title: Type.Optional(personal(Type.String())),
    message: Type.Optional(personal(Type.String())),
    processInstanceId: Type.Optional(Id),
    processTokenId: Type.Optional(Id),
    parentProcessInstanceId: Type.Optional(Id),
    createdDtm: DateTime,
    lastUpdatedDtm: DateTime,
    expiringDtm: DateTime,
  }),
);

const PushNotificationsSent = withTitle(
  'PushNotificationsSent',
  Type.Object({
    pushNotifications: listOf(PushNotification, MAX_DEVICES, 'One for each device'),
    number: Type.Optional(
      Type.Integer({
        ...NUMBER,
        description: 'Present if the policy has `numberMatching`: show it where the user began, and nowhere else',
      }),
    ),
  }),
);

const ActivePushNotifications = withTitle(
  'ActivePushNotifications',
  mapOf(
    mapOf(listOf(PushNotification, MAX_ACTIVE_OF_A_DEVICE), MAX_DEVICES, 'By device id'),
    100,
    'By relying party id, then by device id',
  ),
);

const PolicyStatus = oneOf('ACTIVE', 'INACTIVE');

const closed = { additionalProperties: false } as const;
const PrivateKey = text(1, 8192, 'PEM; written once and never shown');

const ApnsSettings = withTitle(
  'ApnsSettings',
  Type.Object(
    {
      teamId: text(1, 40),
      keyId: text(1, 40),
      privateKey: PrivateKey,
      bundleId: text(1, 155, 'The application: the topic of its notifications'),
      environment: Type.Optional(oneOf('PRODUCTION', 'SANDBOX')),
      address: Type.Optional(text(1, 500, "Instead of Apple's own address")),
    },
    closed,
  ),
);

const FcmSettings = withTitle(
  'FcmSettings',
  Type.Object(
    {
      projectId: text(1, 100),
      clientEmail: text(1, 255, 'The address of the service account'),
      privateKey: PrivateKey,
      tokenUri: Type.Optional(text(1, 500, 'Where access tokens come from')),
      address: Type.Optional(text(1, 500, "Instead of Google's own address")),
    },
    closed,
  ),
);

const WebPushSettings = withTitle(
  'WebPushSettings',
  Type.Object(
    {
      subject: text(1, 255, '`mailto:` or an https address, for the services of the browsers'),
      publicKey: text(1, 200, 'The VAPID key, base64url'),
      privateKey: text(1, 100, 'base64url; written once and never shown'),
    },
    closed,
  ),
);

const policyFields = {
  status: Type.Optional(PolicyStatus),
  numberMatching: Type.Optional(
    Type.Boolean({
      description: 'Whether the user must choose, on the device, the number that is shown where the request began',
    }),
  ),
  apns: Type.Optional(ApnsSettings),
  fcm: Type.Optional(FcmSettings),
  webPush: Type.Optional(WebPushSettings),
};

const PushNotificationPolicyInput = withTitle(
  'PushNotificationPolicyInput',
  Type.Object({ rpId: text(1, 253, 'A relying party with appkeys'), ...policyFields }),
);
const PushNotificationPolicyChange = withTitle('PushNotificationPolicyChange', Type.Object(policyFields));

/** The settings hold credentials, so a response names the configured providers and never returns their settings. */
export const PushNotificationPolicy = withTitle(
  'PushNotificationPolicy',
  Type.Object({
    rpId: Type.String(),
    status: PolicyStatus,
    numberMatching: Type.Optional(Type.Boolean({ description: 'Present only if it is true' })),
    providers: listOf(oneOf('APNS', 'FCM', 'WEB_PUSH'), 3, 'The providers that are configured'),
    createdDtm: DateTime,
    lastUpdatedDtm: DateTime,
  }),
);

const PushNotificationAnswer = withTitle(
  'PushNotificationAnswer',
  Type.Object({
    status: oneOf('DELIVERED', 'ACCEPTED', 'REJECTED', 'COMPLETED'),
    number: Type.Optional(Type.Integer({ ...NUMBER, description: 'The number that the user chose or typed' })),
  }),
);

const PushNotificationAnswered = withTitle(
  'PushNotificationAnswered',
  Type.Object({
    ...PushNotification.properties,
    redirectUrl: Type.Optional(
      Type.String({ description: 'The address where the process begins, after the right number; it works once' }),
    ),
  }),
);

const ConfigurationStatus = oneOf('CONFIGURED', 'NOT_CONFIGURED');

const PushRelyingParty = withTitle(
  'PushRelyingParty',
  Type.Object({ rpId: Type.String(), configurationStatus: ConfigurationStatus }),
);

export const pushNotifications = group('/api/identity-store/stores/{storeName}', {
  send: post(ofUser('/pushNotifications/relyingParties/{rpId}', 'id', 'ext'), {
    summary: "Send a push notification to a user's devices",
    description: 'Sends to the devices with appkeys of the relying party: to all of them, or to the preferred one.',
    permission: 'IdentityStore:sendPushNotification',
    auditOperators: 'pushNotification.sent',
    body: PushNotificationInput,
    ok: PushNotificationsSent,
    status: 201,
    codes: [100022, 100023, 100027, 100028, 100029, 100030, 100039, 100040, 100047, 100082, 100364],
  }),
  list: get(ofUser('/pushNotifications', 'id', 'ext'), {
    summary: "List a user's active push notifications, by relying party and device",
    description: 'Returns all of them at once, because few can be active at a time.',
    permission: 'IdentityStore:listPushNotifications',
    persons: 'one',
    ok: ActivePushNotifications,
    codes: [100027, 100028],
  }),
  get: get(ofUser('/pushNotifications/{id}', 'id', 'ext'), {
    summary: 'Get a push notification',
    permission: 'IdentityStore:getPushNotification',
    persons: 'one',
    ok: PushNotification,
    codes: [100027, 100028, 100034],
  }),
  answer: post(ofUser('/pushNotifications/{id}', 'id', 'ext'), {
    summary: 'Report the status of a push notification on the device',
    description:
      'REJECTED, COMPLETED, EXPIRED and FAILED are final. With number matching, an acceptance must contain the ' +
      'number; a wrong number rejects all notifications of the call. A user who is locked or not active cannot accept a ' +
      'GENERIC notification.',
    permission: 'IdentityStore:answerPushNotification',
    body: PushNotificationAnswer,
    ok: PushNotificationAnswered,
    codes: [502, 2100, 100027, 100028, 100034, 100120, 100190],
  }),
  listRelyingParties: get('/pushNotifications/relyingParties', {
    summary: 'List the relying parties that can send push notifications',
    permission: 'IdentityStore:listPushRelyingParties',
    query: pageQuery({ configurationStatus: Type.Optional(ConfigurationStatus) }),
    ok: page(PushRelyingParty),
    codes: [100027],
  }),
  createPolicy: post('/pushNotificationPolicy', {
    summary: 'Create the push notification policy of a relying party',
    permission: 'IdentityStore:createPushNotificationPolicy',
    audit: 'pushPolicy.created',
    body: PushNotificationPolicyInput,
    ok: PushNotificationPolicy,
    status: 201,
    codes: [100014, 100027, 100029, 100065],
  }),
  getPolicy: get('/pushNotificationPolicy/{rpId}', {
    summary: 'Get the push notification policy of a relying party',
    permission: 'IdentityStore:getPushNotificationPolicy',
    ok: PushNotificationPolicy,
    codes: [100027, 100030],
  }),
  updatePolicy: post('/pushNotificationPolicy/{rpId}', {
    summary: 'Update the push notification policy of a relying party',
    description: 'Changes only the fields that you send.',
    permission: 'IdentityStore:updatePushNotificationPolicy',
    audit: 'pushPolicy.updated',
    query: IfUnchanged,
    body: PushNotificationPolicyChange,
    ok: PushNotificationPolicy,
    codes: [100027, 100030, 100351],
  }),
  deletePolicy: del('/pushNotificationPolicy/{rpId}', {
    summary: 'Delete the push notification policy of a relying party',
    permission: 'IdentityStore:deletePushNotificationPolicy',
    audit: 'pushPolicy.deleted',
    status: 204,
    codes: [100027, 100030],
  }),
});
