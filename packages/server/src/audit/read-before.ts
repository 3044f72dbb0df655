import type { ConfigurationAction } from '@grove/contract';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { isObject } from '../kernel/is-object.ts';

/** Reads an object of the configuration as it is stored before a change, for the audit log. */
type Params = Readonly<Record<string, string>>;
type Input = { params: Params; query: Record<string, unknown>; body: undefined };
type Operation = (context: Context, input: Input) => unknown;
type Reader = (
  load: (group: string, name: string, input?: Partial<Input>) => Promise<unknown>,
  params: Params,
) => unknown;

/** As many are looked through for the one that is changed. */
const LOOKED_THROUGH = 200;

const READERS: { readonly [A in ConfigurationAction]?: Reader } = {
  'apiKey.updated': (load, params) => load('apiKeys', 'get', { params }),
  'processDefinition.updated': (load, params) => load('processDefinitions', 'get', { params }),
  'processSettings.updated': (load) => load('processSettings', 'get'),
  'webhook.updated': (load, params) => load('webhooks', 'get', { params }),
  'operator.updated': (load, params) => load('operators', 'get', { params }),
  'singleSignOn.updated': (load) => load('singleSignOn', 'get'),
  'identityStore.updated': (load, params) => load('stores', 'get', { params }),
  'pushPolicy.updated': (load, params) => load('pushNotifications', 'getPolicy', { params }),
  'passkeyConfig.updated': ofStore('passkeyConfigs', 'rpId'),
  'appkeyConfig.updated': ofStore('appkeyConfigs', 'rpId'),
  'totpPolicy.updated': ofStore('totpPolicies', 'policyName'),
  'theme.updated': async (load, { themeName }) => {
    const page = await load('themes', 'list', { query: { name: themeName, page: 0, size: LOOKED_THROUGH } });
    return entryOf(page, 'content', 'name', themeName);
  },
  'cloudSecret.updated': async (load, { cloudSecretId }) => {
    const page = await load('cloudSecrets', 'list', { query: { page: 0, size: LOOKED_THROUGH } });
    return entryOf(page, 'content', 'id', cloudSecretId);
  },
  'operatorRole.updated': async (load, { roleName }) =>
    entryOf(await load('operatorRoles', 'list'), 'roles', 'name', roleName),
};

export type ReadBefore = (context: Context, action: ConfigurationAction, params: Params) => Promise<unknown>;

/** The handlers of the contract read it, in the transaction of the change. What is not there has no value before. */
export function readingBefore(handlers: Readonly<Record<string, unknown>>): ReadBefore {
  const groups = handlers as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  return async (context, action, params) => {
    const reader = READERS[action];
    if (!reader) return undefined;
    const load: Parameters<Reader>[0] = async (group, name, input = {}) =>
      groups[group]?.[name]?.(context, { params: {}, query: {}, body: undefined, ...input });
    try {
      return await reader(load, params);
    } catch (error) {
      // The change itself says what is wrong.
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
}

function ofStore(member: string, param: string): Reader {
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
