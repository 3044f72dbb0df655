import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backUpSqlite } from '../src/db/sqlite/backup.ts';
import { asTenantId } from '../src/kernel/ids.ts';
import type { TestApp, TestPlace } from './harness.ts';

const TENANT = asTenantId('acme');

/** Every byte of the data folder and of a backup, or every column of every table. */
export async function everythingStored(app: TestApp, place: TestPlace, engine: string): Promise<string> {
  if (engine === 'sqlite') {
    const target = join(place.folder, 'copy.backup');
    await backUpSqlite({ database: join(place.folder, 'grove.sqlite'), target });
    const files = readdirSync(place.folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    assert.ok(existsSync(target));
    const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    return texts.join('\n').toLowerCase();
  }
  const db = app.app.db.of(TENANT);
  const texts: string[] = [];
  const tables = await db.all<{ name: string }>(
    { text: "SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'tenant_id'" },
    [],
  );
  assert.ok(tables.length > 30);
  for (const { name } of tables) {
    const rows = await db.all({ text: `SELECT * FROM ${name} WHERE tenant_id = $1` }, [TENANT]);
    for (const row of rows) {
      for (const value of Object.values(row as object)) {
        texts.push(value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value));
      }
    }
  }
  return texts.join('\n').toLowerCase();
}
