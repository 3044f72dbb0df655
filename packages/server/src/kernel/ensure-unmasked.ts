import type { Principal } from './context.ts';
import { ApiError, invalidInput } from './errors.ts';
import { likeMatch } from './like-match.ts';
import { likePattern, type PageQuery, type Paging, paging } from './pages.ts';

/** Ensures that the caller may see personal data unmasked. `what` names the answer that shows it. */
export function ensureUnmasked({ operator }: Principal, what: string): void {
  if (!operator?.isMasked) return;
  throw new ApiError(100366, { detail: `${what} shows personal data, which the role ${operator.role} sees masked` });
}

/**
 * The order of a list. Ensures that a masked caller does not sort by personal columns: by adding people of their own, they
 * could find out between which two a masked name lies.
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

/** A filter by personal data. Ensures that a masked caller uses no wildcard, which would reveal a value letter by letter. */
export function personPattern(principal: Principal, filter: string | undefined, pointer: string): string | undefined {
  const pattern = likePattern(filter, pointer);
  if (pattern === undefined || !principal.operator?.isMasked || likeMatch(pattern).exact !== undefined) return pattern;
  throw invalidInput({ pointer, message: 'must have no wildcard, because your role sees personal data masked' });
}
