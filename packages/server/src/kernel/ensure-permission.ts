import type { Principal } from './context.ts';
import { ApiError } from './errors.ts';

/** Sends a cloud secret to one of its hosts. A caller needs it to name one in a webhook or in a process definition. */
export const USE_CLOUD_SECRET = 'ProcessManager:useCloudSecret';
/** Reads the parameters of instances. A caller needs it for a webhook that sends them. */
export const READ_PARAMETERS = 'ProcessManager:getProcessInstance';

/** Ensures that a caller holds a permission beyond that of the operation. `what` says what it is needed for. */
export function ensurePermission(principal: Principal, permission: string, what: string): void {
  if (principal.permissions.holds(permission)) return;
  throw new ApiError(7, { detail: `${what} needs the permission TNT#${principal.tenantId}#${permission}` });
}
