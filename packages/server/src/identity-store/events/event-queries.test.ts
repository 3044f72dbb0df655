import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { sql } from '../../db/db.ts';
import { HOUR, toDtm } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { EVENTS_KEPT_DAYS, purgeHistoryJob } from '../purge-identity.ts';
import { setQueryStatus } from './event-queries.repository.ts';
import { filterOf } from './event-queries.ts';
import { identityEvents, type ProcessFields } from './identity-events.ts';
import { pageOfEvents } from './search-events.ts';

const QUERIES = '/events/queries';
const LIVE = { environment: 'live' } as const;

onBothEngines('events of identity stores', (_engine, places) => {
  let grove: TestIdentity;
  before(async () => {
    grove = await openTestIdentity(await places.create());
  });
  after(() => grove.stop());

  const db = () => grove.app.db.of(asTenantId('acme'));
  const addEvent = identityEvents(async () => undefined);
  /** One event a millisecond, the newest last. */
  const addEvents = (storeName: string, processes: readonly ProcessFields[]) =>
    db().write(async (tx) => {
      for (const process of processes) {
        grove.clock.advance(1);
        const now = grove.clock.now();
        const event = { environment: 'live', storeName, type: 'identity.userUpdated', process, now } as const;
        await addEvent(tx, event);
      }
    });
  const start = async (filter: object, token?: string) => (await grove.query(filter, token)).id;
  const result = (id: string, query = '', token?: string) =>
    grove.send('GET', `${QUERIES}/${id}/result${query}`, undefined, token);
  const namesFor = async (filter: object): Promise<string[]> => {
    const { body } = await grove.query(filter);
    return body.results.map(({ storeName }: { storeName: string }) => storeName);
  };

  it('events of identity stores are found by each of the seven filters, exactly or by LIKE, and by several at once', async () => {
    const fields = {
      parentProcessDefnId: 'D1',
      parentProcessDefnName: 'Onboarding_EU',
      parentProcessDefnVersion: 7,
      parentProcessInstanceId: 'I1',
      childProcessDefnName: 'Selfie',
      childProcessDefnVersion: 70,
      childProcessDefnTag: 'Live',
    };
    await addEvents('with all', [fields]);
    await addEvents('with others', [
      {
        parentProcessDefnId: 'D2',
        parentProcessDefnName: 'OnboardingXEU',
        parentProcessDefnVersion: 8,
        parentProcessInstanceId: 'I2',
        childProcessDefnName: 'Document',
        childProcessDefnVersion: 80,
        childProcessDefnTag: 'Old',
      },
    ]);
    await addEvents('with none', [{}]);
    for (const [filter, names] of [
      [{ parentProcessDefnId: 'D1' }, ['with all']],
      [{ parentProcessDefnId: 'd1' }, []],
      [{ parentProcessDefnVersion: 7 }, ['with all']],
      [{ parentProcessDefnVersion: '8' }, ['with others']],
      [{ parentProcessInstanceId: 'I2' }, ['with others']],
      [{ childProcessDefnVersion: 70 }, ['with all']],
      [{ parentProcessDefnName: 'onboarding%' }, ['with others', 'with all']],
      [{ parentProcessDefnName: 'onboarding\\_eu' }, ['with all']],
      [{ parentProcessDefnName: 'onboarding_eu' }, ['with others', 'with all']],
      [{ parentProcessDefnName: 'ONBOARDINGXEU' }, ['with others']],
      [{ childProcessDefnName: '%fie' }, ['with all']],
      [{ childProcessDefnTag: 'l_ve' }, ['with all']],
      [{ childProcessDefnTag: 'none' }, []],
      [{ parentProcessDefnName: 'onb%', childProcessDefnVersion: 80 }, ['with others']],
      [{ parentProcessDefnId: 'D1', childProcessDefnVersion: 80 }, []],
      [{ parentProcessInstanceId: 'I1', parentProcessDefnVersion: 7, childProcessDefnTag: 'live' }, ['with all']],
      [{ parentProcessDefnName: '', parentProcessDefnId: '' }, ['with none', 'with others', 'with all']],
    ] as const) {
      assert.deepEqual(await namesFor(filter), names, JSON.stringify(filter));
    }
    const id = await start({ parentProcessDefnId: 'D1' });
    const [event] = (await result(id)).body.results;
    assert.deepEqual({ ...event, ...fields }, event);
  });

  it('events of identity stores are found by type, by user and by time, also in pages and together with another filter', async () => {
    const begin = grove.clock.now() + 1;
    const tell = (type: 'identity.userLocked' | 'identity.userUpdated', userId: string, storeName: string) =>
      db().write((tx) => {
        grove.clock.advance(1000);
        const process = { parentProcessDefnId: 'BY_TYPE' };
        return addEvent(tx, { environment: 'live', storeName, type, userId, process, now: grove.clock.now() });
      });
    await tell('identity.userLocked', 'U1', 'first');
    await tell('identity.userUpdated', 'U1', 'second');
    await tell('identity.userLocked', 'U2', 'third');
    const startDateTime = toDtm(begin);
    const locked = { startDateTime, type: 'identity.userLocked' };
    assert.deepEqual(await namesFor(locked), ['third', 'first']);
    assert.deepEqual(await namesFor({ startDateTime, userId: 'U1' }), ['second', 'first']);
    assert.deepEqual(await namesFor({ ...locked, userId: 'U1', parentProcessDefnId: 'BY_TYPE' }), ['first']);
    assert.deepEqual(await namesFor({ startDateTime: toDtm(grove.clock.now()), parentProcessDefnId: 'BY_TYPE' }), [
      'third',
    ]);
    assert.deepEqual(await namesFor({ startDateTime, endDateTime: toDtm(grove.clock.now()) }), ['second', 'first']);
    assert.deepEqual(await namesFor({ startDateTime: toDtm(grove.clock.now() + 1) }), []);
    const first = await pageOfEvents(db(), filterOf(locked as never), { ...LIVE, below: '~', size: 10, stretch: 1 });
    assert.deepEqual([first.ids.length, typeof first.nextId], [1, 'string'], 'one stretch is not all');
    const { nextId = '' } = first;
    const next = await pageOfEvents(db(), filterOf(locked as never), { ...LIVE, below: nextId, size: 10, stretch: 10 });
    assert.deepEqual([next.ids.length, next.nextId], [1, undefined], 'nothing is looked for before the time asked for');
    const two = filterOf({ parentProcessDefnId: 'BY_TYPE', childProcessDefnVersion: 7 } as never);
    const none = await pageOfEvents(db(), two, { ...LIVE, below: '~', size: 10, stretch: 2 });
    assert.deepEqual([none.ids.length, typeof none.nextId], [0, 'string'], 'two filters have no index together');
    const others = await pageOfEvents(db(), two, { ...LIVE, below: none.nextId as string, size: 10, stretch: 2 });
    assert.deepEqual([others.ids.length, others.nextId], [0, undefined], 'only events of the better index are counted');
    const refusal = await grove.send('POST', `${QUERIES}/start`, { type: 'identity.nothing' });
    assert.equal(refusal.body.code, 100001);
  });

  it('an event query with an empty filter of Grove is refused, because it would select everything', async () => {
    for (const name of ['userId', 'type', 'endDateTime']) {
      const { status, body } = await grove.send('POST', `${QUERIES}/start`, { [name]: '' });
      assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100001, `/${name}`]);
    }
  });

  it('events of identity stores are read page by page, each once, while others are added', async () => {
    await addEvents(
      'paged',
      Array.from({ length: 25 }, (_, at) => ({ parentProcessDefnId: 'P', parentProcessInstanceId: `${at}` })),
    );
    for (const filter of [{ parentProcessDefnId: 'P' }, { parentProcessDefnId: 'P', parentProcessDefnName: '%x' }]) {
      const exact = Object.keys(filter).length === 1;
      const id = await start({ ...filter, size: 10 });
      const ids: string[] = [];
      let query = '';
      for (let pages = 0; pages < 10; pages++) {
        const { body } = await result(id, query);
        ids.push(...body.results.map((event: { parentProcessInstanceId: string }) => event.parentProcessInstanceId));
        if (body.nextToken === undefined) break;
        await addEvents('paged', [{ parentProcessDefnId: 'P', parentProcessInstanceId: 'later' }]);
        query = `?size=4&nextToken=${body.nextToken}`;
      }
      const all = Array.from({ length: 25 }, (_, at) => `${24 - at}`);
      assert.deepEqual(ids, exact ? all : []);
    }
  });

  it('events of identity stores are searched in batches by LIKE, and none between two batches is missed', async () => {
    const processes = Array.from({ length: 30 }, (_, at) => ({
      childProcessDefnName: at % 10 === 3 ? 'Rare' : 'Common',
    }));
    await addEvents('stretched', processes);
    const filter = filterOf({ childProcessDefnName: 'ra%' });
    const ids: string[] = [];
    let below: string | undefined = '~';
    let pages = 0;
    while (below !== undefined) {
      const page = await pageOfEvents(db(), filter, { environment: 'live', below, size: 2, stretch: 7 });
      ids.push(...page.ids);
      below = page.nextId;
      pages += 1;
    }
    assert.deepEqual([ids.length, new Set(ids).size], [3, 3]);
    assert.ok(pages > 3);
  });

  it('an event query shows no results while it runs, and keeps them for a day', async () => {
    await addEvents('kept', [{}, {}, {}]);
    const id = await start({ size: 1 });
    for (const status of ['QUEUED', 'RUNNING', 'FAILED'] as const) {
      await db().write((tx) => setQueryStatus(tx, { id, status }));
      assert.deepEqual((await result(id)).body, { status, results: [] });
    }
    await db().write((tx) => setQueryStatus(tx, { id, status: 'SUCCEEDED' }));
    assert.equal((await result(id)).body.results.length, 1);
    assert.equal((await result(id, '?size=3')).body.results.length, 3);
    grove.clock.advance(24 * HOUR);
    await grove.renew();
    assert.equal((await result(id)).body.code, 100036);
  });

  it('an event query of another tenant or environment, or one that does not exist, is refused with 100036', async () => {
    const inTest = await grove.token(
      (await grove.app.tenants.createApiKey('acme', { name: 'T', environment: 'test' })).apiKey,
    );
    const ofOther = await grove.token((await grove.app.tenants.createApiKey('other', { name: 'O' })).apiKey);
    const id = await start({});
    for (const [query, token] of [
      [id, inTest],
      [id, ofOther],
      ['01JZ4MCW8A0C2E4G6J8M0P2R4T', undefined],
    ] as const) {
      const { status, body } = await result(query, '', token);
      assert.deepEqual([status, body.code], [404, 100036]);
    }
    for (const token of [inTest, ofOther]) {
      const theirs = await start({}, token);
      assert.deepEqual((await result(theirs, '', token)).body, { status: 'SUCCEEDED', results: [] });
    }
    const other = await start({});
    const { nextToken } = (await result(other, '?size=1')).body;
    assert.equal((await result(id, `?nextToken=${nextToken}`)).body.code, 100001);
    assert.equal((await result(id, '?nextToken=x')).body.code, 100001);
    assert.equal((await grove.send('POST', `${QUERIES}/start`, { size: 0 })).body.code, 100001);
  });

  it('events of identity stores are removed after ninety days', async () => {
    await addEvents('old', [{ parentProcessDefnId: 'old' }]);
    const count = sql('SELECT count(*) AS total FROM identity_events WHERE tenant_id = $1 AND store_name = $2');
    const left = async () => (await db().get<{ total: number }>(count, ['acme', 'old']))?.total;
    const job = purgeHistoryJob({
      db: grove.app.db,
      everyTenantId: async function* () {
        yield asTenantId('acme');
      },
    });
    const run = () =>
      job.run(
        {},
        {
          jobId: 'x',
          attempt: 1,
          now: grove.clock.now(),
          signal: new AbortController().signal,
          tenant: db,
          outside: (_part, work) => work(),
        },
      );
    grove.clock.advance(EVENTS_KEPT_DAYS * 24 * HOUR - 1);
    await run();
    assert.equal(await left(), 1);
    grove.clock.advance(2);
    await run();
    assert.equal(await left(), 0);
  });
});
