import { isDeepStrictEqual } from 'node:util';
import { type Client, isGroveError } from 'grove-idv-sdk';
import { environmentOf } from '../on-server.ts';
import { hashesOf, type PageContent, type PageFolder } from './custom-pages.ts';
import { type Calls, KIND_NAMES, KINDS, type Kind, type Values } from './kinds.ts';
import { partOf } from './part-of.ts';
import type { ReadYaml } from './read-yaml.ts';

/**
 * The resources of a folder: each kind is in a file of its own with a list of named objects, or in a folder of its own
 * (custom pages). Definitions refer to most of them, so they come first. Nothing is deleted. Members of watchlists,
 * users of stores and the values of secrets are not configuration, so no file has them.
 */
export type ResourceFile = {
  readonly kind: Kind;
  readonly file: string;
  readonly name: string;
  readonly values: Values;
  /** Its position in the file, as a JSON Pointer. */
  readonly pointer: string;
  placeOf(pointer: string): string;
  /** The files of a custom page. */
  readonly content?: PageContent;
};

export type ResourceChange = ResourceFile & {
  readonly action: 'create' | 'update' | 'none';
  readonly id?: string;
  /** The present values of the file's fields. */
  readonly before?: Values;
};

/** A resource of the server that is not in the file of its kind: it stays. */
export type Unmanaged = { readonly kind: Kind; readonly name: string };

/** A secret that the server shows only once. */
export type NewSecret = { readonly kind: Kind; readonly name: string; readonly secret: string };

type Item = { id: string; name: string } & Values;

const MAX_RESOURCES = 1000;

/** Every fault names its position in the file. */
export function resourcesOf(kind: Kind, { file, value, placeOf }: ReadYaml, faults: string[]): ResourceFile[] {
  const fault = (pointer: string, message: string) => void faults.push(`${placeOf(pointer)} ${pointer} ${message}`);
  for (const name of Object.keys(value)) if (name !== kind) fault(`/${name}`, `is unknown; the list is named ${kind}`);
  const list = value[kind];
  if (!Array.isArray(list) || list.length > MAX_RESOURCES) {
    fault(`/${kind}`, `must be a list of at most ${MAX_RESOURCES}`);
    return [];
  }
  const fields: readonly string[] = KINDS[kind].fields;
  const names = new Set<string>();
  return list.flatMap((entry: unknown, at): ResourceFile[] => {
    const pointer = `/${kind}/${at}`;
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      fault(pointer, 'must be an object');
      return [];
    }
    const values = entry as Values;
    const unknown = Object.keys(values).filter((name) => !fields.includes(name));
    for (const name of unknown) fault(`${pointer}/${name}`, `is unknown; the fields are ${fields.join(', ')}`);
    const { name } = values;
    if (typeof name !== 'string' || name === '') {
      fault(`${pointer}/name`, 'is required, and must be text');
      return [];
    }
    if (names.has(name)) fault(`${pointer}/name`, `is already in the list: ${JSON.stringify(name)}`);
    names.add(name);
    // Unknown fields are already reported, so they are left out here.
    const knownValues = Object.fromEntries(Object.entries(values).filter(([member]) => !unknown.includes(member)));
    return [{ kind, file, name, values: knownValues, pointer, placeOf }];
  });
}

export function resourceOfPage({ name, file, content }: PageFolder): ResourceFile {
  return {
    kind: 'pages',
    file,
    name,
    values: { name, files: hashesOf(content) },
    pointer: '',
    placeOf: () => file,
    content,
  };
}

export type Comparison = { changes: ResourceChange[]; unmanaged: Unmanaged[]; faults: string[] };

