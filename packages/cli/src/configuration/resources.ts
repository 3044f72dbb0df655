import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'grove-idv-sdk';
import type { ReadYaml } from './read-yaml.ts';

/**
 * What a tenant has beside definitions and settings, each kind in a file of its own with a list of objects that have a
 * name. Definitions refer to all of them, so they come first. Nothing is deleted. Members of watchlists, users of stores
 * and secrets are no configuration: they are not in a file.
 */
export type Kind = keyof typeof KINDS;
type Values = Readonly<Record<string, unknown>>;

export type ResourceFile = {
  readonly kind: Kind;
  readonly file: string;
  readonly name: string;
  readonly values: Values;
};

export type ResourceChange = ResourceFile & {
  readonly action: 'create' | 'update' | 'none';
  readonly id?: string;
  /** The fields of the file as they are now. */
  readonly before?: Values;
};

/** A secret that the server shows once. */
export type NewSecret = { readonly kind: Kind; readonly name: string; readonly secret: string };

type Item = { id: string; name: string } & Values;
type Calls = {
  /** What a file may say of it; the first names it. */
  fields: readonly string[];
  list(client: Client): AsyncIterable<object>;
  create(client: Client, values: never): Promise<object>;
  update(client: Client, item: { id: string; name: string }, values: never): Promise<object>;
};

export const KINDS = {
  stores: {
    fields: ['name', 'description', 'status', 'configuration'],
    list: (client) => client.stores.list.all(),
    create: (client, body) => client.stores.create({ body }),
    update: (client, { name: storeName }, body) => client.stores.update({ storeName, body }),
  },
  watchlists: {
    fields: ['name', 'description', 'type', 'status', 'maxSize', 'expireMembersAfter'],
    list: (client) => client.watchlists.list.all(),
    create: (client, body) => client.watchlists.create({ body }),
    update: (client, { id: watchlistId }, body) => client.watchlists.update({ watchlistId, body }),
  },
  webhooks: {
    fields: ['name', 'description', 'uri', 'method', 'headers', 'bodyTemplate', 'events', 'status', 'retryIntervalsMs'],
    list: (client) => client.webhooks.list.all(),
    create: (client, body) => client.webhooks.create({ body }),
    update: (client, { id: webhookId }, body) => client.webhooks.update({ webhookId, body }),
  },
} as const satisfies Record<string, Calls>;

export const KIND_NAMES = Object.keys(KINDS) as Kind[];
export const fileOf = (kind: Kind) => `${kind}.yaml`;
const MAX_RESOURCES = 1000;

/** Every fault names its place in the file. */
export function resourcesOf(kind: Kind, { file, value, placeOf }: ReadYaml, faults: string[]): ResourceFile[] {
  const fault = (pointer: string, message: string) => void faults.push(`${placeOf(pointer)} ${pointer} ${message}`);
  for (const name of Object.keys(value)) if (name !== kind) fault(`/${name}`, `is not known here; the list is ${kind}`);
  const list = value[kind];
  if (!Array.isArray(list) || list.length > MAX_RESOURCES) {
    fault(`/${kind}`, `must be a list of at most ${MAX_RESOURCES}`);
    return [];
  }
  const fields: readonly string[] = KINDS[kind].fields;
  const seen = new Set<string>();
  return list.flatMap((entry: unknown, at): ResourceFile[] => {
    const pointer = `/${kind}/${at}`;
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      fault(pointer, 'must be an object');
      return [];
    }
    const values = entry as Values;
    for (const name of Object.keys(values)) {
      if (!fields.includes(name)) fault(`${pointer}/${name}`, `is not known; it may have ${fields.join(', ')}`);
    }
    const { name } = values;
    if (typeof name !== 'string' || name === '') {
      fault(`${pointer}/name`, 'is required, and must be text');
      return [];
    }
    if (seen.has(name)) fault(`${pointer}/name`, `is there already: ${JSON.stringify(name)}`);
    seen.add(name);
    return [{ kind, file, name, values }];
  });
}

export async function resourceChanges(client: Client, files: readonly ResourceFile[]): Promise<ResourceChange[]> {
  const changes: ResourceChange[] = [];
  for (const kind of KIND_NAMES) {
    const wanted = files.filter((each) => each.kind === kind);
    if (wanted.length === 0) continue;
    const there = new Map<string, Item>();
    for await (const item of KINDS[kind].list(client)) there.set((item as Item).name, item as Item);
    changes.push(...wanted.map((each) => changeOf(each, there.get(each.name))));
  }
  return changes;
}

/** Only what the file says is compared: the server fills in the rest. */
function changeOf(resource: ResourceFile, now: Item | undefined): ResourceChange {
  if (!now) return { ...resource, action: 'create' };
  const before = Object.fromEntries(
    Object.entries(resource.values).map(([name, value]) => [name, partOf(now[name], value)]),
  );
  const action = isDeepStrictEqual(before, resource.values) ? 'none' : 'update';
  return { ...resource, action, id: now.id, before };
}

/** As much of a value as the wanted one says: an object may have more members than the file names. */
function partOf(value: unknown, wanted: unknown): unknown {
  const isObject = (each: unknown): each is Values => typeof each === 'object' && each !== null && !Array.isArray(each);
  if (!isObject(value) || !isObject(wanted)) return value;
  return Object.fromEntries(Object.entries(wanted).map(([name, inner]) => [name, partOf(value[name], inner)]));
}

export async function applyResources(client: Client, changes: readonly ResourceChange[]): Promise<NewSecret[]> {
  const secrets: NewSecret[] = [];
  for (const { action, kind, name, id, values } of changes) {
    if (action === 'none') continue;
    const { create, update } = KINDS[kind] as Calls;
    const { type: _type, ...changeable } = values;
    const made =
      action === 'create'
        ? await create(client, values as never)
        : await update(client, { id: id ?? '', name }, (kind === 'watchlists' ? changeable : values) as never);
    const { secret } = made as { secret?: unknown };
    if (typeof secret === 'string') secrets.push({ kind, name, secret });
  }
  return secrets;
}

/** What an export writes: the fields of the file, without what is empty. */
export async function exportResources(client: Client, kind: Kind): Promise<Values[]> {
  const items: Values[] = [];
  for await (const item of KINDS[kind].list(client)) {
    const values = item as Values;
    const pairs = KINDS[kind].fields.flatMap((name) => (isEmpty(values[name]) ? [] : [[name, values[name]] as const]));
    items.push(Object.fromEntries(pairs));
  }
  return items;
}

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);
