import type { Principal } from './context.ts';

/** Who did it, as `createdBy`, `lastUpdatedBy` and tombstones name a caller of the API. */
export function actor(principal: Principal): string {
  return `API Key: ${principal.apiKeyName}`;
}
