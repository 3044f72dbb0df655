import { IfUnchanged } from '../if-unchanged.ts';
import { get, group, post } from '../operation.ts';
import { likeFilter, page, pageQuery } from '../page.ts';
import { Environment } from '../process-manager/parameters.ts';
import { DateTime, Duration, Id, mapOf, nameText, oneOf, text, withTitle } from '../schema.ts';
import { Type } from '../type.ts';
import { AppkeyConfig } from './appkeys.ts';
import { PasskeyConfig } from './passkeys.ts';
import { PushNotificationPolicy } from './push-notifications.ts';
import { TotpPolicy } from './totps.ts';
import { UserStatus } from './users.ts';

/** Identity stores and their configuration (specification 4.10). */

const MAX_RELYING_PARTIES = 100;

const limits = {
  maxFailedAttempts: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Failures before a temporary lock; default: 5' }),
  ),
  tempLockDuration: Type.Optional(Type.String({ ...Duration, description: 'An ISO 8601 duration; default: `PT5M`' })),
  maxTempLocks: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100, description: 'How often the duration of the lock doubles; default: 3' }),
  ),
};

const LockLimits = withTitle('LockLimits', Type.Object(limits));

const LockConfiguration = withTitle(
  'LockConfiguration',
  Type.Object({
    ...limits,
    scope: Type.Optional({
      ...oneOf('MODALITY', 'USER'),
      description: 'What a temporary lock covers: the modality that failed (default), or the whole user',
    }),
    modalities: Type.Optional(
      Type.Object({
        FACE: Type.Optional(LockLimits),
        PASSKEY: Type.Optional(LockLimits),
        APPKEY: Type.Optional(LockLimits),
        TOTP: Type.Optional(LockLimits),
      }),
    ),
  }),
);

const FaceConfiguration = withTitle(
  'FaceConfiguration',
  Type.Object({
    floor: Type.Optional(
      Type.Number({
        minimum: 0.3,
        maximum: 1,
        description: 'The lowest similarity at which a face can match, whatever a caller sends; default: 0.5',
      }),
    ),
  }),
);

const settings = {
  defaultLocale: Type.Optional(text(1, 35, 'BCP 47, such as `en-GB`')),
  defaultTimeZone: Type.Optional(text(1, 64, 'IANA, such as `Europe/Dublin`')),
  defaultUserStatus: Type.Optional(UserStatus),
  maxUsers: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000_000,
      description: 'How many users the store may hold; default: 10,000,000',
    }),
  ),
  lockConfiguration: Type.Optional(LockConfiguration),
  faceConfiguration: Type.Optional(FaceConfiguration),
};

const StoreConfiguration = withTitle(
  'StoreConfiguration',
  Type.Object({
    ...settings,
    appkeyConfigs: mapOf(AppkeyConfig, MAX_RELYING_PARTIES, 'By relying party id'),
    passkeyConfigs: mapOf(PasskeyConfig, MAX_RELYING_PARTIES, 'By relying party id'),
    totpPolicies: mapOf(TotpPolicy, MAX_RELYING_PARTIES, 'By policy name'),
    pushNotificationPolicies: Type.Optional(mapOf(PushNotificationPolicy, MAX_RELYING_PARTIES, 'By relying party id')),
  }),
);

/** Configurations and policies of relying parties have operations of their own; here they are ignored. */
const StoreConfigurationInput = withTitle('StoreConfigurationInput', Type.Object(settings));

const StoreStatus = oneOf('ACTIVE', 'INACTIVE');
const StoreName = nameText(1, 100, 'A unique name in the tenant; it is part of the addresses of the store');

const Store = withTitle(
  'Store',
  Type.Object({
    id: Id,
    environment: Environment,
    name: StoreName,
    description: Type.Optional(text(0, 255)),
    status: StoreStatus,
    configuration: StoreConfiguration,
    createdDtm: DateTime,
    lastUpdatedDtm: DateTime,
  }),
);

const writable = {
  description: Type.Optional(text(0, 255)),
  status: Type.Optional(StoreStatus),
  configuration: Type.Optional(StoreConfigurationInput),
};

/** Read-only fields may be sent back as they were read; they are ignored. */
const StoreInput = withTitle('StoreInput', Type.Object({ name: StoreName, ...writable }));
const StoreChange = withTitle('StoreChange', Type.Object(writable));

export const stores = group('/api/identity-store/stores', {
  create: post('', {
    summary: 'Create an identity store',
    permission: 'IdentityStore:createStore',
    audit: 'identityStore.created',
    body: StoreInput,
    ok: Store,
    status: 201,
    codes: [100014, 100065],
  }),
  list: get('', {
    summary: 'List identity stores',
    permission: 'IdentityStore:listStores',
    query: pageQuery({ name: likeFilter('stores whose name') }),
    ok: page(Store),
  }),
  get: get('/{storeName}', {
    summary: 'Get an identity store',
    permission: 'IdentityStore:getStore',
    ok: Store,
    codes: [100027],
  }),
  update: post('/{storeName}', {
    summary: 'Update an identity store',
    description: 'Changes only the fields that you send. The name cannot be changed.',
    permission: 'IdentityStore:updateStore',
    audit: 'identityStore.updated',
    query: IfUnchanged,
    body: StoreChange,
    ok: Store,
    codes: [100027, 100351],
  }),
});
