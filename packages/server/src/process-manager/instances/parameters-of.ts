import type { TenantReads } from '../../db/db.ts';
import { findInstance } from './process-instances.repository.ts';

/** What a template may put into a webhook. Undefined if the instance is gone. */
export async function parametersOf(db: TenantReads, instanceId: string): Promise<Record<string, string> | undefined> {
  const row = await findInstance(db, instanceId);
  return row && (JSON.parse(row.parameters) as Record<string, string>);
}
