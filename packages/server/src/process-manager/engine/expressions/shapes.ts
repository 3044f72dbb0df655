/** What is known of a value before there is one: enough to find names that cannot be there. */
export type Kind = 'text' | 'number' | 'truth' | 'time' | 'span';

export type Shape =
  | { readonly kind: Kind | 'any' }
  | { readonly kind: 'list'; readonly of: Shape }
  /** `open`: it may have other members as well. */
  | { readonly kind: 'object'; readonly members: Readonly<Record<string, Shape>>; readonly open: boolean };

export const ANY: Shape = { kind: 'any' };
export const TEXT: Shape = { kind: 'text' };
export const NUMBER: Shape = { kind: 'number' };
export const TRUTH: Shape = { kind: 'truth' };
export const TIME: Shape = { kind: 'time' };

export function listOf(of: Shape): Shape {
  return { kind: 'list', of };
}

export function objectOf(members: Readonly<Record<string, Shape>>, { open = false } = {}): Shape {
  return { kind: 'object', members, open };
}

/** The shape of a member; undefined if there can be none of that name. */
export function memberShape(shape: Shape, name: string): Shape | undefined {
  if (shape.kind === 'any') return ANY;
  if (shape.kind !== 'object') return undefined;
  if (Object.hasOwn(shape.members, name)) return shape.members[name];
  return shape.open ? ANY : undefined;
}

/** What a comprehension goes through: the elements of a list, the names of an object. */
export function elementShape(shape: Shape): Shape {
  if (shape.kind === 'list') return shape.of;
  return shape.kind === 'object' ? TEXT : ANY;
}

/** Whether two values of these shapes can ever be compared. */
export function areComparable(one: Shape, other: Shape): boolean {
  return one.kind === 'any' || other.kind === 'any' || one.kind === other.kind;
}

const NOUNS = {
  text: 'a text',
  number: 'a number',
  truth: 'true or false',
  time: 'a timestamp',
  span: 'a duration',
  list: 'a list',
  object: 'an object',
  any: 'a value',
} as const;

export function nounOf({ kind }: Shape): string {
  return NOUNS[kind];
}
