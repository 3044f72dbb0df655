import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../test/database.ts';
import { onBothEngines } from '../../test/harness.ts';
import type { Db } from '../db/db.ts';
import { systemClock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { type Erased, MAX_IDS_OF_ENTRY } from './log-entries.ts';
import { erasureNoter, erasureWriter, type NoteErased, writeDownJob } from './write-down.ts';

onBothEngines('the record of an erasure', (_engine, places) => {
  let db: Db;
  let acme: TenantId;
  let other: TenantId;
  let note: NoteErased;
  let enqueued = 0;
  let isAway = false;
  const entries: Erased[] = [];
  const write = erasureWriter({
    clock: systemClock,
    scrub: async () => undefined,
    entries: {
      async add(erased) {
        if (isAway) throw new Error('the place of the blobs is away');
        entries.push(erased);
      },
    },
  });
  const idsOf = (start: string, count: number) => Array.from({ length: count }, (_, at) => `${start}${1000 + at}`);
  const shapes = () => entries.splice(0).map(({ tenantId, kind, ids }) => `${tenantId} ${kind} ${ids.length}`);

  before(async () => {
    db = await openTestDb(await places.create());
    [acme, other] = await addTestTenants(db, 'acme', 'other');
    const jobs = { enqueue: async () => Boolean(++enqueued) };
    note = erasureNoter(jobs, writeDownJob(write));
  });
  after(() => db.close());

  it('erasures of one moment share entries by kind and tenant, and need one job in each transaction', async () => {
    await db.of(acme).write(async (tx) => {
      await note(tx, 'watchlist-member', idsOf('m', MAX_IDS_OF_ENTRY + 20));
      await note(tx, 'user', []);
    });
    await db.of(acme).write((tx) => note(tx, 'user', ['u', 'u']));
    await db.of(other).write((tx) => note(tx, 'user', ['of another']));
    assert.equal(enqueued, 3);
    await Promise.all([write(db.of(acme)), write(db.of(acme))]);
    assert.deepEqual(shapes(), ['acme user 1', 'acme watchlist-member 100', 'acme watchlist-member 20']);
    await write(db.of(other));
    assert.deepEqual(shapes(), ['other user 1']);
  });

  it('an erasure is not lost while it cannot be recorded, and is recorded once afterwards', async () => {
    await db.of(acme).write((tx) => note(tx, 'user', ['late']));
    isAway = true;
    await assert.rejects(write(db.of(acme)), /away/);
    isAway = false;
    await write(db.of(acme));
    await write(db.of(acme));
    assert.deepEqual(shapes(), ['acme user 1']);
  });

  it('an erasure by a transaction that rolls back is not recorded', async () => {
    const broken = db.of(acme).write(async (tx) => {
      await note(tx, 'user', ['still there']);
      throw new Error('broken');
    });
    await assert.rejects(broken, /broken/);
    await write(db.of(acme));
    assert.deepEqual(shapes(), []);
  });
});
