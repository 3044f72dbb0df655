import { readFileSync, writeFileSync } from 'node:fs';
import type { Tenants } from './tenants.ts';

/**
 * The demonstration tenant: made on an empty data folder, so that a newcomer has something to call. Its key is kept in
 * the data folder, readable by its owner alone, so that a second start can show it again. No other key is ever kept.
 */
export const DEMONSTRATION_TENANT = 'demo';

export type Demonstration = { tenantId: string; apiKey: string };

const FILE = 'demonstration.json';

export function readDemonstration(dataFolder: string): Demonstration | undefined {
  try {
    const { tenantId, apiKey } = JSON.parse(readFileSync(`${dataFolder}/${FILE}`, 'utf8')) as Demonstration;
    return { tenantId, apiKey };
  } catch {
    return undefined;
  }
}

export async function ensureDemonstration(tenants: Tenants, dataFolder: string): Promise<Demonstration> {
  const known = readDemonstration(dataFolder);
  const exists = (await tenants.list()).some(({ id }) => id === DEMONSTRATION_TENANT);
  // A file that outlived its database shows a key that opens nothing.
  if (known && exists) return known;
  const demonstration = exists
    ? { tenantId: DEMONSTRATION_TENANT, ...(await freshKey(tenants)) }
    : await tenants.create({ id: DEMONSTRATION_TENANT, name: 'Demonstration', keyName: 'Demonstration key' });
  writeFileSync(`${dataFolder}/${FILE}`, `${JSON.stringify(demonstration)}\n`, { mode: 0o600 });
  return demonstration;
}

async function freshKey(tenants: Tenants): Promise<{ apiKey: string }> {
  const name = `Demonstration key ${new Date().toISOString()}`;
  return { apiKey: (await tenants.createApiKey(DEMONSTRATION_TENANT, { name })).apiKey };
}
