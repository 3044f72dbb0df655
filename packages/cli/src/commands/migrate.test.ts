import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { grove, groveJson, temporaryFolder } from '../../test/grove.ts';

test('migrate --check lists what is pending, exits with 1 and makes nothing', async (t) => {
  const folder = `${temporaryFolder(t)}/none`;
  const { code, stdout } = await grove(['migrate', '--check', '--json'], { GROVE_DATA: folder });
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout).pending[0], '0001_foundation.sql');
  assert.equal(existsSync(folder), false);
});

test('migrate lists what it applied, and afterwards nothing is pending', async (t) => {
  const env = { GROVE_DATA: `${temporaryFolder(t)}/new` };
  const first = await grove(['migrate'], env);
  assert.equal(first.code, 0);
  assert.match(first.stdout, /Applied:\n {2}0001_foundation\.sql/);
  assert.deepEqual((await groveJson<{ applied: string[] }>(['migrate'], env)).applied, []);
  assert.deepEqual((await groveJson<{ pending: string[] }>(['migrate', '--check'], env)).pending, []);
});

test('a database of a newer release is refused with 1', async (t) => {
  const folder = temporaryFolder(t);
  await groveJson(['migrate'], { GROVE_DATA: folder });
  const database = new DatabaseSync(`${folder}/grove.sqlite`);
  database.exec(`INSERT INTO schema_migrations VALUES (9999, '9999_future.sql', 'x', 0)`);
  database.close();
  for (const args of [['migrate'], ['migrate', '--check'], ['tenant', 'list'], ['start']]) {
    const { code, stderr } = await grove(args, { GROVE_DATA: folder });
    assert.equal(code, 1, args.join(' '));
    assert.match(stderr, /^grove: The database was migrated by a newer release/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});
