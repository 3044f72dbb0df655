import type { Client } from 'grove-idv-sdk';
import { environmentOf, LARGEST_PAGE } from '../on-server.ts';
import { deployedPages, type PageContent, uploadPage } from './custom-pages.ts';
import { shownStore, writeStore } from './store-policies.ts';

/**
 * The kinds of resources beside definitions and settings, and the calls that list, create and update each. They are in
 * the order of their references: webhooks name secrets, and keys come last.
 */
export type Values = Readonly<Record<string, unknown>>;

export type Calls = {
  /** The fields that a file may have; the first is the name. */
  fields: readonly string[];
  /** The fields that cannot be changed after the creation. */
  fixed?: readonly string[];
  /** The fields that an update replaces as a whole, so they are compared as a whole. */
  whole?: readonly string[];
  list(client: Client): AsyncIterable<object>;
  create(client: Client, values: never, content?: PageContent): Promise<object>;
  update(client: Client, item: { id: string; name: string }, values: never, content?: PageContent): Promise<object>;
  /** Converts an item of the server for a file; undefined if it belongs into no file. */
  toFile?(item: Values): Values | undefined;
  /** The environment variable with the value of a new one. */
  variable?(name: string): string;
  /** The reason why the resource cannot be created now. */
  missing?(name: string): string | undefined;
};

const LARGE_PAGES = { query: { size: LARGEST_PAGE } } as const;

export const KINDS = {
  cloudSecrets: {
    fields: ['name', 'description', 'type', 'hosts'],
    fixed: ['name', 'type'],
    list: (client) => client.cloudSecrets.list.all(LARGE_PAGES),
    create: (client, body: { name: string }) =>
      client.cloudSecrets.create({ body: { ...body, value: process.env[variableOf(body.name)] ?? '' } }),
    update: (client, { id: cloudSecretId }, body) => client.cloudSecrets.update({ cloudSecretId, body }),
    variable: variableOf,
    missing: (name) =>
      process.env[variableOf(name)]
        ? undefined
        : `is new, and the environment has no ${variableOf(name)} with its value`,
  },
  stores: {
    fields: ['name', 'description', 'status', 'configuration'],
    list: (client) => client.stores.list.all(LARGE_PAGES),
    create: (client, values: Values) => writeStore(client, values, true),
    update: (client, { name }, values: Values) => writeStore(client, { ...values, name }, false),
    toFile: shownStore,
  },
  watchlists: {
    fields: ['name', 'description', 'type', 'status', 'maxSize', 'expireMembersAfter'],
    fixed: ['type'],
    list: (client) => client.watchlists.list.all(LARGE_PAGES),
    create: (client, body) => client.watchlists.create({ body }),
    update: (client, { id: watchlistId }, body) => client.watchlists.update({ watchlistId, body }),
  },
  webhooks: {
    fields: ['name', 'description', 'uri', 'method', 'headers', 'bodyTemplate', 'events', 'status', 'retryIntervalsMs'],
    list: (client) => client.webhooks.list.all(LARGE_PAGES),
    create: (client, body) => client.webhooks.create({ body }),
    update: (client, { id: webhookId }, body) => client.webhooks.update({ webhookId, body }),
  },
  themes: {
    fields: ['name', 'palette', 'darkPalette', 'radius', 'fontFamily', 'defaultLanguage', 'texts'],
    fixed: ['name'],
    whole: ['texts'],
    list: (client) => client.themes.list.all(LARGE_PAGES),
    create: (client, body) => client.themes.create({ body }),
    update: (client, { name: themeName }, body) => client.themes.update({ themeName, body }),
  },
  pages: {
    fields: ['name', 'files'],
    whole: ['files'],
    list: deployedPages,
    create: (client, { name }: { name: string }, content) => uploadPage(client, name, content),
    update: (client, { name }, _values, content) => uploadPage(client, name, content),
  },
  apiKeys: {
    fields: ['name', 'description', 'status', 'permissions'],
    list: ownKeys,
    create: async (client, values: Values) => {
      const newKey = await client.apiKeys.create({ body: (await withTenant(client, values)) as never });
      return { ...newKey, secret: newKey.code };
    },
    update: async (client, { id: apiKeyId }, values: Values) =>
      client.apiKeys.update({ apiKeyId, body: (await withTenant(client, values)) as never }),
    toFile: shownKey,
  },
} as const satisfies Record<string, Calls>;

export type Kind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** Custom pages are folders; every other kind is a file with a list. */
export const FILE_KINDS = KIND_NAMES.filter((kind) => kind !== 'pages');
export const fileOf = (kind: Kind) => `${kind}.yaml`;

/** The environment variable with the value of a new secret, because no file holds it. */
function variableOf(name: string): string {
  return `SECRET_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

/** The keys of the client's own environment: a key of the other one may have the same name and is never changed. */
async function* ownKeys(client: Client): AsyncIterable<object> {
  const environment = environmentOf(client);
  for await (const key of client.apiKeys.list.all(LARGE_PAGES)) if (key.environment === environment) yield key;
}

const OWN_TENANT = /^TNT#[^#]+#/;

/** Removes the tenant from permissions, so that the file serves every tenant. */
function shownKey(item: Values): Values | undefined {
  if (item.status === 'ARCHIVED' || item.type === 'SESSION') return undefined;
  const permissions = (item.permissions as readonly string[]).map((each) => each.replace(OWN_TENANT, ''));
  return { ...item, permissions };
}

/** Adds the tenant to permissions. Its name is found in the list of keys, which holds at least the calling key. */
async function withTenant(client: Client, values: Values): Promise<Values> {
  if (!Array.isArray(values.permissions)) return values;
  const { content } = await client.apiKeys.list();
  const [prefix] = content.flatMap(({ permissions }) => permissions.flatMap((each) => OWN_TENANT.exec(each) ?? []));
  if (prefix === undefined) throw new Error('No API key of the tenant has a permission, so its name is unknown');
  return { ...values, permissions: values.permissions.map((each) => `${prefix}${each}`) };
}
