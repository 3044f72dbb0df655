import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../test/database.ts';
import { type TestClock, testClock, testPlaces } from '../../test/harness.ts';
import type { Db } from '../db/db.ts';
import { openFolder } from '../engines/blobs/folder.ts';
import { DAY } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { openMasterKey } from '../secrets/master-key.ts';
import { openVault } from '../secrets/vault.ts';
import { type ErasureLog, openErasureLog } from './erasure-log.ts';

describe('the log of erasures', () => {
  const places = testPlaces();
  const never = new AbortController().signal;
  let db: Db;
  let clock: TestClock;
  let acme: TenantId;
  let log: ErasureLog;
  let erased: string[] = [];

  before(async () => {
    const place = await places.create();
    db = await openTestDb(place);
    clock = testClock();
    [acme] = await addTestTenants(db, 'acme');
    const vault = openVault({ master: openMasterKey({ env: `1:${Buffer.alloc(32, 7).toString('base64')}` }), clock });
    log = openErasureLog({
      db,
      vault,
      clock,
      entries: openFolder(join(place.folder, 'erased')),
      scrub: async () => undefined,
      onError: assert.fail,
      // These jobs never run.
      jobs: { enqueue: async () => true },
      everyTenantId: async function* () {
        yield acme;
      },
    });
    const createdAt = clock.now();
    log.register({
      kind: 'user',
      oldest: async () => createdAt,
      async eraseAgain({ tenantId }, ids) {
        erased.push(...ids.map((id) => `${tenantId} ${id}`));
        return ids.length;
      },
    });
  });
  after(() => db.close());

  it('the log of erasures records each night what a job failed to record, and repeats the erasure', async () => {
    await db.of(acme).write((tx) => log.note(tx, 'user', ['ada']));
    await log.prepare();
    assert.deepEqual(erased, []);
    clock.advance(DAY);
    await log.tend(never);
    assert.deepEqual(erased, ['acme ada']);
  });

  it('the log of erasures repeats an erasure once but not for ever, because the database stores until when it is complete', async () => {
    erased = [];
    clock.advance(DAY);
    await log.tend(never);
    assert.deepEqual(erased, ['acme ada']);
    clock.advance(4 * DAY);
    await log.tend(never);
    erased = [];
    clock.advance(4 * DAY);
    await log.prepare();
    assert.deepEqual(erased, []);
  });

  it('the log of erasures skips an entry of an unknown kind, which a newer release may have written', async () => {
    erased = [];
    await log.writeDown({ tenantId: acme, kind: 'watchlist', ids: ['list'] });
    await log.writeDown({ tenantId: acme, kind: 'user', ids: ['bob'] });
    await log.prepare();
    assert.deepEqual(erased, ['acme bob']);
  });

  it('the log of erasures accepts one feature for each kind', () => {
    const again = { kind: 'user', oldest: async () => undefined, eraseAgain: async () => 0 } as const;
    assert.throws(() => log.register(again), /user is registered already/);
  });

  it('the log of erasures still reads new entries after a clock that was ahead is corrected', async () => {
    await log.prepare();
    const right = clock.now();
    clock.advance(30 * DAY);
    await log.prepare();
    clock.set(right);
    await log.writeDown({ tenantId: acme, kind: 'user', ids: ['grace'] });
    erased = [];
    await log.prepare();
    assert.ok(erased.includes('acme grace'));
  });

  it('the log of erasures keeps its entries while the clock is ahead, unless it was ahead yesterday, too', async () => {
    await log.prepare();
    const right = clock.now();
    await log.writeDown({ tenantId: acme, kind: 'user', ids: ['linus'] });
    for (const days of [405, 420, 430]) {
      clock.set(right + days * DAY);
      await log.prepare();
      clock.set(right);
      erased = [];
      await log.prepare();
      assert.ok(erased.includes('acme linus'), `${days} days`);
    }
  });
});
