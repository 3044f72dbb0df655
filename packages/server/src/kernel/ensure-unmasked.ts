import type { Principal } from './context.ts';
import { ApiError, invalidInput } from './errors.ts';
import { likeMatch } from './like-match.ts';
import { likePattern, type PageQuery, type Paging, paging } from './pages.ts';

/** Ensures that a caller sees personal data as it is. `what` says what would show it. */
export function ensureUnmasked({ operator }: Principal, what: string): void {
  if (!operator?.isMasked) return;
  throw new ApiError(100366, { detail: `${what} shows personal data, which the role ${operator.role} sees masked` });
}

/**
 * The order that a list is asked for. A masked caller cannot sort by what is personal: whoever adds people of their own
 * would find a masked name between two of them.
 */
export function personPaging(
  { operator }: Principal,
  query: PageQuery,
  columns: Readonly<Record<string, string>>,
  personal: readonly string[],
): Paging {
  if (!operator?.isMasked) return paging(query, columns);
  return paging(query, Object.fromEntries(Object.entries(columns).filter(([name]) => !personal.includes(name))));
}

/** A filter by something personal. A masked caller has to know all of it: with wildcards it would be found letter by letter. */
export function personPattern(principal: Principal, filter: string | undefined, pointer: string): string | undefined {
  const pattern = likePattern(filter, pointer);
  if (pattern === undefined || !principal.operator?.isMasked || likeMatch(pattern).exact !== undefined) return pattern;
  throw invalidInput({ pointer, message: 'must have no wildcard, because your role sees personal data masked' });
}
