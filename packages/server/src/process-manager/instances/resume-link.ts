import type { TenantTx } from '../../db/db.ts';
import { redirectAddress } from './journey-addresses.ts';
import { MAX_DEPTH } from './lock-chain.ts';
import { hashCode, newCode, SENT_CODE_TTL_MS } from './one-time-code.ts';
import { findInstance, type InstanceRow } from './process-instances.repository.ts';
import { addResumeCode } from './resume-codes.repository.ts';

/** Makes an address that takes the end user back into the journey, once. The link of a child leads to its root. */
export async function makeResumeLink(
  tx: TenantTx,
  row: InstanceRow,
  { now, baseUrl }: { now: number; baseUrl: string },
): Promise<{ redirectUrl: string; expiresAt: number }> {
  const root = await rootOf(tx, row);
  const code = newCode(tx.tenantId);
  const expiresAt = now + SENT_CODE_TTL_MS;
  await addResumeCode(tx, { hash: hashCode(code), instanceId: root.id, now, expiresAt });
  return { redirectUrl: redirectAddress(root.ui_url, baseUrl, root.id, code), expiresAt };
}

export async function rootOf(tx: TenantTx, row: InstanceRow): Promise<InstanceRow> {
  let root = row;
  for (let depth = 0; root.parent_id !== null && depth < MAX_DEPTH; depth++) {
    root = (await findInstance(tx, root.parent_id)) ?? root;
  }
  return root;
}
