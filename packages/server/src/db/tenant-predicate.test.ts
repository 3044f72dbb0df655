import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { statements } from './db.ts';
import { migrateSqlite } from './migrate.ts';

/** PostgreSQL has a second wall, its row-level security. On SQLite the tenant in the statement is the only one. */
const HOME = fileURLToPath(new URL('..', import.meta.url));
const MIN_STATEMENTS = 400;

async function loadStatements(): Promise<readonly string[]> {
  const files = globSync('**/*.ts', { cwd: HOME, exclude: ['**/*.test.ts', '**/*.check.ts'] });
  for (const file of files.map((each) => join(HOME, each))) {
    if (/\bsql\(|\/sql\/(table|statement)\.ts'/.test(readFileSync(file, 'utf8')))
      await import(pathToFileURL(file).href);
  }
  return statements;
}

function tablesOfTenants(): Set<string> {
  const folder = mkdtempSync(join(tmpdir(), 'grove-tables-'));
  const file = join(folder, 'grove.sqlite');
  migrateSqlite(file);
  const database = new DatabaseSync(file);
  const rows = database
    .prepare(`SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
      WHERE m.type = 'table' AND c.name = 'tenant_id'`)
    .all();
  database.close();
  rmSync(folder, { recursive: true });
  return new Set(rows.map(({ name }) => String(name)));
}

/** What is missing in a statement: it must compare the tenant, or write it, once for each table of tenants that it names. */
function faultOf(text: string, tables: ReadonlySet<string>): string | undefined {
  const plain = text.replace(/\/\*(sqlite|postgres)/g, ' ').replaceAll('*/', ' ');
  const named = [...plain.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)/gi)].filter(([, name = '']) =>
    tables.has(name),
  );
  const written = plain.match(/INSERT INTO \w+\s*\([^)]*\btenant_id\b[^)]*\)/gi) ?? [];
  const compared = plain.match(/\btenant_id\s*=/gi) ?? [];
  return named.length > written.length + compared.length ? text : undefined;
}

describe('every statement', () => {
  it('that names a table of tenants names the tenant', async () => {
    const tables = tablesOfTenants();
    const all = await loadStatements();
    assert.ok(all.length >= MIN_STATEMENTS && tables.size > 50, `${all.length} statements, ${tables.size} tables`);
    assert.deepEqual(
      all.flatMap((text) => faultOf(text, tables) ?? []),
      [],
    );
  });

  it('without its tenant would be found', () => {
    const tables = new Set(['webhooks', 'journeys']);
    for (const text of [
      'SELECT id FROM webhooks WHERE id = $2',
      'SELECT w.id FROM webhooks w JOIN journeys j ON j.id = w.id WHERE w.tenant_id = $1',
      'UPDATE webhooks SET name = $2 WHERE id = $1',
      'DELETE FROM webhooks WHERE /*sqlite id*/ = $1',
      'INSERT INTO webhooks (id, name) VALUES ($1, $2)',
      'INSERT INTO webhooks (id, tenant_id) SELECT id, $1 FROM journeys',
    ]) {
      assert.equal(faultOf(text, tables), text);
    }
    assert.equal(faultOf('SELECT id FROM tenants WHERE id = $1', tables), undefined);
  });
});
