import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../../test/database.ts';
import { onBothEngines } from '../../../test/harness.ts';
import { addTestDefinition, addTestToken, inParallel } from '../../../test/processes.ts';
import type { Db, TenantDb, TenantTx } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { DefinitionRow } from '../definitions/definitions.repository.ts';
import { compileDefinition } from '../engine/compile-definition.ts';
import { deleteInChain } from '../retention/delete-instance.ts';
import { createFromToken } from '../tokens/create-from-token.ts';
import { findToken, findTokenForUpdate } from '../tokens/process-tokens.repository.ts';
import { createInstance } from './create-instance.ts';
import { addEvents } from './instance-events.repository.ts';
import { totalsOf } from './instance-totals.ts';
import { changeInstance, findInstanceForUpdate } from './process-instances.repository.ts';

/** `GROVE_RACE_ROUNDS=100` runs more rounds. */
const ROUNDS = Number(process.env.GROVE_RACE_ROUNDS ?? 20);
/** Every that many rounds, 500 creations use a token with 100 uses. With 1, all rounds do, which takes longer. */
const FULL_EVERY = Number(process.env.FULL_RACES_EVERY ?? 50);
const baseUrl = 'https://acme.fir.example';

onBothEngines('races around tokens and instances', (engine, places) => {
  let db: Db;
  let acme: TenantDb;
  let definition: DefinitionRow;
  before(async () => {
    db = await openTestDb(await places.create());
    const [tenantId] = await addTestTenants(db, 'acme');
    acme = db.of(tenantId);
    definition = await addTestDefinition(acme);
  });
  after(() => db.close());

  const now = 1_800_000_000_000;
  const create = (tokenId: string) =>
    acme.write((tx) => createFromToken(tx, { tokenId, environment: 'live', now, baseUrl }));

  /** Some rounds have 500 creations at once, the others fewer; all test the same property. */
  it(`parallel creates on a token of maxCount give exactly maxCount instances, ${ROUNDS} rounds`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [creates, maxCount] = round % FULL_EVERY === 0 ? [500, 100] : [25, 5];
      const token = await addTestToken(acme, definition, { type: 'MULTI_USE_COUNT_LIMITED', max_count: maxCount });
      const tries = await inParallel(creates, () => create(token.id));
      const rows = tries.flatMap((each) => (each.status === 'fulfilled' ? [each.value.row] : []));
      const refusals = tries.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      assert.equal(rows.length, maxCount);
      assert.ok(refusals.every((error) => error instanceof ApiError && error.code === 100046));
      assert.deepEqual(
        rows.map((row) => row.token_counter).sort((one, other) => Number(one) - Number(other)),
        Array.from({ length: maxCount }, (_, at) => at + 1),
      );
      assert.equal((await findToken(acme, token.id))?.counter, maxCount);
    }
    await assertWhole(acme);
  });

  it('parallel creates on an UNLIMITED token are all counted', async () => {
    const token = await addTestToken(acme, definition, { counter: 7 });
    const results = await inParallel(60, () => create(token.id));
    assert.ok(results.every(({ status }) => status === 'fulfilled'));
    assert.equal((await findToken(acme, token.id))?.counter, 67);
    assert.equal((await create(token.id)).row.token_counter, 68);
  });

  it(
    'creates on an UNLIMITED token do not wait for its row',
    { skip: engine === 'sqlite' && 'it has one writer' },
    () =>
      acme.write(async (tx) => {
        const token = await addTestToken(acme, definition);
        await findTokenForUpdate(tx, token.id);
        assert.equal((await create(token.id)).row.token_counter, 1);
      }),
  );

  const deps = {
    vault: { destroySubjects: async () => undefined },
    drive: {} as never,
    beginErasure: async () => undefined,
    notifyEvents: async () => undefined,
  };
  const remove = (id: string) =>
    acme.write(async (tx) => {
      const row = await findInstanceForUpdate(tx, id);
      if (row) await deleteInChain(tx, row, { by: 'Test', reason: 'REQUEST', at: now }, deps);
      return row !== undefined;
    });
  const locked = async (tx: TenantTx, id: string) => {
    const row = await findInstanceForUpdate(tx, id);
    if (!row) throw new ApiError(100022);
    return row;
  };
  const addChild = (id: string) =>
    acme.write(async (tx) => {
      const row = await locked(tx, id);
      const parent = { row, step: 'sub', id: newId(now) };
      await createInstance(tx, {
        definition: compileDefinition(definition),
        environment: 'live',
        parameters: { firstName: 'Ada' },
        parent,
        now,
      });
    });
  const move = (id: string) =>
    acme.write(async (tx) => {
      const row = await locked(tx, id);
      const status = row.status === 'ACTIVE' ? 'PAUSED' : 'ACTIVE';
      await changeInstance(tx, row, { ...row, status, last_updated_at: now, sequence: row.sequence + 1 });
      await addEvents(tx, row, [{ type: 'instance.started', status }], now);
    });

  it(`parallel deletes, creates, children and events leave neither an orphan nor a wrong total, ${ROUNDS} rounds`, async () => {
    const token = await addTestToken(acme, definition, { parameters: '{"lastName":"Lovelace","email":"a@b.example"}' });
    for (let round = 0; round < ROUNDS; round++) {
      const { row } = await create(token.id);
      const work = [addChild, move, remove, create.bind(null, token.id), move, addChild, remove];
      const turned = [...work.slice(round % work.length), ...work.slice(0, round % work.length)];
      const tries = await Promise.allSettled(turned.map((each) => each(row.id)));
      for (const each of tries) {
        if (each.status === 'rejected') assert.ok(each.reason instanceof ApiError, String(each.reason));
      }
      await remove(row.id);
    }
    await assertWhole(acme);
  });
});

