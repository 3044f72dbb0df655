import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'grove-idv-sdk';
import { partOf } from './part-of.ts';

/**
 * An identity store with the policies of its relying parties, which have operations of their own. Policies of push
 * notifications hold credentials of providers, so no file has them.
 */
type Values = Readonly<Record<string, unknown>>;
type Part = {
  /** The member that names it; in a file it is the key of the map. */
  key: string;
  create(client: Client, storeName: string, body: never): Promise<object>;
  update(client: Client, storeName: string, name: string, body: never): Promise<object>;
};

const PARTS: Readonly<Record<string, Part>> = {
  passkeyConfigs: {
    key: 'rpId',
    create: (client, storeName, body) => client.passkeys.createConfig({ storeName, body }),
    update: (client, storeName, rpId, body) => client.passkeys.updateConfig({ storeName, rpId, body }),
  },
  appkeyConfigs: {
    key: 'rpId',
    create: (client, storeName, body) => client.appkeys.createConfig({ storeName, body }),
    update: (client, storeName, rpId, body) => client.appkeys.updateConfig({ storeName, rpId, body }),
  },
  totpPolicies: {
    key: 'name',
    create: (client, storeName, body) => client.totps.createPolicy({ storeName, body }),
    update: (client, storeName, policyName, body) => client.totps.updatePolicy({ storeName, policyName, body }),
  },
};

/** Converts a store for a file: each policy is stored by its name, and without it. */
export function shownStore(store: Values): Values {
  const { pushNotificationPolicies: _secret, ...configuration } = store.configuration as Values;
  const fileEntries = Object.entries(configuration).flatMap(([name, value]) => {
    const part = PARTS[name];
    if (!part) return [[name, value] as const];
    const entries = Object.entries(value as Record<string, Values>).map(
      ([key, { [part.key]: _key, lastUpdatedDtm: _lastUpdated, ...rest }]) => [key, rest],
    );
    return entries.length === 0 ? [] : [[name, Object.fromEntries(entries)] as const];
  });
  return { ...store, configuration: Object.fromEntries(fileEntries) };
}

export async function writeStore(client: Client, values: Values, isNew: boolean): Promise<object> {
  const { name, configuration, ...rest } = values as { name: string; configuration?: Values } & Values;
  const settings = Object.fromEntries(Object.entries(configuration ?? {}).filter(([member]) => !(member in PARTS)));
  const body = { ...rest, ...(configuration && { configuration: settings }) };
  const store = isNew
    ? await client.stores.create({ body: { ...body, name } })
    : await client.stores.update({ storeName: name, body });
  const now = shownStore(store as Values).configuration as Values;
  for (const [member, part] of Object.entries(PARTS)) {
    const wantedPolicies = (configuration?.[member] ?? {}) as Readonly<Record<string, Values>>;
    const there = (now[member] ?? {}) as Readonly<Record<string, Values>>;
    for (const [key, policy] of Object.entries(wantedPolicies)) {
      const before = Object.hasOwn(there, key) ? there[key] : undefined;
      if (before === undefined) await part.create(client, name, { ...policy, [part.key]: key } as never);
      else if (!isDeepStrictEqual(partOf(before, policy), policy))
        await part.update(client, name, key, policy as never);
    }
  }
  return store;
}
