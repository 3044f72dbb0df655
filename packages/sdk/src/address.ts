import { isRecord } from './errors.ts';
import type { LooseArguments, Route } from './route.ts';

/** Builds the path and query of a call. All input of the caller is encoded here and nowhere else. */
export function addressOf(operation: string, route: Route, args: LooseArguments): string {
  const { by, params } = userOf(operation, args);
  const template = route.paths[by];
  if (template === undefined) throw new TypeError(`${operation}: ${userAdvice(route)}`);
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    segment(operation, name, { ...args, ...params }[name]),
  );
  return path + queryString(operation, args.query);
}

type NamedUser = { by: keyof Route['paths']; params: Readonly<Record<string, unknown>> };

function userOf(operation: string, { user }: LooseArguments): NamedUser {
  if (user === undefined) return { by: 'none', params: {} };
  const { id, extId } = isRecord(user) ? user : {};
  // A lookup of the caller that found no user must not silently turn into a call without a user.
  if ((id === undefined) === (extId === undefined)) {
    throw new TypeError(`${operation}: user is { id } or { extId }, exactly one of them`);
  }
  return id === undefined ? { by: 'ext', params: { userExtId: extId } } : { by: 'id', params: { userId: id } };
}

function userAdvice({ paths }: Route): string {
  const ways = [paths.id && '{ id }', paths.ext && '{ extId }'].filter(Boolean);
  if (ways.length === 0) return 'this operation takes no user';
  return `user is ${ways.join(' or ')}${paths.none === undefined ? '' : ', or left out'}`;
}

/** Ensures that a parameter stays one segment: URL parsers resolve `.` and `..` even if they are encoded. */
function segment(operation: string, name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
    throw new TypeError(`${operation}: ${name} must be a string, and not empty, "." or ".."`);
  }
  if (!value.isWellFormed()) throw new TypeError(`${operation}: ${name} is not well-formed text`);
  return encodeURIComponent(value);
}

function queryString(operation: string, query: LooseArguments['query']): string {
  const search = new URLSearchParams();
  for (const [name, queryValue] of Object.entries(query ?? {})) {
    for (const value of Array.isArray(queryValue) ? queryValue : [queryValue]) {
      if (value === undefined || value === null) continue;
      if (typeof value === 'object') throw new TypeError(`${operation}: query.${name} must be plain values`);
      search.append(name, String(value));
    }
  }
  return search.size > 0 ? `?${search}` : '';
}