export async function compareResources(client: Client, files: readonly ResourceFile[]): Promise<Comparison> {
  const compared: Comparison = { changes: [], unmanaged: [], faults: [] };
  for (const kind of KIND_NAMES) {
    const wantedFiles = files.filter((each) => each.kind === kind);
    if (wantedFiles.length === 0) continue;
    const there = await itemsOf(client, kind);
    const { missing, variable } = KINDS[kind] as Calls;
    const newNames = new Map<string | undefined, string>();
    for (const each of wantedFiles) {
      const change = changeOf(each, there.get(each.name));
      const isNew = change.action === 'create';
      const from = isNew ? variable?.(each.name) : undefined;
      const other = from && newNames.get(from);
      if (from) newNames.set(from, each.name);
      const fault = other
        ? `would get the value of ${JSON.stringify(other)}: both take it from ${from}. Apply one after the other`
        : isNew && missing?.(each.name);
      if (fault) compared.faults.push(`${each.placeOf(each.pointer)} ${each.pointer} ${fault}`);
      compared.changes.push(change);
    }
    const names = new Set(wantedFiles.map(({ name }) => name));
    for (const [name, { shown: present }] of there)
      if (present && !names.has(name)) compared.unmanaged.push({ kind, name });
  }
  return compared;
}

/** `isShared`: a test key sees it, because test journeys use it, but it belongs to live. */
type ExistingResource = { id: string; shown: Values | undefined; isShared: boolean };

async function itemsOf(client: Client, kind: Kind): Promise<Map<string, ExistingResource>> {
  const { list, toFile = (item: Values) => item } = KINDS[kind] as Calls;
  const there = new Map<string, ExistingResource>();
  for await (const item of list(client)) {
    const { id, name, environment } = item as Item;
    const isShared = environment !== undefined && environment !== environmentOf(client);
    // That of the own environment comes first, in whatever order the server lists them.
    if (isShared && there.has(name)) continue;
    there.set(name, { id, shown: toFile(item as Values), isShared });
  }
  return there;
}

/** Compares only the fields of the file, because the server fills in the rest. */
function changeOf(resource: ResourceFile, now: ExistingResource | undefined): ResourceChange {
  if (!now) return { ...resource, action: 'create' };
  const { whole = [] } = KINDS[resource.kind] as Calls;
  const present = now.shown ?? {};
  const before = Object.fromEntries(
    Object.entries(resource.values).map(([name, value]) => [
      name,
      whole.includes(name) ? present[name] : partOf(present[name], value),
    ]),
  );
  if (isDeepStrictEqual(before, resource.values)) return { ...resource, action: 'none', id: now.id, before };
  // A test key cannot change what belongs to live: it makes one of that name, which test journeys prefer.
  if (now.isShared) return { ...resource, action: 'create' };
  return { ...resource, action: 'update', id: now.id, before };
}

/**
 * Applies all changes that it can, and collects the server's refusals, so that one round finds all of them. `secrets`
 * receives the secrets that are shown once, even if it fails later.
 */
export async function applyResources(
  client: Client,
  changes: readonly ResourceChange[],
  secrets: NewSecret[],
  signal: AbortSignal,
): Promise<string[]> {
  const refusals: string[] = [];
  for (const change of changes) {
    if (change.action === 'none') continue;
    signal.throwIfAborted();
    try {
      const result = await applyOne(client, change);
      const { secret } = result as { secret?: unknown };
      if (typeof secret === 'string') secrets.push({ kind: change.kind, name: change.name, secret });
    } catch (error) {
      if (!isGroveError(error) || error.status >= 500) throw error;
      const { kind, name, pointer, placeOf } = change;
      refusals.push(`${placeOf(pointer)} ${kind} ${JSON.stringify(name)}: ${error.message} (${error.code})`);
    }
  }
  return refusals;
}

function applyOne(client: Client, { action, kind, name, id = '', values, content }: ResourceChange): Promise<object> {
  const { create, update, fixed = [] } = KINDS[kind] as Calls;
  if (action === 'create') return create(client, values as never, content);
  const changeable = Object.fromEntries(Object.entries(values).filter(([member]) => !fixed.includes(member)));
  return update(client, { id, name }, changeable as never, content);
}

/** The resources for an export: the fields of the file, without empty ones. */
export async function exportResources(client: Client, kind: Kind): Promise<Values[]> {
  const { fields } = KINDS[kind];
  return [...(await itemsOf(client, kind)).values()].flatMap(({ shown: present }) => {
    if (!present) return [];
    const pairs = fields.flatMap((name) => (isEmpty(present[name]) ? [] : [[name, present[name]] as const]));
    return [Object.fromEntries(pairs)];
  });
}

const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);
