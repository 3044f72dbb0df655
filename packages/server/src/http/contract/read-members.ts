import { LIMITING_MEMBERS } from '@grove/contract';
import { closest, longerName, shorterName } from '../../kernel/closest.ts';
import type { FieldFault } from '../../kernel/errors.ts';
import { pointerTo } from '../../kernel/escape.ts';
import { isObject } from '../../kernel/is-object.ts';

/**
 * Reads a body or a query before it is validated. `null` for an optional member means that it is absent. Members that a
 * client read with the resource may be sent back. Every other undeclared member is reported.
 */
export type Members = {
  /** One more than `MAX_NAMED` if there are too many to name. */
  readonly unknown: UnknownMember[];
  /** Declared members that have no effect. */
  readonly withoutEffect: string[];
  /** The tenant of the caller, which the body may name. */
  readonly tenantId: string | undefined;
};

export type UnknownMember = FieldFault & {
  /** Whether it is in a query, resembles a member that limits something, such as `maxCount`, or is inside one. */
  readonly isNearLimit: boolean;
};

export type ReadMembers = (value: unknown, pointer: string, members: Members) => void;

export const MAX_NAMED = 20;

/** The start of the pointers in a query. */
export const QUERY = '/query';

type Schema = {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly 'x-without-effect'?: boolean;
};

/** Undefined if the schema has no members. `answer` is the schema of the operation's answer. */
export function memberReader(schema: unknown, answer?: unknown): ReadMembers | undefined {
  return readerOf(
    schema as Schema,
    isSameResource(schema as Schema, answer as Schema) ? (answer as Schema) : undefined,
  );
}

/** Whether body and answer describe the same resource: then the answer has at least half of the body's members. */
function isSameResource({ properties = {} }: Schema, answer: Schema | undefined): boolean {
  const names = Object.keys(properties);
  const shared = names.filter((name) => answer?.properties && Object.hasOwn(answer.properties, name));
  return names.length > 0 && shared.length * 2 >= names.length;
}

function readerOf(schema: Schema, answer: Schema | undefined): ReadMembers | undefined {
  const { properties, additionalProperties, items, type } = schema;
  if (properties || (type === 'object' && additionalProperties === undefined)) return objectReader(schema, answer);
  if (typeof additionalProperties === 'object') return mapReader(additionalProperties, answer?.additionalProperties);
  const each = items && readerOf(items, answer?.items);
  if (!each) return undefined;
  return (value, pointer, members) => {
    if (Array.isArray(value)) for (const [at, item] of value.entries()) each(item, `${pointer}/${at}`, members);
  };
}

type Child = { read: ReadMembers | undefined; dropsNull: boolean; isWithoutEffect: boolean };

function objectReader(schema: Schema, answer: Schema | undefined): ReadMembers {
  const { properties = {}, required = [], additionalProperties } = schema;
  const children = new Map<string, Child>(
    Object.entries(properties).map(([name, child]) => [
      name,
      {
        read: readerOf(child, answer?.properties?.[name]),
        dropsNull: !required.includes(name) && !takesNull(child),
        isWithoutEffect: child['x-without-effect'] === true,
      },
    ]),
  );
  const knownNames = [...children.keys()];
  const readable = new Set(Object.keys(answer?.properties ?? {}));
  const isOpen = additionalProperties === true;
  return (value, pointer, members) => {
    if (!isObject(value)) return;
    for (const name in value) {
      const member = value[name];
      const child = children.get(name);
      if (child) {
        if (member === null && child.dropsNull) delete value[name];
        else if (child.isWithoutEffect && member) members.withoutEffect.push(pointerTo(pointer, name));
        else child.read?.(member, pointerTo(pointer, name), members);
      } else if (!isOpen) {
        delete value[name];
        const isOwnTenant = name === 'tenantId' && pointer === '' && member === members.tenantId;
        if (!readable.has(name) && !isOwnTenant) addUnknown(members, pointerTo(pointer, name), name, knownNames);
      }
    }
  };
}

function mapReader(schema: Schema, answer: boolean | Schema | undefined): ReadMembers {
  const readMember = readerOf(schema, typeof answer === 'object' ? answer : undefined);
  const dropsNull = !takesNull(schema);
  return (value, pointer, members) => {
    if (!isObject(value)) return;
    for (const name in value) {
      if (value[name] === null && dropsNull) delete value[name];
      else readMember?.(value[name], pointerTo(pointer, name), members);
    }
  };
}

function addUnknown({ unknown }: Members, pointer: string, name: string, knownNames: readonly string[]): void {
  if (unknown.length > MAX_NAMED) return;
  const suggestion = closest(name, knownNames) ?? longerName(name, knownNames) ?? shorterName(name, knownNames);
  const message = `is not known${suggestion === undefined ? othersIn(pointer, knownNames) : `; did you mean ${suggestion}?`}`;
  unknown.push({ pointer, message, isNearLimit: isInLimit(pointer) || isLimit(pointer, suggestion) });
}

/** A parameter of a query is one, whatever its name: if a filter were ignored, it would select everything. */
function isLimit(pointer: string, suggestion: string | undefined): boolean {
  return pointer.startsWith(`${QUERY}/`) || (suggestion !== undefined && LIMITING_MEMBERS.has(suggestion));
}

/** Ensures that a misspelt rule does not count as no rule, such as `/sessionData/policy/accepted/0/0/aaidd`. */
function isInLimit(pointer: string): boolean {
  return pointer
    .split('/')
    .slice(1, -1)
    .some((name) => LIMITING_MEMBERS.has(name));
}

/** Few known names of a query are listed, because clients of other services guess several before they look one up. */
const MAX_LISTED = 12;

function othersIn(pointer: string, knownNames: readonly string[]): string {
  if (!pointer.startsWith(`${QUERY}/`) || knownNames.length === 0 || knownNames.length > MAX_LISTED) return '';
  return `; known are ${knownNames.join(', ')}`;
}

function takesNull({ type }: Schema): boolean {
  return type === undefined || (Array.isArray(type) && type.includes('null'));
}
