import type { Principal } from './context.ts';
import { operatorName } from './operator-name.ts';

/** Who did it, as `createdBy`, `lastUpdatedBy` and tombstones name a caller of the API. */
export function actor(principal: Principal): string {
  const { callerName, operator } = principal;
  return operator ? operatorName({ name: callerName, email: operator.email }) : `API Key: ${callerName}`;
}

/** The id of who did it, in the column for its kind. */
export function callerIds({ callerId, operator }: Principal): { apiKeyId?: string; operatorId?: string } {
  return operator ? { operatorId: callerId } : { apiKeyId: callerId };
}
