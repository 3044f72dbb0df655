import { readFileSync } from 'node:fs';
import type { TenantTx } from '../db/db.ts';
import { storeNewVersion } from './definitions/store-version.ts';
import type { Definition } from './engine/definition.ts';
import { markSealed } from './sealing/seal-existing.ts';

/** The definitions that every new tenant starts with. */
export const SHIPPED = ['document-and-selfie', 'selfie-reauthentication', 'document-only', 'age-check', 'kyc'] as const;

const CREATED_BY = 'Grove';

/** Most servers make no tenant, so nothing is read before one is. */
let definitions: readonly Definition[] | undefined;

/**
 * Adds and deploys them, in the transaction that makes the tenant, and notes that it has nothing stored in the clear. From
 * then on they are the tenant's own.
 */
export async function installShipped(tx: TenantTx, now: number): Promise<void> {
  definitions ??= SHIPPED.map(readShipped);
  await markSealed(tx);
  const version = { environment: 'live', now, by: CREATED_BY, deployed: true } as const;
  for (const definition of definitions) await storeNewVersion(tx, definition, version);
}

/**
 * They are written out in full and checked by a test: to check them here would take a fifth of a second of every process that
 * makes a tenant.
 */
export function readShipped(name: string): Definition {
  return JSON.parse(readFileSync(new URL(`definitions/shipped/${name}.json`, import.meta.url), 'utf8')) as Definition;
}
