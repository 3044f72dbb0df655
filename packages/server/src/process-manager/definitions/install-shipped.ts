import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { TenantTx } from '../../db/db.ts';
import type { Definition } from '../engine/definition.ts';
import { checkDefinition } from './check-definition.ts';
import { storeNewVersion } from './store-version.ts';

/** The definitions that every new tenant starts with. */
export const SHIPPED = ['document-and-selfie', 'selfie-reauthentication', 'document-only'] as const;

const CREATED_BY = 'Grove';

// Read at the start, because nothing but the database is waited for inside a transaction.
const definitions: readonly Definition[] = SHIPPED.map(readShipped);

/** Adds and deploys them, in the transaction that makes the tenant. From then on they are the tenant's own. */
export async function installShipped(tx: TenantTx, now: number): Promise<void> {
  for (const definition of definitions) await storeNewVersion(tx, definition, { now, by: CREATED_BY, deployed: true });
}

function readShipped(name: string): Definition {
  const text = readFileSync(new URL(`shipped/${name}.yaml`, import.meta.url), 'utf8');
  const { definition, faults } = checkDefinition(parse(text));
  if (definition?.name !== name) throw new Error(`the shipped definition ${name} is wrong: ${JSON.stringify(faults)}`);
  return definition;
}
