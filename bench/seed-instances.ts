import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openApp } from '@grove/server/app';
import { findDeployed } from '../packages/server/src/process-manager/definitions/definitions.repository.ts';
import { compileDefinition } from '../packages/server/src/process-manager/engine/compile-definition.ts';
import { newRow } from '../packages/server/src/process-manager/instances/create-instance.ts';
import { toStored } from '../packages/server/src/process-manager/instances/instance-seal.ts';
import type { InstanceRow } from '../packages/server/src/process-manager/instances/process-instances.repository.ts';
import { temporaryFolder } from './clean-up.ts';
import { benchConfig } from './config.ts';
import { type Installation, seed, TENANT } from './seed.ts';
import { applicant, DEFINITION } from './seed-process.ts';

export const FEW_INSTANCES = 10_000;
export const MANY_INSTANCES = 1_000_000;

/**
 * An installation with many instances, which scenarios that only read share. The rows are those that the server would write,
 * but they are written directly to the database, without indexes, which are built at the end.
 */
export async function instancesInstallation(count: number): Promise<Installation> {
  const folder = temporaryFolder();
  const place = { dataFolder: folder.path };
  const seeded = await seed(place, { keys: 1, writers: 0 });
  const app = await openApp(benchConfig(place));
  const deployed = await findDeployed(app.db.of(TENANT), { environment: 'live', name: DEFINITION });
  const seal = await app.db.of(TENANT).write((tx) => tx.personal());
  await app.stop();
  if (!deployed || !seal) throw new Error(`there is no definition ${DEFINITION}`);
  const definition = compileDefinition(deployed);
  const now = Date.now();
  const rows = function* () {
    for (let number = 0; number < count; number++) {
      const input = {
        definition,
        environment: 'live',
        parameters: applicant(number),
        now: now - count + number,
      } as const;
      yield toStored(seal, newRow(input));
    }
  };
  const database = new DatabaseSync(join(folder.path, 'grove.sqlite'), { enableForeignKeyConstraints: false });
  try {
    writeInstances(database, rows(), `instances/live/${definition.id}/PENDING`, count);
  } finally {
    database.close();
  }
  return { place, seeded, remove: async () => folder.remove() };
}

function writeInstances(database: DatabaseSync, rows: Iterable<InstanceRow>, counter: string, count: number): void {
  database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN');
  const indexes = database
    .prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'process_instances' AND sql <> ''",
    )
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
  // A row object has members that are not columns, such as the values that are sealed together.
  const columns = (
    database.prepare("SELECT name FROM pragma_table_info('process_instances') WHERE name <> 'tenant_id'").all() as {
      name: keyof InstanceRow;
    }[]
  ).map(({ name }) => name);
  const insert = database.prepare(
    `INSERT INTO process_instances (tenant_id, ${columns.join(', ')})
     VALUES ('${TENANT}', ${columns.map(() => '?').join(', ')})`,
  );
  for (const row of rows) insert.run(...columns.map((name) => row[name] ?? null));
  for (const { sql } of indexes) database.exec(sql);
  database.exec(`INSERT OR IGNORE INTO instance_terms (tenant_id, environment, term, instance_id)
    SELECT i.tenant_id, i.environment, term.value, i.id FROM process_instances i, json_each(i.terms) term
    ORDER BY 1, 2, 3, 4`);
  database
    .prepare('UPDATE counters SET value = value + ? WHERE tenant_id = ? AND name = ?')
    .run(count, TENANT, counter);
  database.exec('COMMIT; PRAGMA journal_mode = WAL');
}
