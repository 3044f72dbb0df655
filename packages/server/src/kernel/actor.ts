import type { Principal } from './context.ts';
import { operatorName } from './operator-name.ts';

/** The name of a caller, as `createdBy`, `lastUpdatedBy` and tombstones show it. */
export function actor(principal: Principal): string {
  const { callerName, operator } = principal;
  return operator ? operatorName({ name: callerName, email: operator.email }) : `API Key: ${callerName}`;
}

/** The id of a caller, under the column for its kind. */
export function callerIds({ callerId, operator }: Principal): { apiKeyId?: string; operatorId?: string } {
  return operator ? { operatorId: callerId } : { apiKeyId: callerId };
}
