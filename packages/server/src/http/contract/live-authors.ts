import type { GroupedOperation } from '@grove/contract';
import { SpecialAnswer } from '../../kernel/answers.ts';
import type { Context } from '../../kernel/context.ts';
import { isObject } from '../../kernel/is-object.ts';
import type { AnyHandler } from './answer-request.ts';

/**
 * Ensures that a test key does not see who made the live configuration, which it can read because test journeys run it. A
 * test key that leaked in a build log would otherwise show an attacker names and e-mail addresses (phishing).
 */
export const LIVE_AUTHOR = 'A live caller';

/** The author of the objects that come with Grove. */
const GROVE = 'Grove';
const AUTHORS = ['createdBy', 'lastUpdatedBy'] as const;

/** Wraps the handler of a read: hides the authors of live objects from test keys. */
export function hideLiveAuthors(handler: AnyHandler, { method, ok }: GroupedOperation): AnyHandler {
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

/** Hides the authors of an object and of the objects in its lists, such as a page or tags. */
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
