import type { Principal } from '../kernel/context.ts';

/** Who did it, as `createdBy` and `lastUpdatedBy` name a caller of the API. */
export function actor({ apiKeyName }: Principal): string {
  return `API Key: ${apiKeyName}`;
}
