import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { addTestTenants, openTestDb } from '../../test/database.ts';
import { onBothEngines } from '../../test/harness.ts';
import type { TenantId } from '../kernel/ids.ts';
import { ensureBelowLimit, isBelowLimit } from './below-limit.ts';
import { addToCounter, readCounter } from './counters.ts';
import type { Db, TenantTx } from './db.ts';

const AT_ONCE = 12;
/** Without a lock, all transactions of the moment have counted by then. */
const BETWEEN_MS = 20;

onBothEngines('a limit of count', (engine, places) => {
  let db: Db;
  let acme: TenantId;
  let globex: TenantId;
  before(async () => {
    db = await openTestDb(await places.create(), { DATABASE_POOL: '16' });
    [acme, globex] = await addTestTenants(db, 'acme', 'globex');
  });
  after(() => db.close());

  const limitOf = (tx: TenantTx, name: string, limit: number) => ({
    of: [name] as const,
    limit,
    count: () => readCounter(tx, name),
  });
  const create = (name: string, limit: number) =>
    db.of(acme).write(async (tx) => {
      await ensureBelowLimit(tx, limitOf(tx, name, limit), 'there are enough');
      await wait(BETWEEN_MS);
      await addToCounter(tx, name, 1);
    });
  const add = (name: string, value: number) => db.of(acme).write((tx) => addToCounter(tx, name, value));

  it('a limit of count holds for creations at the same moment, and the one too many is refused with 100065', async () => {
    const answers = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => create('few', 5)));
    const refused = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.equal(await readCounter(db.of(acme), 'few'), 5);
    assert.equal(refused.length, AT_ONCE - 5);
    for (const { reason } of refused) {
      assert.deepEqual([reason.code, reason.detail.detail], [100065, 'there are enough']);
    }
  });

  it('a limit of count that is high holds as well, once few are missing', async () => {
    await add('many', 49_997);
    await Promise.allSettled(Array.from({ length: AT_ONCE }, () => create('many', 50_000)));
    assert.equal(await readCounter(db.of(acme), 'many'), 50_000);
  });

  it('a limit of count lets nobody wait far away from it, and never another tenant', {
    skip: engine === 'sqlite' && 'it has one writer, so nobody waits for a lock',
  }, async () => {
    await add('far', 40_000);
    await db.of(acme).write(async (outer) => {
      assert.ok(await isBelowLimit(outer, limitOf(outer, 'far', 50_000)));
      assert.ok(await isBelowLimit(outer, limitOf(outer, 'near', 5)));
      // They would wait for ever for this transaction.
      await create('far', 50_000);
      await db.of(globex).write((tx) => isBelowLimit(tx, limitOf(tx, 'near', 5)));
    });
  });
});
