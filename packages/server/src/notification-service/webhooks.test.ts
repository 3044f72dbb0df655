import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { onBothEngines } from '../../test/harness.ts';
import { openTestHttp, type TestHttp } from '../../test/http.ts';
import { openTestNotifications, status, type TestNotifications } from '../../test/webhooks.ts';
import { unprepared } from '../db/db.ts';
import { HOUR } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';
import { permissionSet } from '../kernel/permissions.ts';
import { purgeDeliveries } from './purge-deliveries.ts';

const BASE = '/api/notification-service/webhooks';
const URI = 'https://hooks.example.com/grove';
const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const DAY = 24 * HOUR;

onBothEngines('webhooks', (_engine, places) => {
  let grove: TestNotifications;
  let http: TestHttp;
  before(async () => {
    grove = await openTestNotifications(await places.create());
    http = await openTestHttp({
      genuine: true,
      handlers: { webhooks: grove.handlers.webhooks, cloudSecrets: grove.secrets },
      db: grove.db,
      clock: grove.clock,
    });
  });
  after(async () => {
    await http.stop();
    await grove.close();
  });
  const call = (method: string, path: string, body?: unknown) =>
    http.call(`${BASE}${path}`, {
      method,
      headers: { Authorization: 'Bearer everything' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const create = async (name: string, more: object = {}) => {
    const answer = await call('POST', '', { name, uri: URI, ...more });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };

  it('webhooks are created with a secret that is shown once, read, listed, changed and deleted', async () => {
    const settings = {
      description: 'the CRM',
      headers: { 'X-Team': 'blue' },
      sensitiveHeaders: { Authorization: 'Bearer hunter2' },
      bodyTemplate: '{"id":"{processInstanceId}"}',
      events: ['instance.review', 'instance.completed', 'instance.review'],
      retryIntervalsMs: [1000, 2000],
    };
    const { secret, ...view } = await create('crm', settings);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(
      { ...view, id: '', createdDtm: '', lastUpdatedDtm: '' },
      {
        ...settings,
        id: '',
        createdDtm: '',
        lastUpdatedDtm: '',
        tenantId: 'acme',
        environment: 'live',
        version: 1,
        status: 'ACTIVE',
        name: 'crm',
        uri: URI,
        method: 'POST',
        sensitiveHeaders: ['Authorization'],
        events: ['instance.completed', 'instance.review'],
        createdBy: 'API Key: Key',
        lastUpdatedBy: 'API Key: Key',
      },
    );
    assert.deepEqual((await call('GET', `/${view.id}`)).body, view);
    const list = await call('GET', '?name=CR%25&sort=name,desc');
    assert.deepEqual([list.body.totalElements, list.body.content], [1, [view]]);
    assert.doesNotMatch(list.text, /hunter2|whsec/);

    const change = { status: 'DISABLED', bodyTemplate: null, events: ['instance.created', '*'], sensitiveHeaders: {} };
    const { body: changed } = await call('POST', `/${view.id}`, change);
    const { bodyTemplate: _, ...rest } = view;
    const expected = { ...rest, version: 2, status: 'DISABLED', events: ['*'], sensitiveHeaders: [] };
    assert.deepEqual({ ...changed, lastUpdatedDtm: '' }, { ...expected, lastUpdatedDtm: '' });

    assert.equal((await call('DELETE', `/${view.id}`)).status, 204);
    assert.equal((await call('GET', `/${view.id}`)).status, 404);
  });

  it('100351: webhooks cannot be changed by a caller who has read an older version', async () => {
    const { id, lastUpdatedDtm } = await create('read by two');
    const update = (description: string) =>
      call('POST', `/${id}?ifLastUpdatedDtm=${encodeURIComponent(lastUpdatedDtm)}`, { description });
    grove.clock.advance(1000);
    assert.equal((await update('first')).status, 200);
    const stale = await update('second');
    assert.deepEqual([stale.status, stale.body.code], [409, 100351]);
    assert.equal((await call('GET', `/${id}`)).body.description, 'first');
  });

  it('webhooks have unique names in their environment: 100014 for a second one', async () => {
    const { id } = await create('first');
    await create('second');
    const again = await call('POST', '', { name: 'first', uri: URI });
    assert.deepEqual([again.status, again.body.code, again.body.errors[0].pointer], [409, 100014, '/name']);
    const renamed = await call('POST', `/${id}`, { name: 'second' });
    assert.deepEqual([renamed.status, renamed.body.code], [409, 100014]);
    const test = grove.contextOf({ environment: 'test' });
    const inTest = await grove.webhook(URI, { name: 'first' }, test);
    assert.ok(inTest.id);
  });

  it('webhooks are refused with 100071 if their address is internal, contains a user or is not https', async () => {
    const { id } = await create('well placed');
    for (const uri of [
      'http://example.com/',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://[::1]/',
      'https://[::ffff:169.254.169.254]/',
      'https://[::7f00:1]/',
      'https://user@example.com/',
      'ftp://example.com',
      'https://localhost/',
      'https://example.com:22/',
      'https://example.com:6379/',
      'nonsense',
    ]) {
      for (const answer of [await call('POST', '', { name: uri, uri }), await call('POST', `/${id}`, { uri })]) {
        assert.deepEqual([answer.status, answer.body.code, answer.body.errors[0].pointer], [400, 100071, '/uri'], uri);
      }
    }
  });

  it('webhooks are refused with 100001 for headers that would break the request and for bodies that are not JSON', async () => {
    for (const [more, pointer] of [
      [{ headers: { Host: 'x' } }, '/headers/Host'],
      [{ headers: { 'content-length': '1' } }, '/headers/content-length'],
      [{ headers: { 'Transfer-Encoding': 'chunked' } }, '/headers/Transfer-Encoding'],
      [{ headers: { connection: 'close' } }, '/headers/connection'],
      [{ headers: { 'Webhook-Signature': 'v1,x' } }, '/headers/Webhook-Signature'],
      [{ headers: { 'bad/name~': 'x' } }, '/headers/bad~1name~0'],
      [{ headers: { 'X-A': 'a\r\nX-B: b' } }, '/headers/X-A'],
      [{ headers: { 'X-A': 'a', 'x-a': 'b' } }, '/headers/x-a'],
      [{ sensitiveHeaders: { 'webhook-id': 'x' } }, '/sensitiveHeaders/webhook-id'],
      [{ sensitiveHeaders: { 'X-A': 'a\nb' } }, '/sensitiveHeaders/X-A'],
      [{ headers: { 'X-A': 'a' }, sensitiveHeaders: { 'x-a': 'b' } }, '/sensitiveHeaders/x-a'],
      [{ bodyTemplate: '{"a":{type}}' }, '/bodyTemplate'],
      [{ bodyTemplate: '{}', method: 'GET' }, '/bodyTemplate'],
      [{ name: ' ' }, '/name'],
      [{ events: ['instance.exploded'] }, '/events/0'],
      [{ retryIntervalsMs: [-1] }, '/retryIntervalsMs/0'],
    ] as const) {
      const answer = await call('POST', '', { name: 'bad', uri: URI, ...more });
      assert.deepEqual([answer.status, answer.body.code], [400, 100001], answer.text);
      assert.equal(answer.body.errors[0].pointer, pointer);
    }
  });

  it('webhooks that do not exist, or belong to another tenant or the other environment, get the same answer 100070', async () => {
    const { id } = await create('mine');
    const strangers = [grove.contextOf({ tenantId: asTenantId('other') }), grove.contextOf({ environment: 'test' })];
    const {
      get,
      update,
      delete: remove,
      rotateSecret,
      test,
      listDeliveries,
      replay,
      recover,
    } = grove.handlers.webhooks;
    const params = { webhookId: id, deliveryId: NOBODY };
    for (const context of strangers) {
      const input = { params, query: {}, body: {} } as never;
      for (const handle of [get, update, remove, rotateSecret, test, listDeliveries, replay, recover]) {
        await assert.rejects(async () => handle(context, input), { code: 100070 });
      }
      const { list } = grove.handlers.webhooks;
      const page = (await list(context, { params: {}, query: { size: 1000 } } as never)) as {
        content: { id: string }[];
      };
      assert.ok(page.content.every((each) => each.id !== id));
    }
    for (const [method, path, body] of [
      ['GET', `/${NOBODY}`],
      ['POST', `/${NOBODY}`, {}],
      ['DELETE', `/${NOBODY}`],
      ['POST', `/${NOBODY}/rotateSecret`, {}],
      ['POST', `/${NOBODY}/test`, {}],
      ['GET', `/${NOBODY}/deliveries`],
      ['POST', `/${NOBODY}/deliveries/${NOBODY}/replay`, {}],
      ['POST', `/${NOBODY}/recover`, { sinceDtm: '2026-01-01T00:00:00Z' }],
    ] as const) {
      const answer = await call(method, path, body);
      assert.deepEqual([answer.status, answer.body.code], [404, 100070], path);
    }
  });

  it('webhooks rotate their secret: for a day deliveries verify with either secret, then only with the new one', async () => {
    const receiver = await grove.receiver();
    const { id, secret } = await create('rotating', { uri: receiver.uri });
    const { body: rotated } = await call('POST', `/${id}/rotateSecret`, {});
    assert.notEqual(rotated.secret, secret);
    const send = async () => {
      await call('POST', `/${id}/test`, {});
      await grove.deliverDue();
      return receiver.received.at(-1) ?? assert.fail();
    };
    const during = await send();
    assert.equal(during.headers['webhook-signature']?.split(' ').length, 2);
    for (const each of [secret, rotated.secret]) new Webhook(each).verify(during.body, during.headers);
    const start = grove.clock.now();
    grove.clock.advance(DAY);
    await purgeDeliveries(grove.db.of(grove.tenantId), grove.clock.now());
    const later = await send();
    // The public package uses the clock of this machine, which is a day behind that of the test.
    grove.clock.set(start);
    const signed = Buffer.from(rotated.secret.slice('whsec_'.length), 'base64');
    const text = `${later.headers['webhook-id']}.${later.headers['webhook-timestamp']}.${later.body}`;
    assert.equal(
      later.headers['webhook-signature'],
      `v1,${createHmac('sha256', signed).update(text).digest('base64')}`,
    );
  });

  it('webhooks send a test event, and show its result', async () => {
    const receiver = await grove.receiver(status(418));
    const { id } = await create('tried', { uri: receiver.uri, retryIntervalsMs: [5000] });
    const { body: testDelivery } = await call('POST', `/${id}/test`, {});
    assert.deepEqual([testDelivery.event, testDelivery.webhookId, testDelivery.attempts], ['webhook.test', id, 0]);
    await grove.deliverDue();
    const { body: log } = await call('GET', `/${id}/deliveries?status=PENDING`);
    const [delivery] = log.content;
    assert.deepEqual(
      [log.totalElements, delivery.id, delivery.status, delivery.attempts],
      [1, testDelivery.id, 'PENDING', 1],
    );
    assert.deepEqual([delivery.lastAttempt.statusCode, delivery.lastAttempt.error], [418, 'status']);
    assert.equal(Date.parse(delivery.nextAttemptDtm), grove.clock.now() + 5000);
  });

  it('webhooks list deliveries by status and instance, the newest first, without the answers of receivers', async () => {
    const receiver = await grove.receiver((_request, answer) => void answer.writeHead(200).end('inside knowledge'));
    const { id } = await create('logged', { uri: receiver.uri, events: ['*'] });
    const events = [];
    for (let number = 0; number < 3; number++) {
      grove.clock.advance(1);
      events.push(await grove.tell({ sequence: number }));
    }
    await grove.deliverDue();
    const all = await call('GET', `/${id}/deliveries?size=2`);
    const sequences = all.body.content.map(({ sequence }: { sequence: number }) => sequence);
    assert.deepEqual([all.body.totalElements, sequences], [3, [2, 1]]);
    assert.doesNotMatch(all.text, /inside knowledge/);
    const one = await call('GET', `/${id}/deliveries?processInstanceId=${events[1]?.instanceId}&status=DELIVERED`);
    assert.equal(one.body.content[0].processInstanceId, events[1]?.instanceId);
    assert.equal(one.body.totalElements, 1);
    assert.equal((await call('GET', `/${id}/deliveries?status=FAILED`)).body.totalElements, 0);
  });

  it('webhooks show what was sent and the answer of a receiver that refused, up to 16 kB, but not the answer of one that accepted', async () => {
    const receiver = await grove.receiver((_request, answer, number) => {
      if (number === 1) answer.writeHead(500).end(`\u0000missing field: name ${'x'.repeat(40_000)}`);
      else answer.writeHead(200).end('inside knowledge');
    });
    const { id } = await create('answered', { uri: receiver.uri, retryIntervalsMs: [1] });
    const { body: delivery } = await call('POST', `/${id}/test`, {});
    await grove.deliverDue();
    const { body: refusedDelivery } = await call('GET', `/${id}/deliveries/${delivery.id}`);
    assert.deepEqual([refusedDelivery.payload.id, refusedDelivery.payload.type], [delivery.id, 'webhook.test']);
    assert.match(refusedDelivery.answer, /^\ufffdmissing field: name x+$/);
    assert.ok(Buffer.byteLength(refusedDelivery.answer) <= 16 * 1024 + 2);
    grove.clock.advance(HOUR);
    await grove.deliverDue();
    const { body: accepted } = await call('GET', `/${id}/deliveries/${delivery.id}`);
    assert.deepEqual([accepted.status, accepted.answer], ['DELIVERED', undefined]);
  });

  it('webhooks store no answer of a receiver that is sent parameters of persons', async () => {
    const receiver = await grove.receiver((request, answer) => void answer.writeHead(500).end(request.body));
    const { id } = await create('echo', { uri: receiver.uri, bodyTemplate: '{"name":"{parameters.firstName}"}' });
    const { body: delivery } = await call('POST', `/${id}/test`, {});
    await grove.deliverDue();
    const { body } = await call('GET', `/${id}/deliveries/${delivery.id}`);
    assert.deepEqual([body.attempts, body.lastAttempt.statusCode, body.answer], [1, 500, undefined]);
  });

  it('webhooks answer 100072 for a delivery of another webhook, and replay their own under its id', async () => {
    const receiver = await grove.receiver();
    const { id } = await create('replayed', { uri: receiver.uri });
    const { id: other } = await create('another', { uri: receiver.uri });
    const { body: testDelivery } = await call('POST', `/${id}/test`, {});
    await grove.deliverDue();
    for (const [webhook, delivery] of [
      [id, NOBODY],
      [other, testDelivery.id],
    ]) {
      for (const answer of [
        await call('POST', `/${webhook}/deliveries/${delivery}/replay`, {}),
        await call('GET', `/${webhook}/deliveries/${delivery}`),
      ])
        assert.deepEqual([answer.status, answer.body.code], [404, 100072]);
    }
    const { body: again } = await call('POST', `/${id}/deliveries/${testDelivery.id}/replay`, {});
    assert.deepEqual([again.id, again.status], [testDelivery.id, 'PENDING']);
    await grove.deliverDue();
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual(ids, [testDelivery.id, testDelivery.id]);
  });

  it('webhooks recover everything that failed since a given time, and nothing that failed before', async () => {
    let broken = true;
    const receiver = await grove.receiver((request, answer, number) =>
      status(broken ? 500 : 200)(request, answer, number),
    );
    const { id } = await create('recovering', { uri: receiver.uri, retryIntervalsMs: [] });
    await call('POST', `/${id}/test`, {});
    await grove.deliverDue();
    grove.clock.advance(HOUR);
    const since = new Date(grove.clock.now()).toISOString();
    for (let number = 0; number < 3; number++) await call('POST', `/${id}/test`, {});
    await grove.deliverDue();
    broken = false;
    const { body } = await call('POST', `/${id}/recover`, { sinceDtm: since });
    assert.equal(body.deliveries, 3);
    assert.equal((await call('POST', `/${id}/recover`, { sinceDtm: since })).body.deliveries, 0);
    await grove.deliverDue();
    assert.equal((await call('GET', `/${id}/deliveries?status=DELIVERED`)).body.totalElements, 3);
    assert.equal((await call('GET', `/${id}/deliveries?status=FAILED`)).body.totalElements, 1);
  });

  it('webhooks keep their log for thirty days; deliveries that wait longer are cancelled, and orphaned ones removed', async () => {
    const receiver = await grove.receiver();
    const { id } = await create('old', { uri: receiver.uri });
    const { id: off } = await create('off', { uri: receiver.uri, status: 'DISABLED' });
    const { id: deletedId } = await create('gone', { uri: receiver.uri, status: 'DISABLED' });
    for (const each of [id, off, deletedId]) await call('POST', `/${each}/test`, {});
    await grove.deliverDue();
    await call('DELETE', `/${deletedId}`);
    const db = grove.db.of(grove.tenantId);
    const count = unprepared(
      'SELECT count(*) AS total FROM webhook_deliveries WHERE tenant_id = $1 AND webhook_id = $2',
    );
    const left = async (webhook: string) => (await db.get<{ total: number }>(count, [grove.tenantId, webhook]))?.total;
    await purgeDeliveries(db, grove.clock.now());
    assert.deepEqual([await left(id), await left(off), await left(deletedId)], [1, 1, 0]);
    await purgeDeliveries(db, grove.clock.now() + 25 * DAY + 1);
    const { body: log } = await call('GET', `/${off}/deliveries`);
    assert.deepEqual([log.content[0].status, log.content[0].nextAttemptDtm], ['CANCELLED', undefined]);
    await purgeDeliveries(db, grove.clock.now() + 30 * DAY + 1);
    assert.deepEqual([await left(id), await left(off)], [0, 0]);
  });

  it('webhooks whose deliveries are not accepted have a limited queue; beyond it, the oldest of that webhook are given up', async () => {
    const { id } = await create('away', { uri: URI, status: 'DISABLED' });
    const { id: other } = await create('quiet', { uri: URI, status: 'DISABLED' });
    const ids: string[] = [];
    for (let number = 0; number < 7; number++) {
      ids.push((await call('POST', `/${id}/test`, {})).body.id);
      grove.clock.advance(1);
    }
    await call('POST', `/${other}/test`, {});
    await purgeDeliveries(grove.db.of(grove.tenantId), grove.clock.now(), undefined, 5);
    const { body: cancelled } = await call('GET', `/${id}/deliveries?status=CANCELLED&sort=id,asc`);
    assert.deepEqual(
      cancelled.content.map(({ id }: { id: string }) => id),
      ids.slice(0, 2),
    );
    assert.equal((await call('GET', `/${id}/deliveries?status=PENDING`)).body.totalElements, 5);
    assert.equal((await call('GET', `/${other}/deliveries?status=PENDING`)).body.totalElements, 1);
  });

  it('webhooks are at most a hundred in a tenant: 100065 for one more', async () => {
    const context = grove.contextOf({ tenantId: asTenantId('other') });
    for (let number = 0; number < 100; number++) await grove.webhook(URI, {}, context);
    await assert.rejects(grove.webhook(URI, {}, context), { code: 100065 });
  });

  it('7: webhooks are refused to callers that name a secret or a parameter without the permission for it', async () => {
    const body = { name: 'RISK', value: 'hunter2', hosts: ['hooks.example.com'] };
    await grove.secrets.create(grove.contextOf(), { params: {}, query: {}, body } as never);
    const context = grove.contextOf();
    const permissions = permissionSet(grove.tenantId, [`TNT#${grove.tenantId}#NotificationService*`]);
    const narrow = { ...context, principal: { ...context.principal, permissions } };
    const { webhooks } = grove.handlers;
    const createWith = async (name: string, more: object, of = narrow) =>
      webhooks.create(of, { params: {}, query: {}, body: { name, uri: URI, ...more } } as never);
    const secrets = { sensitiveHeaders: { 'X-Key': '{secret.RISK}' } };
    const parameters = { bodyTemplate: '{"who":"{parameters.firstName}"}' };
    await assert.rejects(createWith('a', secrets), {
      code: 7,
      message: /needs the permission TNT#acme#ProcessManager:useCloudSecret/,
    });
    await assert.rejects(createWith('a', { headers: secrets.sensitiveHeaders }), { code: 7 });
    await assert.rejects(createWith('a', parameters), { code: 7, message: /ProcessManager:getProcessInstance/ });
    await createWith('a', {});
    for (const more of [secrets, parameters]) {
      const { id } = (await createWith(`b ${JSON.stringify(more).length}`, more, context)) as { id: string };
      const change = { params: { webhookId: id }, query: {}, body: { uri: 'https://hooks.example.com/mine' } };
      await assert.rejects(async () => webhooks.update(narrow, change as never), { code: 7 });
      await webhooks.update(context, change as never);
    }
  });

  it('100001: webhooks that send a secret bound to its host cannot be changed to another host', async () => {
    const body = { name: 'BOUND', value: 'hunter2', hosts: ['hooks.example.com'] };
    await grove.secrets.create(grove.contextOf(), { params: {}, query: {}, body } as never);
    const { id } = await create('bound', { sensitiveHeaders: { 'X-Key': '{secret.BOUND}' } });
    const moved = await call('POST', `/${id}`, { uri: 'https://evil.example.com/' });
    assert.deepEqual([moved.body.code, moved.body.errors[0].pointer], [100001, '/sensitiveHeaders/X-Key']);
    assert.match(moved.body.errors[0].message, /add that host to its hosts first/);
    const elsewhere = await call('POST', '', {
      name: 'other',
      uri: 'https://evil.example.com/',
      headers: { 'X-Key': '{secret.BOUND}' },
    });
    assert.equal(elsewhere.body.code, 100001);
  });

  it('100001: webhooks do not send a header that is never shown to another host, unless the header is written again', async () => {
    const { id } = await create('sealed', { sensitiveHeaders: { Authorization: 'Bearer hunter2' } });
    for (const uri of ['https://evil.example.com/', `${new URL(URI).origin}:8443/`]) {
      const moved = await call('POST', `/${id}`, { uri });
      assert.deepEqual([moved.body.code, moved.body.errors?.[0].pointer], [100001, '/sensitiveHeaders'], uri);
    }
    assert.equal((await call('POST', `/${id}`, { uri: `${new URL(URI).origin}/another/path` })).status, 200);
    const change = { uri: 'https://other.example.com/', sensitiveHeaders: { Authorization: 'Bearer sesame' } };
    assert.equal((await call('POST', `/${id}`, change)).status, 200);
    const without = { uri: URI, sensitiveHeaders: {} };
    assert.equal((await call('POST', `/${id}`, without)).status, 200);
  });
});
