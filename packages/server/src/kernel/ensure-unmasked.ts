import type { Principal } from './context.ts';
import { ApiError, invalidInput } from './errors.ts';
import { likeMatch } from './like-match.ts';
import { likePattern } from './pages.ts';

/** Ensures that a caller sees personal data as it is. `what` says what would show it. */
export function ensureUnmasked({ operator }: Principal, what: string): void {
  if (!operator?.isMasked) return;
  throw new ApiError(100366, { detail: `${what} shows personal data, which the role ${operator.role} sees masked` });
}

/** A filter by something personal. A masked caller has to know all of it: with wildcards it would be found letter by letter. */
export function personPattern(principal: Principal, filter: string | undefined, pointer: string): string | undefined {
  const pattern = likePattern(filter, pointer);
  if (pattern === undefined || !principal.operator?.isMasked || likeMatch(pattern).exact !== undefined) return pattern;
  throw invalidInput({ pointer, message: 'must have no wildcard, because your role sees personal data masked' });
}
