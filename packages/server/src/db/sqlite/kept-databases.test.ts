import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { KEPT_DATABASE_DAYS, purgeKeptDatabases, stampOf } from './kept-databases.ts';

const folder = mkdtempSync(join(tmpdir(), 'grove-kept-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a database that a restore has replaced is removed after its days, with its log, and nothing else is', () => {
  const now = Date.UTC(2030, 0, 31);
  const old = stampOf(now - KEPT_DATABASE_DAYS * 86_400_000);
  const young = stampOf(now - KEPT_DATABASE_DAYS * 86_400_000 + 1);
  const expired = [
    `grove.sqlite.before-restore-${old}`,
    `grove.sqlite.before-restore-${old}-wal`,
    'grove.sqlite.restoring',
  ];
  const stay = [
    'grove.sqlite',
    'grove.sqlite-wal',
    'master.key',
    `grove.sqlite.before-restore-${young}`,
    'grove.sqlite.before-restore-mine',
    `other.sqlite.before-restore-${old}`,
  ];
  for (const name of [...expired, ...stay]) writeFileSync(join(folder, name), name);
  assert.deepEqual(purgeKeptDatabases(join(folder, 'grove.sqlite'), now).sort(), expired.sort());
  assert.deepEqual(readdirSync(folder).sort(), stay.sort());
});
