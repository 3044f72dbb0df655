import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { prepareInstallation } from '@grove/server';
import { openApp } from '@grove/server/app';
import { newKeyRow, storeNewKey } from '../packages/server/src/arthr/api-keys/api-keys.ts';
import { asTenantId } from '../packages/server/src/kernel/ids.ts';
import { temporaryFolder } from './clean-up.ts';
import { type BenchPlace, benchConfig } from './config.ts';
import { type SeededProcess, seedProcess } from './seed-process.ts';

/** The callers of the scenarios, and the objects that they read. */
export type Seeded = {
  /** A key of the tenant that has all the keys. */
  apiKey: string;
  /** One of those keys. */
  keyId: string;
  process: SeededProcess;
  /** Empty tenants with a key each, for scenarios that write. */
  writers: readonly Writer[];
};

export type Writer = { tenantId: string; apiKey: string };

export type SeedOptions = { keys: number; writers: number };

/** An installation that one scenario uses and that is removed afterwards. */
export type Installation = { place: BenchPlace; seeded: Seeded; remove(): Promise<void> };

export const TENANT = asTenantId('bench');
// SQLite allows a transaction five seconds.
const KEYS_PER_TRANSACTION = 1000;

export function permissionsOf(tenantId: string): string[] {
  const operations = ['getFromTenant', 'listTenantApiKeys', 'updateTenantApiKey'];
  return operations.map((operation) => `TNT#${tenantId}#ArthrServer:${operation}`);
}

// All names have the same length, so that all responses have.
const writerTenant = (at: number) => `bench-writer-${String(at).padStart(4, '0')}`;

/** Writes with the server's own code, without HTTP, because ten thousand requests would take longer. */
export async function seed(place: BenchPlace, { keys, writers }: SeedOptions): Promise<Seeded> {
  const config = benchConfig(place);
  await prepareInstallation(config);
  const app = await openApp(config);
  try {
    const { apiKey } = await app.tenants.create({ id: TENANT });
    const [pepper] = await app.vault.systemSecret(app.db.system, 'api-key-pepper');
    if (!pepper) throw new Error('there is no pepper for API keys');
    const rows = Array.from({ length: keys }, (_, at) => {
      const name = `Seeded key ${String(at).padStart(6, '0')}`;
      const permissions = permissionsOf(TENANT);
      const common = { environment: 'live', type: 'PERMANENT', status: 'ACTIVE', expiring_at: null } as const;
      return newKeyRow(pepper, Date.now(), 'Bench', { ...common, name, description: 'For measuring', permissions }).row;
    });
    for (let from = 0; from < rows.length; from += KEYS_PER_TRANSACTION) {
      await app.db.of(TENANT).write(async (tx) => {
        for (const row of rows.slice(from, from + KEYS_PER_TRANSACTION)) await storeNewKey(tx, row);
      });
    }
    const [one] = rows;
    if (!one) throw new Error('at least one key must be seeded');
    const others: Writer[] = [];
    for (let at = 0; at < writers; at++) others.push(await app.tenants.create({ id: writerTenant(at) }));
    const process = await seedProcess(app.db.of(TENANT));
    return { apiKey, keyId: one.id, process, writers: others };
  } finally {
    await app.stop();
  }
}

/** Seeds once and gives every scenario a copy, so that no scenario sees the rows of another. */
export function sqliteInstallations(options: SeedOptions): { next(): Promise<Installation>; remove(): void } {
  const folder = temporaryFolder();
  const template = join(folder.path, 'template');
  let seeding: Promise<Seeded> | undefined;
  return {
    async next() {
      seeding ??= seed({ dataFolder: template }, options);
      const seeded = await seeding;
      const copy = temporaryFolder();
      cpSync(template, copy.path, { recursive: true });
      return { place: { dataFolder: copy.path }, seeded, remove: async () => copy.remove() };
    },
    remove: folder.remove,
  };
}
