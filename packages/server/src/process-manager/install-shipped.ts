import { readFileSync } from 'node:fs';
import type { TenantTx } from '../db/db.ts';
import { storeNewVersion } from './definitions/store-version.ts';
import type { Definition } from './engine/definition.ts';
import { markSealed } from './sealing/seal-existing.ts';

/** The definitions of every new tenant. */
export const SHIPPED = ['document-and-selfie', 'selfie-reauthentication', 'document-only', 'age-check', 'kyc'] as const;

const CREATED_BY = 'Grove';

/** Read with the first new tenant, because most servers create none. */
let definitions: readonly Definition[] | undefined;

/**
 * Adds and deploys them in the transaction that creates the tenant, and marks that it has no unsealed data. From then on they
 * belong to the tenant.
 */
export async function installShipped(tx: TenantTx, now: number): Promise<void> {
  definitions ??= SHIPPED.map(readShipped);
  await markSealed(tx);
  const version = { environment: 'live', now, by: CREATED_BY, deployed: true } as const;
  for (const definition of definitions) await storeNewVersion(tx, definition, version);
}

/**
 * They are stored with all defaults and checked by a test, because a check here would cost every process that creates a
 * tenant a fifth of a second.
 */
export function readShipped(name: string): Definition {
  return JSON.parse(readFileSync(new URL(`definitions/shipped/${name}.json`, import.meta.url), 'utf8')) as Definition;
}
