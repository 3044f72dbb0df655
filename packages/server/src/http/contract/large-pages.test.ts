import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { DbError } from '../../db/db.ts';
import { pageTurns } from './serve-pages.ts';

const TOKENS = '/api/process-manager/processTokens';

onBothEngines('a page that is read in slices', (_engine, places) => {
  let app: TestApp;
  const COUNT = 130;
  before(async () => {
    app = await openTestApp(await places.create());
    const create = (path: string, body: object) => app.call(path, { method: 'POST', body: JSON.stringify(body) });
    const definitions = '/api/process-manager/processDefinitions';
    const steps = [
      { id: 'consent', type: 'consent' },
      { id: 'decide', type: 'decision' },
    ];
    const { body: definition } = await create(definitions, { name: 'onboarding', steps });
    await create(`${definitions}/${definition.id}/deploy`, {});
    for (let at = 0; at < COUNT; at += 1) {
      const parameters = { firstName: `Zoë ${at}` };
      const { status } = await create(TOKENS, {
        name: `token ${at % 10} ${at}`,
        processDefnName: 'onboarding',
        parameters,
      });
      assert.equal(status, 201);
    }
  });
  after(() => app.stop());

  it('a page that is read in slices lets another tenant in between, although forty such pages are requested at once', async () => {
    const [token, other] = [await app.token(), await app.token((await app.app.tenants.create({ id: 'other' })).apiKey)];
    const order: string[] = [];
    const ask = async (name: string, path: string, bearer: string) => {
      assert.equal((await app.call(path, { token: bearer })).status, 200);
      order.push(name);
    };
    const large = Array.from({ length: 40 }, () => ask('large', `${TOKENS}?size=1000`, token));
    await Promise.all([...large, ask('small', `${TOKENS}?size=10`, other)]);
    assert.ok(order.indexOf('small') < 30, `the other tenant came as number ${order.indexOf('small') + 1} of 41`);
  });

  it('a page that is read in slices does not wait for lists of a test key', async () => {
    const { apiKey } = await app.app.tenants.createApiKey('acme', { name: 'CI', environment: 'test' });
    const [live, test] = [await app.token(), await app.token(apiKey)];
    const order: string[] = [];
    const ask = async (name: string, token: string) => {
      assert.equal((await app.call('/api/process-manager/auditEvents?size=1000', { token })).status, 200);
      order.push(name);
    };
    await ask('live', live);
    const many = Array.from({ length: 40 }, () => ask('test', test));
    await Promise.all([...many, ask('live', live)]);
    assert.ok(order.lastIndexOf('live') < 40, `it came as number ${order.lastIndexOf('live')} of 41`);
  });

  it('a page that is read in slices has the rows, the order and the envelope of smaller pages', async () => {
    for (const sort of ['', '&sort=name,desc', '&sort=createdDtm,desc', '&sort=name&sort=id,desc']) {
      const { body: large } = await app.call(`${TOKENS}?size=1000${sort}`);
      const small: unknown[] = [];
      for (let page = 0; page * 25 < COUNT; page += 1) {
        small.push(...(await app.call(`${TOKENS}?size=25&page=${page}${sort}`)).body.content);
      }
      assert.equal(large.content.length, COUNT);
      assert.deepEqual(large.content, small, sort);
      assert.deepEqual([large.totalElements, large.totalPages, large.numberOfElements], [COUNT, 1, COUNT]);
      const { body: second } = await app.call(`${TOKENS}?size=60&page=1${sort}`);
      assert.deepEqual(second.content, small.slice(60, 120), sort);
    }
    const { body: events } = await app.call('/api/process-manager/auditEvents?size=1000');
    const ids = events.content.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, ids.toSorted().toReversed());
    const { body: oldest } = await app.call('/api/process-manager/auditEvents?size=60&page=1&sort=id,asc');
    assert.deepEqual(
      oldest.content.map(({ id }: { id: string }) => id),
      ids.toReversed().slice(60, 120),
    );
  });
});

describe('the queue of lists', () => {
  it('100010: the queue of lists holds fifty of the largest pages of a tenant', async () => {
    const inTurn = pageTurns('sqlite');
    const list = () => inTurn('acme', 1000, () => new Promise<void>(() => undefined));
    for (let at = 0; at < 51; at += 1) void list();
    assert.throws(list, { code: 100010 });
    void inTurn('other', 1000, () => undefined);
  });

  it('the queue of lists serves others between two lists of one tenant, and continues after a failure', async () => {
    const inTurn = pageTurns('sqlite');
    const order: string[] = [];
    const list = (name: string, fails = false) =>
      Promise.resolve(
        inTurn('acme', 40, async () => {
          order.push(name);
          if (fails) throw new DbError('busy', undefined);
        }),
      ).catch(() => order.push(`${name} failed`));
    const all = [list('first', true), list('second'), list('third')];
    setImmediate(() => order.push('another tenant'));
    await Promise.all(all);
    assert.deepEqual(order.slice(0, 3), ['first', 'first failed', 'another tenant']);
    assert.deepEqual(order.slice(3), ['second', 'third']);
  });

  it('the queue of lists does not hold up a second tenant, and begins several small lists together', async () => {
    const inTurn = pageTurns('sqlite');
    const beginnings: string[] = [];
    const forever = () => new Promise<void>(() => undefined);
    for (const [tenant, rows] of [
      ['a', 10],
      ['a', 10],
      ['a', 1000],
      ['b', 1000],
      ['b', 1],
    ] as const) {
      void inTurn(tenant, rows, () => {
        beginnings.push(`${tenant} ${rows}`);
        return forever();
      });
    }
    assert.deepEqual(beginnings, ['a 10', 'a 10', 'b 1000']);
  });
});
