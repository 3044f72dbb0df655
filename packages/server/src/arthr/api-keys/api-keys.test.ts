import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient, isGroveError } from 'grove-idv-sdk';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { refuses } from '../../../test/refuses.ts';
import { sql } from '../../db/db.ts';
import { HOUR, MINUTE, toDtm } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';

const OLD_PERMISSIONS = sql('UPDATE api_keys SET permissions = $3 WHERE tenant_id = $1 AND id = $2');

onBothEngines('API keys', (_engine, places) => {
  let grove: TestApp;
  before(async () => {
    grove = await openTestApp(await places.create());
  });
  after(() => grove.stop());

  let count = 0;
  const create = (more: object = {}) => {
    count += 1;
    return grove.client.apiKeys.create({ body: { name: `key ${count}`, ...more } });
  };
  const clientOf = (code: string) => createClient({ baseUrl: grove.baseUrl, apiKey: code, maxRetries: 0 });

  describe('create', () => {
    it('the creation of an API key needs only a name, and answers 201 with every field of the key', async () => {
      const answer = await grove.call('/api/arthr/apiKeys', { method: 'POST', body: '{"name":"only a name"}' });
      assert.equal(answer.status, 201);
      const { id, code, createdDtm, lastUpdatedDtm, ...rest } = answer.body;
      assert.match(id, /^[0-9A-Z]{26}$/);
      assert.match(code, new RegExp(`^grv_live_${id}_[A-Za-z0-9_-]{43}$`));
      assert.equal(createdDtm, toDtm(grove.clock.now()));
      assert.equal(lastUpdatedDtm, createdDtm);
      assert.deepEqual(rest, {
        environment: 'live',
        type: 'PERMANENT',
        name: 'only a name',
        status: 'ACTIVE',
        permissions: [],
        permittedOperations: [],
        createdBy: 'API Key: First key',
        lastUpdatedBy: 'API Key: First key',
      });
    });

    it('the creation of an API key ignores fields that the caller cannot set, and treats a null id as missing', async () => {
      const body = {
        name: 'mass assignment',
        id: null,
        tenantId: 'acme',
        code: 'x',
        createdBy: 'me',
        lastIssuedAtDtm: 'x',
      };
      const answer = await grove.call('/api/arthr/apiKeys', { method: 'POST', body: JSON.stringify(body) });
      assert.equal(answer.status, 201);
      assert.equal(answer.body.createdBy, 'API Key: First key');
      assert.match(answer.body.code, /^grv_live_/);
      assert.equal(answer.body.lastIssuedAtDtm, undefined);
    });

    it('the creation of an API key shows the secret once; get, list and update mask it', async () => {
      const key = await create();
      assert.ok(key.id);
      const masked = `grv_live_${key.id}_...`;
      const secret = key.code.slice(-43);
      const read = await grove.client.apiKeys.get({ apiKeyId: key.id });
      const updated = await grove.client.apiKeys.update({ apiKeyId: key.id, body: { description: 'x' } });
      const listed = await grove.client.apiKeys.list({ query: { name: key.name } });
      assert.deepEqual([read.code, updated.code, listed.content[0]?.code], [masked, masked, masked]);
      assert.ok(!JSON.stringify([read, updated, listed]).includes(secret));
    });

    it('the list of API keys can be limited to active ones that expire within a number of days', async () => {
      const endsIn = (ms: number) => create({ expiringDtm: toDtm(grove.clock.now() + ms) });
      const [first, soon, later] = [await endsIn(MINUTE), await endsIn(72 * HOUR), await endsIn(720 * HOUR)];
      const blocked = await endsIn(96 * HOUR);
      await grove.client.apiKeys.update({ apiKeyId: blocked.id ?? '', body: { status: 'BLOCKED' } });
      const within = async (expiringWithinDays: number) => {
        const query = { expiringWithinDays, sort: ['expiringDtm'], size: 100 };
        const { content, totalElements } = await grove.client.apiKeys.list({ query });
        assert.equal(totalElements, content.length);
        return content.map(({ id }) => id);
      };
      assert.deepEqual(await within(14), [first.id, soon.id]);
      assert.deepEqual(await within(31), [first.id, soon.id, later.id]);
      grove.clock.advance(MINUTE);
      assert.deepEqual(await within(14), [soon.id], 'one that has expired needs nobody any more');
    });

    it('the creation of an API key stores no secret: neither the database row nor the log holds it', async () => {
      const key = await create();
      const rows = await grove.app.db.of(grove.tenantId as never).all({ text: 'SELECT * FROM api_keys' }, []);
      const secret = key.code.slice(-43);
      assert.ok(rows.length > 0);
      for (const row of rows)
        for (const value of Object.values(row as object)) assert.ok(!String(value).includes(secret));
      assert.ok(!grove.logged().includes(secret));
    });

    it('a SESSION key must have an expiry that lies in the future and at most 24 hours ahead', async () => {
      await assert.rejects(create({ type: 'SESSION' }), refuses(100001, 400));
      const now = grove.clock.now();
      await assert.rejects(create({ type: 'SESSION', expiringDtm: toDtm(now + 24 * HOUR + 1) }), refuses(100001, 400));
      await assert.rejects(create({ type: 'SESSION', expiringDtm: toDtm(now) }), refuses(100001, 400));
      const key = await create({ type: 'SESSION', expiringDtm: toDtm(now + 24 * HOUR) });
      assert.equal(key.expiringDtm, toDtm(now + 24 * HOUR));
    });

    it('the creation of an API key accepts a date-time with any offset, and refuses one that does not exist', async () => {
      const key = await create({ expiringDtm: '2099-01-01T01:00:00+02:00' });
      assert.equal(key.expiringDtm, '2098-12-31T23:00:00.000Z');
      for (const expiringDtm of [
        '2099-02-30T00:00:00Z',
        '2098-12-31T23:59:60Z',
        'tomorrow',
        '2099-01-01',
        4102444800000,
      ]) {
        await assert.rejects(create({ expiringDtm }), refuses(100001, 400));
      }
    });

    it('the creation of an API key refuses with 264 a permission of an unrecognized type, naming its place', async () => {
      const body = { permissions: ['TNT#acme#ArthrServer:getFromTenant', 'SYS#acme#ArthrServer:getFromTenant'] };
      await assert.rejects(create(body), (error: unknown) => {
        refuses(264, 400)(error);
        assert.equal(isGroveError(error) && error.errors?.[0]?.pointer, '/permissions/1');
        return true;
      });
    });

    it('the creation of an API key refuses permissions of another tenant, and text that is not a permission', async () => {
      for (const permission of [
        'TNT#other#ArthrServer:getFromTenant',
        'TNT#acme#',
        'TNT#acme#a b',
        'TNT#acme#*x',
        'TNT#acme',
      ]) {
        await assert.rejects(create({ permissions: [permission] }), refuses(100001, 400), permission);
      }
      const many = Array.from(
        { length: 150 },
        (_, at) => `TNT#acme#Component${'A'.repeat(40)}:operation${'b'.repeat(at % 50)}`,
      );
      await assert.rejects(create({ permissions: many }), refuses(100001, 400));
    });

    it('the creation of an API key refuses with 100015 a permission that the caller does not hold, wildcards included', async () => {
      const maker = await create({
        permissions: ['TNT#acme#ArthrServer:createTenantApiKey', 'TNT#acme#ProcessManager*'],
      });
      const client = clientOf(maker.code);
      const grant = (...permissions: string[]) =>
        client.apiKeys.create({ body: { name: `by maker ${permissions}`, permissions } });
      await grant(
        'TNT#acme#ProcessManager:addProcessToken',
        'TNT#acme#ProcessManager:get*',
        'TNT#acme#ArthrServer:createTenantApiKey',
      );
      for (const permission of [
        'TNT#acme#*',
        'TNT#acme#Process*',
        'TNT#acme#ArthrServer*',
        'TNT#acme#ArthrServer:getFromTenant',
      ]) {
        await assert.rejects(grant(permission), refuses(100015, 403), permission);
      }
    });

    it('the creation of an API key refuses with 100014 the name of another key, also when two are created at once; an archived key frees its name', async () => {
      const key = await create({ name: 'taken' });
      await assert.rejects(create({ name: 'taken' }), refuses(100014, 409));
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => create({ name: 'raced' })));
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.ok(key.id);
      await grove.client.apiKeys.update({ apiKeyId: key.id, body: { status: 'ARCHIVED' } });
      await create({ name: 'taken' });
      await assert.rejects(
        grove.client.apiKeys.update({ apiKeyId: key.id, body: { status: 'ACTIVE' } }),
        refuses(100014, 409),
      );
    });

    it('the name of an API key may have 255 characters but not 256, and characters are counted, not bytes', async () => {
      const key = await create({ name: '😀'.repeat(255), description: 'é'.repeat(255) });
      assert.equal([...key.name].length, 255);
      for (const body of [
        { name: 'x'.repeat(256) },
        { name: '' },
        { description: 'x'.repeat(256) },
        { name: 7 },
        { name: null },
      ]) {
        await assert.rejects(create(body), refuses(100001, 400));
      }
    });

    it('the creation of an API key refuses a name with characters that are invisible or change the text direction, and names the reason', async () => {
      const key = await create({ name: 'Payroll' });
      for (const name of ['Payroll\u200b', '\u202ePayroll', 'Pay\nroll', 'Pay\u001b[2Jroll']) {
        await assert.rejects(create({ name }), refuses(100001, 400), JSON.stringify(name));
        const answer = await grove.call(`/api/arthr/apiKeys/${key.id}`, {
          method: 'POST',
          body: JSON.stringify({ name }),
        });
        assert.equal(answer.status, 400);
        assert.match(answer.body.errors[0].message, /^must not hold control characters, invisible characters/);
      }
      assert.equal(
        (await create({ name: '👩\u200d💻 Persian: می\u200cخواهم' })).name,
        '👩\u200d💻 Persian: می\u200cخواهم',
      );
    });

    it('an API key of a test caller does not use up its name for live callers', async () => {
      const client = clientOf((await create({ environment: 'test', permissions: ['TNT#acme#*'] })).code);
      const body = { name: 'wanted by live' };
      const first = await client.apiKeys.create({ body });
      await assert.rejects(client.apiKeys.create({ body }), refuses(100014, 409));
      const live = await create(body);
      assert.deepEqual([first.environment, live.environment, live.name], ['test', 'live', body.name]);
    });

    it('a test key creates and sees only test keys; for it, live keys do not exist', async () => {
      const tester = await create({ environment: 'test', permissions: ['TNT#acme#*'] });
      assert.match(tester.code, /^grv_test_/);
      const client = clientOf(tester.code);
      const child = await client.apiKeys.create({ body: { name: 'child of a test key' } });
      assert.match(child.code, /^grv_test_/);
      const live = await create();
      assert.ok(live.id);
      await assert.rejects(
        client.apiKeys.create({ body: { name: 'live child', environment: 'live' } }),
        refuses(100001),
      );
      const apiKeyId = live.id;
      await assert.rejects(client.apiKeys.get({ apiKeyId }), refuses(130, 404));
      await assert.rejects(client.apiKeys.update({ apiKeyId, body: { status: 'BLOCKED' } }), refuses(130, 404));
      await assert.rejects(client.apiKeys.delete({ apiKeyId }), refuses(130, 404));
      const listed = await client.apiKeys.list({ query: { size: 100 } });
      assert.deepEqual(new Set(listed.content.map(({ environment }) => environment)), new Set(['test']));
      assert.equal(listed.totalElements, listed.content.length);
      assert.equal((await client.apiKeys.list({ query: { name: live.name } })).totalElements, 0);
      assert.equal((await grove.client.apiKeys.list({ query: { name: child.name } })).totalElements, 1);
    });
  });

  describe('get, update, delete', () => {
    it('get, update and delete answer 404 with 130 for an API key that does not exist, and the same for a key of another tenant', async () => {
      const other = await grove.app.tenants.create({ id: `other-${Date.now()}` });
      const foreign = other.apiKey.split('_')[2] as string;
      const missing = '01M7EK55GPPBVSG5TAX910HKS7';
      const bodies = [];
      for (const id of [foreign, missing]) {
        for (const init of [{}, { method: 'POST', body: '{"status":"BLOCKED"}' }, { method: 'DELETE' }]) {
          const { status, body } = await grove.call(`/api/arthr/apiKeys/${id}`, init);
          assert.deepEqual([status, body.code], [404, 130]);
          bodies.push(JSON.stringify({ ...body, requestId: '' }));
        }
      }
      assert.equal(new Set(bodies).size, 1);
      // The key has not changed.
      await grove.token(other.apiKey);
    });

    it('an update of an API key changes only the fields in the request, and records who made it and when', async () => {
      const key = await create({
        description: 'before',
        permissions: ['TNT#acme#ArthrServer*'],
        expiringDtm: '2099-01-01T00:00:00Z',
      });
      assert.ok(key.id);
      grove.clock.advance(MINUTE);
      const updated = await grove.client.apiKeys.update({ apiKeyId: key.id, body: { description: 'after' } });
      assert.deepEqual(updated, {
        ...key,
        code: updated.code,
        description: 'after',
        lastUpdatedDtm: toDtm(grove.clock.now()),
        lastUpdatedBy: 'API Key: First key',
      });
      const cleared = await grove.client.apiKeys.update({ apiKeyId: key.id, body: { expiringDtm: null } });
      assert.equal(cleared.expiringDtm, undefined);
      assert.deepEqual(await grove.client.apiKeys.get({ apiKeyId: key.id }), cleared);
    });

    it('an update of an API key checks all its permissions: a caller can only block a key that it could not grant', async () => {
      const powerful = await create({ permissions: ['TNT#acme#*'], status: 'BLOCKED' });
      const clerk = await create({ permissions: ['TNT#acme#ArthrServer:updateTenantApiKey'] });
      const client = clientOf(clerk.code);
      assert.ok(powerful.id);
      const change = (body: object) => client.apiKeys.update({ apiKeyId: powerful.id as string, body });
      await assert.rejects(change({ status: 'ACTIVE' }), refuses(100015, 403));
      await grove.client.apiKeys.update({ apiKeyId: powerful.id, body: { status: 'ACTIVE' } });
      await assert.rejects(change({ description: 'renamed by a clerk' }), refuses(100015, 403));
      // In an emergency, any caller that may update keys may block this one.
      assert.equal((await change({ status: 'BLOCKED' })).status, 'BLOCKED');
    });

    it('100015: a caller that lacks a permission of an API key can block that key, but not change, archive or delete it', async () => {
      const powerful = await create({ permissions: ['TNT#acme#*'], description: 'of the back end' });
      const clerk = await create({ permissions: ['TNT#acme#ArthrServer:*'] });
      const client = clientOf(clerk.code);
      const apiKeyId = powerful.id as string;
      const change = (body: object) => client.apiKeys.update({ apiKeyId, body });
      const others = [
        { permissions: [] },
        { status: 'ARCHIVED' },
        { status: 'BLOCKED', name: 'renamed by a clerk' },
        { status: 'BLOCKED', permissions: ['TNT#acme#ArthrServer:*'] },
        { status: 'BLOCKED', description: 'x' },
        { status: 'BLOCKED', expiringDtm: toDtm(grove.clock.now() + HOUR) },
        { status: 'BLOCKED', type: 'SESSION', expiringDtm: toDtm(grove.clock.now() + HOUR) },
      ];
      for (const body of others) await assert.rejects(change(body), refuses(100015, 403), JSON.stringify(body));
      await assert.rejects(client.apiKeys.delete({ apiKeyId }), refuses(100015, 403));
      assert.equal((await grove.client.apiKeys.get({ apiKeyId })).status, 'ACTIVE');
      // A caller may send back what it has read.
      assert.equal((await change({ status: 'BLOCKED', name: powerful.name })).status, 'BLOCKED');
      await assert.rejects(client.apiKeys.delete({ apiKeyId }), refuses(100015, 403));
      const small = await create({ permissions: ['TNT#acme#ArthrServer:getFromTenant'] });
      await client.apiKeys.update({ apiKeyId: small.id as string, body: { status: 'ARCHIVED' } });
      await client.apiKeys.delete({ apiKeyId: small.id as string });
    });

    it('an API key cannot become a SESSION key that never expires', async () => {
      const key = await create();
      const apiKeyId = key.id as string;
      await assert.rejects(grove.client.apiKeys.update({ apiKeyId, body: { type: 'SESSION' } }), refuses(100001));
      const expiringDtm = toDtm(grove.clock.now() + HOUR);
      await grove.client.apiKeys.update({ apiKeyId, body: { type: 'SESSION', expiringDtm } });
      await assert.rejects(grove.client.apiKeys.update({ apiKeyId, body: { expiringDtm: null } }), refuses(100001));
    });

    it('the deletion of an API key answers 204 without a body, and the key stays deleted', async () => {
      const key = await create();
      const path = `/api/arthr/apiKeys/${key.id}`;
      const answer = await grove.call(path, { method: 'DELETE' });
      assert.deepEqual([answer.status, answer.text], [204, '']);
      assert.equal((await grove.call(path)).status, 404);
      assert.equal((await grove.call(path, { method: 'DELETE' })).status, 404);
      await assert.rejects(clientOf(key.code).apiKeys.list(), refuses(271, 401));
    });

    it('20 updates of an API key at once leave one of the states that were sent, and 20 deletions leave the right count', async () => {
      const key = await create();
      const names = Array.from({ length: 20 }, (_, at) => `parallel ${at}`);
      await Promise.all(
        names.map((name) => grove.client.apiKeys.update({ apiKeyId: key.id as string, body: { name } })),
      );
      assert.ok(names.includes((await grove.client.apiKeys.get({ apiKeyId: key.id as string })).name));
      const before = (await grove.client.apiKeys.list()).totalElements;
      const deletes = Array.from({ length: 20 }, () => grove.client.apiKeys.delete({ apiKeyId: key.id as string }));
      const results = await Promise.allSettled(deletes);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal((await grove.client.apiKeys.list()).totalElements, before - 1);
    });
  });

  describe('permissions', () => {
    it('every operation on API keys refuses with 7 a caller that lacks its permission, and names the permission', async () => {
      const key = await create({ permissions: ['TNT#acme#ProcessManager*'] });
      const token = await grove.token(key.code);
      const id = key.id as string;
      for (const [path, init, permission] of [
        ['', {}, 'listTenantApiKeys'],
        ['', { method: 'POST', body: '{"name":"n"}' }, 'createTenantApiKey'],
        [`/${id}`, {}, 'getFromTenant'],
        [`/${id}`, { method: 'POST', body: '{}' }, 'updateTenantApiKey'],
        [`/${id}`, { method: 'DELETE' }, 'deleteFromTenant'],
      ] as const) {
        const { status, body } = await grove.call(`/api/arthr/apiKeys${path}`, { ...init, token });
        assert.deepEqual([status, body.code], [403, 7]);
        assert.ok(body.message.includes(`TNT#acme#ArthrServer:${permission}`));
      }
    });

    it('a token loses a permission as soon as its API key loses it, and does not gain what the key gains later', async () => {
      const key = await create({ permissions: ['TNT#acme#ArthrServer:getFromTenant'] });
      const token = await grove.token(key.code);
      const path = `/api/arthr/apiKeys/${key.id}`;
      const change = (permissions: string[]) =>
        grove.client.apiKeys.update({ apiKeyId: key.id as string, body: { permissions } });
      assert.equal((await grove.call(path, { token })).status, 200);
      await change(['TNT#acme#ArthrServer:listTenantApiKeys']);
      assert.equal((await grove.call(path, { token })).status, 403);
      assert.equal((await grove.call('/api/arthr/apiKeys', { token })).status, 403);
      assert.equal((await grove.call('/api/arthr/apiKeys', { token: await grove.token(key.code) })).status, 200);
    });

    it('permissions that allow nothing are refused with 100001 when an API key is created or updated, with a suggestion', async () => {
      const refusal = async (permission: string) => {
        const body = JSON.stringify({ name: 'misspelt', permissions: ['TNT#acme#*', permission] });
        const answer = await grove.call('/api/arthr/apiKeys', { method: 'POST', body });
        assert.deepEqual([answer.status, answer.body.code], [400, 100001], permission);
        return answer.body.errors[0];
      };
      assert.deepEqual(await refusal('TNT#acme#ProcesManager:*'), {
        pointer: '/permissions/1',
        message: 'opens nothing; did you mean TNT#acme#ProcessManager:*?',
      });
      assert.match(
        (await refusal('TNT#acme#ProcessManager:getProcesInstance')).message,
        /did you mean TNT#acme#ProcessManager:getProcessInstance\?/,
      );
      assert.equal((await refusal('TNT#acme#Nonsense*')).message, 'opens nothing');
      assert.equal((await refusal('TNT#acme#ProcessManager:xyz*')).message, 'opens nothing');
      // A permission that ends like another does not begin like it.
      assert.match((await refusal('TNT#acme#Manager:*')).message, /^opens nothing/);
      for (const permission of [
        'TNT#acme#Process*',
        'TNT#acme#ProcessManager:*',
        'TNT#acme#ProcessManager:useCloudSecret',
      ]) {
        await create({ permissions: [permission] });
      }
      // A permission that an earlier release stored may be sent back, but no such permission may be added.
      const key = await create({ permissions: ['TNT#acme#ProcessManager*'] });
      const old = ['TNT#acme#Gone:operation'];
      await grove.app.db
        .of(asTenantId('acme'))
        .write((tx) => tx.run(OLD_PERMISSIONS, ['acme', key.id as string, JSON.stringify(old)]));
      const change = (permissions: string[]) =>
        grove.call(`/api/arthr/apiKeys/${key.id}`, { method: 'POST', body: JSON.stringify({ permissions }) });
      assert.equal((await change([...old, 'TNT#acme#ProcessManager*'])).status, 200);
      assert.equal((await change([...old, 'TNT#acme#Gone:other'])).body.code, 100001);
    });

    it('permittedOperations of an API key lists the operations that its permissions allow', async () => {
      const key = await create({ permissions: ['TNT#acme#ArthrServer:get*', 'TNT#acme#UserDataServer*'] });
      assert.deepEqual(key.permittedOperations, [
        'ArthrServer:getFromTenant',
        'UserDataServer:getProcessInstanceUserData',
        'UserDataServer:signResult',
      ]);
    });
  });
});
