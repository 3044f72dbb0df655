import type { TenantTx } from '../db/db.ts';
import { ApiError } from '../kernel/errors.ts';
import { OWNER } from './built-in-roles.ts';
import { hasOtherOwner, type OperatorRow } from './operators.repository.ts';

/** Ensures that a tenant keeps an owner who can sign in. Refuses with 100212. */
export async function ensureOwnerStays(tx: TenantTx, before: OperatorRow, after?: OperatorRow): Promise<void> {
  if (!isActiveOwner(before) || (after && isActiveOwner(after))) return;
  if (!(await hasOtherOwner(tx, before.id))) throw new ApiError(100212);
}

function isActiveOwner({ role, status }: OperatorRow): boolean {
  return role === OWNER && status === 'ACTIVE';
}
