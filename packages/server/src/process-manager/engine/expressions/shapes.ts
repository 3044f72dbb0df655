/** The shape of a value, which is known before the value and shows names that cannot exist. */
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

/** The shape of a member; undefined if no member can have that name. */
export function memberShape(shape: Shape, name: string): Shape | undefined {
  if (shape.kind === 'any') return ANY;
  if (shape.kind !== 'object') return undefined;
  if (Object.hasOwn(shape.members, name)) return shape.members[name];
  return shape.open ? ANY : undefined;
}

/** The shape of the elements of a comprehension: elements of a list, or names of an object. */
export function elementShape(shape: Shape): Shape {
  if (shape.kind === 'list') return shape.of;
  return shape.kind === 'object' ? TEXT : ANY;
}

/** Whether two values of these shapes can ever be compared. */
export function areComparable(one: Shape, other: Shape): boolean {
  return one.kind === 'any' || other.kind === 'any' || one.kind === other.kind;
}

/** Whether a value of this shape can ever be of one of these kinds. */
export function canBe(shape: Shape, kinds: readonly Shape['kind'][]): boolean {
  return shape.kind === 'any' || kinds.includes(shape.kind);
}

type Signature = readonly [left: Shape['kind'], right: Shape['kind'], gives: Shape['kind']];

const OF_NUMBERS: readonly Signature[] = [['number', 'number', 'number']];

/** The operators with the kinds of their operands and results. */
const CALCULATIONS: Readonly<Record<string, readonly Signature[]>> = {
  '+': [
    ...OF_NUMBERS,
    ['text', 'text', 'text'],
    ['list', 'list', 'list'],
    ['span', 'span', 'span'],
    ['span', 'time', 'time'],
    ['time', 'span', 'time'],
  ],
  '-': [...OF_NUMBERS, ['span', 'span', 'span'], ['time', 'span', 'time'], ['time', 'time', 'span']],
  '*': OF_NUMBERS,
  '/': OF_NUMBERS,
  '%': OF_NUMBERS,
};

export function isCalculation(operator: string): boolean {
  return Object.hasOwn(CALCULATIONS, operator);
}

/** The shape of the result; undefined if the operator does not accept two such values. */
export function calculatedShape(operator: string, left: Shape, right: Shape): Shape | undefined {
  const fitting = (CALCULATIONS[operator] ?? []).filter(([one, other]) => canBe(left, [one]) && canBe(right, [other]));
  const kinds = new Set(fitting.map(([, , gives]) => gives));
  const [kind] = kinds;
  if (kind === undefined) return undefined;
  return kinds.size > 1 || kind === 'list' || kind === 'object' ? ANY : { kind };
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

export function nounOf({ kind }: Pick<Shape, 'kind'>): string {
  return NOUNS[kind];
}

export function nounsOf(kinds: readonly Shape['kind'][]): string {
  return kinds.map((kind) => NOUNS[kind]).join(' or ');
}
