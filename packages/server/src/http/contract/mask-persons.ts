import { type GroupedOperation, PERSONAL, Refusal } from '@grove/contract';
import { SpecialAnswer, withHeaders } from '../../kernel/answers.ts';
import type { Context, Principal } from '../../kernel/context.ts';
import { ensureUnmasked } from '../../kernel/ensure-unmasked.ts';
import { isObject } from '../../kernel/is-object.ts';
import type { AnyHandler } from './answer-request.ts';
import type { ProblemBody } from './problem.ts';

/**
 * Ensures that operators with a masked role see no personal data: members that the contract marks as personal are masked in
 * every answer, and answers that are not JSON (images, archives) are refused. No handler can forget it.
 */
type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly [PERSONAL]?: true;
};

export type Mask = (value: unknown) => unknown;

const HIDDEN = '•••';
/** The first letter of a shorter value would reveal too much. */
const MIN_LENGTH = 4;

export function maskPersons(
  handler: AnyHandler,
  { persons, ok, produces, alsoProduces }: GroupedOperation,
): AnyHandler {
  const mask = maskOf((ok ?? {}) as Schema);
  const isRefused = persons !== undefined && (produces !== undefined || alsoProduces !== undefined);
  if (!mask && !isRefused) return handler;
  const masked = async (answer: unknown) => maskAnswer(await answer, mask);
  const handle: AnyHandler = (context, input) => {
    if (!isMasked(context)) return handler(context, input);
    if (isRefused) ensureUnmasked(context.principal, 'this');
    return masked(handler(context, input));
  };
  const { prepare } = handler;
  const prepareMasked = async (context: Context, input: unknown) => {
    const rest = await (prepare as NonNullable<typeof prepare>)(context, input);
    return isMasked(context) ? (within: Context) => masked(rest(within)) : rest;
  };
  return Object.assign(handle, handler, prepare && { prepare: prepareMasked });
}

function isMasked(context: object): context is Context {
  return (context as Partial<Context>).principal?.operator?.isMasked === true;
}

function maskAnswer(answer: unknown, mask: Mask | undefined): unknown {
  if (!mask) return answer;
  if (!(answer instanceof SpecialAnswer)) return mask(answer);
  return answer.kind === 'json' ? withHeaders(mask(answer.body), answer.headers) : answer;
}

/** Masks the user in a problem: a refused authentication shows the user, too. */
export function maskProblem<P extends ProblemBody>(problem: P, principal: Principal | null): P {
  return principal?.operator?.isMasked ? (MASK_OF_REFUSAL(problem) as P) : problem;
}

/** Undefined if the schema marks nothing. A mask copies what it changes, because rows may be cached. */
export function maskOf(schema: Schema): Mask | undefined {
  if (schema[PERSONAL]) return hide;
  if (schema.properties) return maskOfMembers(schema.properties);
  const nested = schema.items ?? schema.additionalProperties;
  const each = typeof nested === 'object' ? maskOf(nested) : undefined;
  if (!each) return undefined;
  if (schema.items) return (value) => (Array.isArray(value) ? value.map(each) : value);
  return (value) => mapMembers(value, each);
}

function maskOfMembers(properties: Readonly<Record<string, Schema>>): Mask | undefined {
  const masks = Object.entries(properties).flatMap(([name, schema]): [string, Mask][] => {
    const mask = maskOf(schema);
    return mask ? [[name, mask]] : [];
  });
  if (masks.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    const copy = { ...value };
    for (const [name, mask] of masks) if (copy[name] !== undefined) copy[name] = mask(copy[name]);
    return copy;
  };
}

/** Hides every text and number, at any depth. Names of members and booleans stay. */
function hide(value: unknown): unknown {
  if (typeof value === 'string') return hideText(value);
  if (typeof value === 'number') return HIDDEN;
  return Array.isArray(value) ? value.map(hide) : mapMembers(value, hide);
}

function hideText(text: string): string {
  if (text === '') return text;
  const [first = '', ...others] = text;
  return others.length + 1 < MIN_LENGTH ? HIDDEN : `${first}${HIDDEN}`;
}

function mapMembers(value: unknown, each: Mask): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, each(member)]));
}

const MASK_OF_REFUSAL = maskOf(Refusal as Schema) as Mask;
