import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { copyInstances } from '../../../test/copy-instances.ts';
import { onBothEngines, openTestApp, type TestApp, type TestPlace } from '../../../test/harness.ts';
import { addTestDefinition, addTestToken } from '../../../test/processes.ts';
import type { Db, TenantDb } from '../../db/db.ts';
import type { JobContext } from '../../jobs/define-job.ts';
import { asTenantId, newId } from '../../kernel/ids.ts';
import { compileDefinition } from '../engine/compile-definition.ts';
import { createInstance } from '../instances/create-instance.ts';
import { findInstance } from '../instances/process-instances.repository.ts';
import { purgeInstancesJob } from './purge-job.ts';

const instances = '/api/process-manager/processInstances';
const COUNT = 450;

onBothEngines('a purge', (engine, places) => {
  let place: TestPlace;
  let app: TestApp;
  let db: TenantDb;
  let tokenId: string;
  let definition: Awaited<ReturnType<typeof addTestDefinition>>;

  before(async () => {
    place = await places.create();
    app = await openTestApp(place);
    db = app.app.db.of(asTenantId('acme'));
    definition = await addTestDefinition(db, { name: 'onboarding' });
    tokenId = (await addTestToken(db, definition, { parameters: '{"firstName":"Ada"}' })).id;
  });
  after(() => app.stop());

  const create = async (): Promise<string> =>
    (await app.call(`${instances}/create?pt=${tokenId}`, { method: 'POST' })).body.processInstanceId;
  const addChild = (parentId: string) =>
    db.write(async (tx) => {
      const row = await findInstance(tx, parentId);
      assert.ok(row);
      const [id, now] = [newId(app.clock.now()), app.clock.now()];
      await createInstance(tx, {
        definition: compileDefinition(definition),
        environment: 'live',
        parameters: {},
        parent: { row, step: 'sub', id },
        now,
      });
      return id;
    });
  const expire = (ids: readonly string[], values = 'expiring_at = 1, deadline_at = NULL') =>
    db.write(async (tx) => {
      const text = `UPDATE process_instances SET ${values} WHERE tenant_id = $1 AND id = $2`;
      for (const id of ids) await tx.run({ text }, [tx.tenantId, id]);
    });
  const run = (server = app) => server.call('/api/process-manager/retention/run', { method: 'POST' });
  const count = async (what: string, ...values: string[]) =>
    Number((await db.get<{ n: number }>({ text: `SELECT count(*) AS n FROM ${what}` }, ['acme', ...values]))?.n);
  const isThere = async (id: string) => (await count('process_instances WHERE tenant_id = $1 AND id = $2', id)) === 1;
  const total = async () => (await app.call(instances)).body.totalElements as number;

  it('a purge deletes an instance with its children, each with its own receipt, and keeps a parent that is not due', async () => {
    const [parent, other] = [await create(), await create()];
    const [child, youngOne] = [await addChild(parent), await addChild(other)];
    const grandchild = await addChild(child);
    await expire([parent, youngOne]);
    const before = await total();
    assert.deepEqual((await run()).body, { purged: 2, left: 0 });
    for (const id of [parent, child, grandchild, youngOne]) {
      assert.equal(await isThere(id), false);
      assert.equal((await app.call(`/api/process-manager/erasures/${id}`)).status, 200);
    }
    assert.ok(await isThere(other));
    assert.equal(await total(), before - 4);
  });

  it('a purge deletes all other instances if one cannot be deleted, and reports it', async () => {
    const ids = [await create(), await create(), await create()];
    await expire(ids);
    await expire(ids.slice(1, 2), "terms = 'broken'");
    assert.equal((await run()).status, 500);
    assert.deepEqual(await Promise.all(ids.map(isThere)), [false, true, false]);
    assert.equal((await run()).status, 500);
    await expire(ids.slice(1, 2), "terms = '[]'");
    assert.deepEqual((await run()).body, { purged: 1, left: 0 });
  });

  it('a purge on two servers at once deletes each instance once, with one receipt and one audit event', async () => {
    const first = await create();
    await expire([first]);
    await copyInstances(db, first, COUNT - 1);
    const audited = () => count("audit_events WHERE tenant_id = $1 AND action = 'instance.purged'");
    const before = await audited();
    const second = engine === 'postgres' ? await openTestApp(place, { clock: app.clock }) : app;
    const purgedBy = await Promise.all(
      [app, second, app, second].map(async (server) => (await run(server)).body.purged),
    );
    assert.equal(
      purgedBy.reduce((sum: number, purged: number) => sum + purged, 0),
      COUNT,
    );
    if (second !== app) await second.stop();
    assert.equal((await audited()) - before, COUNT);
    assert.equal(await count('instance_terms WHERE tenant_id = $1 AND instance_id = $2', first), 0);
    await app.app.jobs.runDue();
    const unfinished = "erasures WHERE tenant_id = $1 AND state = 'ERASING'";
    for (let tries = 0; tries < 500 && (await count(unfinished)) > 0; tries++) {
      await new Promise((turn) => setTimeout(turn, 10));
    }
    assert.equal(await count(unfinished), 0);
    assert.equal(await total(), await count('process_instances WHERE tenant_id = $1'));
  });
});

describe('the jobs that purge the instances of tenants', () => {
  const context = { signal: new AbortController().signal } as JobContext;
  const jobOf = (left: Map<string, number>, purged: string[]) => {
    const db = { of: (tenantId: string) => ({ tenantId }), isSingleServer: false } as unknown as Db;
    return purgeInstancesJob({
      db,
      clock: { now: () => 0 },
      receiptsDays: 1,
      clockFault: async () => undefined,
      finisher: { leftBehind: async () => undefined },
      erasureLog: { tend: async () => undefined },
      async *everyTenantId() {
        for (const id of left.keys()) yield asTenantId(id);
      },
      async purge({ tenantId }, { limit }) {
        purged.push(tenantId);
        const due = left.get(tenantId) ?? 0;
        if (due < 0) throw new Error('cannot be deleted');
        left.set(tenantId, Math.max(0, due - limit));
        return { purged: Math.min(due, limit) };
      },
    });
  };

  it('the jobs that purge instances alternate between tenants, and end when nothing is left', async () => {
    const purged: string[] = [];
    const left = new Map(Object.entries({ many: 2500, few: 10, none: 0, more: 1001 }));
    await jobOf(left, purged).run({}, context);
    assert.deepEqual(purged, ['many', 'few', 'none', 'more', 'many', 'more', 'many']);
    assert.ok([...left.values()].every((count) => count === 0));
  });

  it('the jobs that purge instances continue with others if one tenant fails, and then fail, to be tried again', async () => {
    const purged: string[] = [];
    const left = new Map(Object.entries({ broken: -1, fine: 1500 }));
    await assert.rejects(jobOf(left, purged).run({}, context), /cannot be deleted/);
    assert.deepEqual(purged, ['broken', 'fine', 'fine']);
  });

  it('the jobs that purge instances are four on PostgreSQL, and each process runs one of them at a time', () => {
    const { recurs, atOnce } = jobOf(new Map(), []);
    assert.deepEqual([[recurs].flat().length, atOnce], [4, 1]);
  });
});