/** Every row of a dependent table has its instance, every sequence its events, and every total equals the count. */
async function assertWhole(db: TenantDb): Promise<void> {
  const all = <R>(text: string) => db.all<R>({ text }, [db.tenantId]);
  for (const table of [
    'instance_terms',
    'instance_events',
    'journeys',
    'journey_sessions',
    'journey_codes',
    'instance_checks',
    'instance_images',
    'instance_faces',
    'liveness_challenges',
  ]) {
    // One pass over each table, because the planner has no statistics of tables that were just filled.
    const orphans = await all(`SELECT 1 AS one FROM ${table} WHERE tenant_id = $1 AND instance_id NOT IN
      (SELECT id FROM process_instances WHERE tenant_id = $1)`);
    assert.equal(orphans.length, 0, `${table} holds ${orphans.length} rows of nobody`);
  }
  const childless = await all(`SELECT 1 AS one FROM process_instances WHERE tenant_id = $1 AND parent_id IS NOT NULL
    AND parent_id NOT IN (SELECT id FROM process_instances WHERE tenant_id = $1)`);
  assert.equal(childless.length, 0);
  type EventCount = { id: string; events: number };
  const sequences = await all<EventCount>('SELECT id, sequence AS events FROM process_instances WHERE tenant_id = $1');
  const events = await all<EventCount>(`SELECT instance_id AS id, count(*) AS events FROM instance_events
    WHERE tenant_id = $1 GROUP BY instance_id`);
  const byId = (rows: EventCount[]) => new Map(rows.map((row) => [row.id, Number(row.events)]));
  assert.deepEqual(byId(events), byId(sequences));
  const totals = await all<{ definition_id: string; status: string; total: number }>(
    `SELECT definition_id, status, count(*) AS total FROM process_instances WHERE tenant_id = $1
    GROUP BY definition_id, status ORDER BY definition_id, status`,
  );
  assert.deepEqual(
    (await totalsOf(db, 'live'))
      .map(({ definitionId, status, total }) => ({ definition_id: definitionId, status, total: Number(total) }))
      .sort((one, other) => (one.status < other.status ? -1 : 1)),
    totals.map((each) => ({ ...each, total: Number(each.total) })),
  );
}
