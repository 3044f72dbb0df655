import type { GroupedOperation } from '@grove/contract';
import { SpecialAnswer } from '../../kernel/answers.ts';
import type { Context } from '../../kernel/context.ts';
import { isObject } from '../../kernel/is-object.ts';
import type { AnyHandler } from './answer-request.ts';

/**
 * A test key reads the configuration that live keys and operators made, because test journeys run it. It does not learn
 * who they are: a key from a build log would name the people, with their e-mail addresses, whom to attack next.
 */
export const LIVE_AUTHOR = 'A live caller';

/** The author of the objects that come with Grove. */
const GROVE = 'Grove';
const AUTHORS = ['createdBy', 'lastUpdatedBy'] as const;

/** The handler of a read; names of those who made and changed live objects are hidden from test keys. */
export function hidingLiveAuthors(handler: AnyHandler, { method, ok }: GroupedOperation): AnyHandler {
  if (method !== 'GET' || !hasAuthors(ok)) return handler;
  return (context, input) => {
    const { principal } = context as Partial<Context>;
    if (principal?.environment !== 'test' || principal.operator) return handler(context, input);
    return Promise.resolve(handler(context, input)).then(hideAuthors);
  };
}

function hasAuthors(ok: GroupedOperation['ok']): boolean {
  const text = JSON.stringify(ok ?? {});
  return text.includes('"environment":') && AUTHORS.some((name) => text.includes(`"${name}":`));
}

type ResponseObject = { readonly [member: string]: unknown };

/** An object, or the objects of its lists: those of a page, and tags. */
function hideAuthors(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || result instanceof SpecialAnswer) return result;
  const object = hideOfOne(result as ResponseObject);
  const lists = Object.entries(object).filter(([, value]) => Array.isArray(value));
  if (lists.length === 0) return object;
  return { ...object, ...Object.fromEntries(lists.map(([name, list]) => [name, (list as unknown[]).map(hideInList)])) };
}

function hideInList(item: unknown): unknown {
  return isObject(item) ? hideOfOne(item) : item;
}

function hideOfOne(object: ResponseObject): ResponseObject {
  if (object.environment !== 'live') return object;
  const hidden = AUTHORS.filter((name) => name in object && object[name] !== GROVE).map((name) => [name, LIVE_AUTHOR]);
  return hidden.length === 0 ? object : { ...object, ...Object.fromEntries(hidden) };
}
