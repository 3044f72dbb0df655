import { isObject } from '../kernel/is-object.ts';

/** A difference between two versions of an object. Values are JSON texts; an absent value did not exist. */
export type FieldChange = { readonly path: string; readonly before?: string; readonly after?: string };

export const MAX_CHANGES = 50;
const MAX_VALUE_LENGTH = 300;
const MAX_PATH_LENGTH = 200;
const MAX_DEPTH = 10;

/** Lists what differs between two JSON values, up to `MAX_CHANGES`. Pure. */
export function listChanges(before: unknown, after: unknown): FieldChange[] {
  const changes: FieldChange[] = [];
  compare(changes, [], before, after);
  return changes;
}

type Path = readonly string[];

function compare(changes: FieldChange[], path: Path, before: unknown, after: unknown): void {
  if (changes.length >= MAX_CHANGES || isSame(before, after)) return;
  const members = path.length < MAX_DEPTH ? membersOf(before, after) : undefined;
  if (members) {
    for (const name of members.names)
      compare(changes, [...path, name], members.before.get(name), members.after.get(name));
  } else if (isPlainList(before) && isPlainList(after)) compareLists(changes, path, before, after);
  else changes.push(changeOf(path, before, after));
}

/** Lists the entries that were added and removed. A list in another order is reported as a whole. */
function compareLists(changes: FieldChange[], path: Path, before: readonly unknown[], after: readonly unknown[]): void {
  const oldEntries = before.filter((each) => !after.includes(each));
  const newEntries = after.filter((each) => !before.includes(each));
  if (oldEntries.length + newEntries.length === 0) changes.push(changeOf(path, before, after));
  for (const each of oldEntries) if (changes.length < MAX_CHANGES) changes.push(changeOf(path, each, undefined));
  for (const each of newEntries) if (changes.length < MAX_CHANGES) changes.push(changeOf(path, undefined, each));
}

type Members = {
  before: ReadonlyMap<string, unknown>;
  after: ReadonlyMap<string, unknown>;
  names: ReadonlySet<string>;
};

/** The members of two objects, or of two lists whose entries have ids. Undefined for other values. */
function membersOf(one: unknown, other: unknown): Members | undefined {
  const [before, after] = [namedMembers(one), namedMembers(other)];
  return before && after ? { before, after, names: new Set([...before.keys(), ...after.keys()]) } : undefined;
}

function namedMembers(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (isObject(value)) return new Map(Object.entries(value));
  if (!Array.isArray(value)) return undefined;
  const ids = value.map((each) => (isObject(each) && typeof each.id === 'string' ? each.id : undefined));
  if (ids.includes(undefined) || new Set(ids).size < ids.length) return undefined;
  return new Map(value.map((each, at) => [ids[at] as string, each]));
}

function isPlainList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((each) => typeof each !== 'object');
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function changeOf(path: Path, before: unknown, after: unknown): FieldChange {
  return {
    path: path.join('/').slice(0, MAX_PATH_LENGTH),
    ...(before !== undefined && { before: textOf(before) }),
    ...(after !== undefined && { after: textOf(after) }),
  };
}

function textOf(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
