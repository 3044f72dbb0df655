import assert from 'node:assert/strict';
import { it } from 'node:test';
import { databaseOf } from '../../test/database.ts';
import { onBothEngines, type TestPlace } from '../../test/harness.ts';
import { asTenantId } from '../kernel/ids.ts';
import { unprepared } from './db.ts';
import { type Migration, migratePostgres, migrateSqlite, readMigrations } from './migrate.ts';
import { openDb } from './open.ts';

const SEPARATION = 20;
const TENANT = asTenantId('acme');

const migrateWith = async (place: TestPlace, migrations: Migration[]) => {
  const database = databaseOf(place);
  return database.engine === 'sqlite'
    ? migrateSqlite(database.file, migrations)
    : migratePostgres(database.url, migrations);
};

onBothEngines('an installation from before the separation of environments', (_engine, places) => {
  it('an installation from before the separation of environments keeps its definitions, tags, themes, pages and secrets as those of live callers', async () => {
    const place = await places.createEmpty();
    const all = readMigrations();
    await migrateWith(
      place,
      all.filter(({ version }) => version < SEPARATION),
    );
    const db = openDb(databaseOf(place), () => undefined);
    const by = "1, 'Key', 1, 'Key'";
    const rows = [
      "INSERT INTO tenants (id, name, status, created_at) VALUES ('acme', 'Acme', 'ACTIVE', 1)",
      `INSERT INTO process_definitions (tenant_id, id, name, name_folded, version, status, definition_type, retention_days,
        document, created_at, created_by, last_updated_at, last_updated_by)
        VALUES ('acme', 'd1', 'onboarding', 'onboarding', 1, 'DEPLOYED_ACTIVE', 'VERIFICATION', 30, '{}', ${by})`,
      `INSERT INTO process_definition_tags (tenant_id, name, name_folded, definition_id, created_at, created_by)
        VALUES ('acme', 'live', 'live', 'd1', 1, 'Key')`,
      `INSERT INTO themes (tenant_id, id, name, name_folded, tokens, created_at, created_by, last_updated_at,
        last_updated_by) VALUES ('acme', 't1', 'spring', 'spring', '{}', ${by})`,
      `INSERT INTO custom_pages (tenant_id, id, name, name_folded, version, status, hash, num_files, total_bytes,
        created_at, created_by, last_updated_at, last_updated_by)
        VALUES ('acme', 'p1', 'questions', 'questions', 1, 'EDITABLE', 'h', 1, 1, ${by})`,
      `INSERT INTO cloud_secrets (tenant_id, id, name, name_folded, type, sealed, created_at, created_by,
        last_updated_at, last_updated_by) VALUES ('acme', 's1', 'RISK', 'risk', 'STRING', $1, ${by})`,
    ];
    await db.of(TENANT).write(async (tx) => {
      for (const row of rows) await tx.run(unprepared(row), row.includes('$1') ? [new Uint8Array([1])] : []);
    });
    await db.close();
    await migrateWith(place, all);
    const now = openDb(databaseOf(place), () => undefined);
    const foundRows = [];
    for (const table of ['process_definitions', 'process_definition_tags', 'themes', 'custom_pages', 'cloud_secrets']) {
      const statement = unprepared(`SELECT environment, name FROM ${table} WHERE tenant_id = $1`);
      foundRows.push(...(await now.of(TENANT).all<{ environment: string; name: string }>(statement, [TENANT])));
    }
    await now.close();
    assert.deepEqual(
      foundRows.map(({ environment, name }) => `${environment} ${name}`),
      ['live onboarding', 'live live', 'live spring', 'live questions', 'live RISK'],
    );
  });
});
