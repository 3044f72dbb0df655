import type { RecordedAction } from '@grove/contract';
import { isObject } from '../kernel/is-object.ts';

export type Params = Readonly<Record<string, string>>;
export type ReadInput = { params: Params; query: Record<string, unknown>; body: undefined };
/** Calls a handler of the contract. */
export type Load = (group: string, name: string, input?: Partial<ReadInput>) => Promise<unknown>;

type StoredObject = {
  /** Reads the object as it is stored before an update. */
  read(load: Load, params: Params): unknown;
  /** The members that are compared; `*` means all. */
  readonly compared: readonly string[];
};

/** The object is searched among this many entries of its list. */
const LIST_SIZE = 200;

/**
 * Objects of the configuration whose updates the audit log shows before and after. Secrets are in no view; addresses of
 * webhooks and templates, which may carry one, are left out.
 */
export const STORED_OBJECTS: { readonly [A in RecordedAction]?: StoredObject } = {
  // Nothing is compared. The object is read because its id names the user, whichever id the address had.
  'user.deleted': { read: readBy('users'), compared: [] },
  'apiKey.updated': {
    read: readBy('apiKeys'),
    compared: ['name', 'description', 'type', 'status', 'permissions', 'expiringDtm'],
  },
  'processDefinition.updated': { read: readBy('processDefinitions'), compared: ['document'] },
  'processSettings.updated': {
    read: readBy('processSettings'),
    compared: [
      'redirectOrigins',
      'embedOrigins',
      'allowSpecimens',
      'readBudget',
      'lenientRequests',
      'fourEyes',
      'secondReviewPercent',
      'reviewReasons',
      'reviewDueHours',
      'reviewQueues',
    ],
  },
  'webhook.updated': {
    read: readBy('webhooks'),
    compared: ['name', 'description', 'status', 'method', 'events', 'sensitiveHeaders', 'retryIntervalsMs'],
  },
  'operator.updated': { read: readBy('operators'), compared: ['role', 'status'] },
  'singleSignOn.updated': {
    read: readBy('singleSignOn'),
    compared: ['issuer', 'clientId', 'clientSecretName', 'scopes', 'groupsClaim', 'roles'],
  },
  'identityStore.updated': { read: readBy('stores'), compared: ['description', 'status', 'configuration'] },
  'pushPolicy.updated': {
    read: readBy('pushNotifications', 'getPolicy'),
    compared: ['status', 'numberMatching', 'providers'],
  },
  'passkeyConfig.updated': { read: ofStore('passkeyConfigs', 'rpId'), compared: ['*'] },
  'appkeyConfig.updated': { read: ofStore('appkeyConfigs', 'rpId'), compared: ['*'] },
  'totpPolicy.updated': { read: ofStore('totpPolicies', 'policyName'), compared: ['*'] },
  'theme.updated': {
    read: async (load, { themeName }) => {
      const page = await load('themes', 'list', { query: { name: themeName, page: 0, size: LIST_SIZE } });
      return entryOf(page, 'content', 'name', themeName);
    },
    compared: ['palette', 'darkPalette', 'radius', 'fontFamily', 'defaultLanguage', 'texts'],
  },
  'cloudSecret.updated': {
    read: async (load, { cloudSecretId }) => {
      const page = await load('cloudSecrets', 'list', { query: { page: 0, size: LIST_SIZE } });
      return entryOf(page, 'content', 'id', cloudSecretId);
    },
    compared: ['description', 'hosts'],
  },
  'operatorRole.updated': {
    read: async (load, { roleName }) => entryOf(await load('operatorRoles', 'list'), 'roles', 'name', roleName),
    compared: ['description', 'permissions', 'environments', 'masked'],
  },
};

function readBy(group: string, name = 'get'): StoredObject['read'] {
  return (load, params) => load(group, name, { params });
}

function ofStore(member: string, param: string): StoredObject['read'] {
  return async (load, { storeName = '', ...params }) => {
    const store = await load('stores', 'get', { params: { storeName } });
    const configuration = isObject(store) && isObject(store.configuration) ? store.configuration[member] : undefined;
    return isObject(configuration) ? configuration[params[param] ?? ''] : undefined;
  };
}

function entryOf(answer: unknown, member: string, key: string, value: string | undefined): unknown {
  const entries = isObject(answer) ? answer[member] : undefined;
  return Array.isArray(entries) ? entries.find((each) => isObject(each) && each[key] === value) : undefined;
}
