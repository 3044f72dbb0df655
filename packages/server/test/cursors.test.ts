import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { asTenantId, newId } from '../src/kernel/ids.ts';
import { onBothEngines, openTestApp, type TestApp } from './harness.ts';
import { addTestDefinition, addTestToken } from './processes.ts';

/** Lists that are read to their end by `after` and `next`. */
const COUNT = 31;

type IdOf = (item: Record<string, string>) => string | undefined;
const byId: IdOf = ({ id }) => id;

onBothEngines('a list that is read by `after`', (_engine, places) => {
  let app: TestApp;
  const lists: Record<string, { path: string; idOf?: IdOf }> = {
    instances: { path: '/api/process-manager/processInstances?', idOf: (item) => item.processInstanceId },
    'instances of a name': {
      path: '/api/process-manager/processInstances?processDefinitionName=walk%25&',
      idOf: (item) => item.processInstanceId,
    },
    search: {
      path: '/api/process-manager/processInstances/search?searchString=lovelace&',
      idOf: (item) => item.processInstanceId,
    },
    tokens: { path: '/api/process-manager/processTokens?' },
    audit: { path: '/api/process-manager/auditEvents?' },
    users: { path: '/api/identity-store/stores/people/users?' },
    'users of a name': { path: '/api/identity-store/stores/people/users?extId=%25r%25&' },
  };

  const create = async (path: string, body: object) => {
    const answer = await app.call(path, { method: 'POST', body: JSON.stringify(body) });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };

  before(async () => {
    app = await openTestApp(await places.create());
    const db = app.app.db.of(asTenantId('acme'));
    const definition = await addTestDefinition(db, { name: 'walked' });
    const other = await addTestDefinition(db, { name: 'walks' });
    await create('/api/identity-store/stores', { name: 'people' });
    const parameters = '{"lastName":"Lovelace"}';
    const tokenIds = [
      (await addTestToken(db, definition, { parameters })).id,
      (await addTestToken(db, other, { parameters })).id,
    ];
    for (let number = 0; number < COUNT; number++) {
      const path = `/api/process-manager/processInstances/create?pt=${tokenIds[number % 2]}`;
      const { processInstanceId } = await create(path, {});
      // This request adds an audit event.
      await app.call(`/api/process-manager/processInstances/${processInstanceId}/withParameters`);
      await create('/api/process-manager/processTokens', { name: `token ${number}`, processDefnName: 'walked' });
      await create('/api/identity-store/stores/people/users', { extId: `user ${number}` });
    }
    lists.deliveries = { path: await deliveries() };
  });
  after(() => app.stop());

  const deliveries = async () => {
    const webhook = await create('/api/notification-service/webhooks', {
      name: 'hook',
      uri: 'https://hooks.example.com/',
      events: ['instance.deleted'],
    });
    for (let number = 0; number < COUNT; number++) {
      await app.call(`/api/notification-service/webhooks/${webhook.id}/test`, { method: 'POST', body: '{}' });
    }
    return `/api/notification-service/webhooks/${webhook.id}/deliveries?`;
  };

  const walk = async (name: string, query: string, from = '') => {
    const { path, idOf = byId } = lists[name] ?? { path: '' };
    const ids: (string | undefined)[] = [];
    for (let place = from; ; ) {
      const { status, body, text } = await app.call(`${path}${query}${place}`);
      assert.equal(status, 200, text);
      ids.push(...body.content.map(idOf));
      if (body.next === undefined) return ids;
      assert.equal(body.last, false);
      place = `&after=${body.next}`;
    }
  };

  it('a list that is read by `after` shows every item once, in the order of its pages, in both directions and in small and large pages', async () => {
    for (const [name, { path, idOf = byId }] of Object.entries(lists)) {
      for (const sort of ['', '&sort=id,asc', '&sort=id,desc']) {
        const { body } = await app.call(`${path}size=1000${sort}`);
        const all = body.content.map(idOf);
        assert.ok(all.length >= COUNT, `${name}: ${all.length}`);
        assert.equal(body.next, undefined, name);
        for (const size of [7, 30]) assert.deepEqual(await walk(name, `size=${size}${sort}`), all, `${name} ${sort}`);
      }
    }
  });

  it('a list that is read by `after` skips no item when items already shown are deleted meanwhile', async () => {
    const path = '/api/process-manager/processTokens';
    const first = (await app.call(`${path}?size=10`)).body;
    for (const { id } of first.content.slice(0, 10)) await app.call(`${path}/${id}`, { method: 'DELETE' });
    const rest = (await app.call(`${path}?size=1000`)).body.content.map(({ id }: { id: string }) => id);
    assert.deepEqual(await walk('tokens', 'size=10', `&after=${first.next}`), rest);
  });

  it('a list that is read by `after` refuses with 100001 a cursor together with a page or another order, and an invalid cursor', async () => {
    const place = newId(app.clock.now());
    for (const [query, pointer] of [
      [`after=${place}&page=1`, '/query/after'],
      [`after=${place}&sort=status,asc`, '/query/after'],
      ['after=1', '/query/after'],
      [`after=${place}0`, '/query/after'],
      [`after=${place.toLowerCase()}`, '/query/after'],
    ]) {
      const { status, body } = await app.call(`/api/process-manager/processInstances?${query}`);
      assert.deepEqual([status, body.code, body.errors?.[0]?.pointer], [400, 100001, pointer], query);
    }
    assert.equal((await app.call(`/api/arthr/apiKeys?after=${place}`)).body.code, 100001);
  });

  it('a list that is read by `after` refuses with 100001 a page that begins after the first 100,000 items, and suggests `after`', async () => {
    for (const path of ['/api/process-manager/processInstances', '/api/arthr/apiKeys']) {
      assert.equal((await app.call(`${path}?size=10&page=9999`)).status, 200);
      const { status, body } = await app.call(`${path}?size=10&page=10000`);
      assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100001, '/query/page']);
      assert.match(body.message, /`after`/);
    }
  });

  it('a list that is read by `after` shows nothing of another tenant, whatever the cursor', async () => {
    const { apiKey } = await app.app.tenants.create({ id: `other-${Date.now()}` });
    const token = await app.token(apiKey);
    for (const place of [newId(0), newId(app.clock.now() + 1e9)]) {
      for (const sort of ['id,asc', 'id,desc']) {
        const { body } = await app.call(`/api/process-manager/processInstances?after=${place}&sort=${sort}`, { token });
        assert.deepEqual([body.content, body.next], [[], undefined]);
      }
    }
  });
});
