import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { withLostAnswers } from '../../test/database.ts';
import { onBothEngines } from '../../test/harness.ts';
import { eventOf } from '../../test/instance-event.ts';
import { type Answering, hang, openTestNotifications, status, type TestNotifications } from '../../test/webhooks.ts';
import { unprepared } from '../db/db.ts';
import { HOUR, MINUTE, SECOND } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';
import { LONGEST_PAUSE_MS } from '../leases/poll.ts';
import { BEGUN_PER_TURN, LEASE_MS, MAX_IN_FLIGHT_PER_TENANT } from './dispatch.ts';

const DELIVERIES = unprepared('SELECT * FROM webhook_deliveries WHERE tenant_id = $1 ORDER BY id');
const QUEUE = unprepared('SELECT id, next_at FROM webhook_queue');
type Stored = { id: string; status: string; attempts: number; last_error: string | null; last_status: number | null };

onBothEngines('the dispatcher', (engine, places) => {
  const opened: TestNotifications[] = [];
  const open = async (options: Parameters<typeof openTestNotifications>[1] = {}) => {
    const grove = await openTestNotifications(await places.create(), options);
    opened.push(grove);
    return grove;
  };
  after(async () => {
    for (const each of opened) await each.close();
  });
  const deliveriesOf = ({ db, tenantId }: TestNotifications) => db.of(tenantId).all<Stored>(DELIVERIES, [tenantId]);
  const statusesOf = async (grove: TestNotifications) => (await deliveriesOf(grove)).map((each) => each.status);

  it('the dispatcher begins a few deliveries in each turn of the event loop, so that requests are served in between', {
    skip: engine !== 'sqlite' && 'its answers come in turns of their own',
  }, async () => {
    let turn = 0;
    let counting = setImmediate(function count() {
      turn += 1;
      counting = setImmediate(count);
    });
    const turns: number[] = [];
    const grove = await open({
      async parametersOf() {
        turns.push(turn);
        return {};
      },
    });
    const receiver = await grove.receiver();
    const webhooks = 10 * BEGUN_PER_TURN;
    for (let count = 0; count < webhooks; count += 1) {
      await grove.webhook(receiver.uri, { bodyTemplate: '{"a":"{parameters.a}"}' });
    }
    await grove.tell();
    assert.equal(await grove.deliverDue(), webhooks);
    clearImmediate(counting);
    assert.equal(turns.length, webhooks);
    const most = Math.max(
      ...Map.groupBy(turns, (each) => each)
        .values()
        .map(({ length }) => length),
    );
    // The number of turns may differ by one from the number of deliveries.
    assert.ok(most <= 2 * BEGUN_PER_TURN, turns.join());
  });

  it('the dispatcher sends an event with a signature that any library of Standard Webhooks accepts', async () => {
    const grove = await open();
    const receiver = await grove.receiver();
    const { secret } = await grove.webhook(receiver.uri, { headers: { 'X-Own': 'yes', 'Content-Type': 'text/json' } });
    const event = await grove.tell({ step: 'selfie', data: { reason: 'none' } });
    assert.equal(await grove.deliverDue(), 1);
    const [{ headers, body, method, url } = assert.fail()] = receiver.received;
    const payload = new Webhook(secret).verify(body, headers) as Record<string, unknown>;
    const [{ id } = assert.fail()] = await deliveriesOf(grove);
    assert.deepEqual(payload, {
      id,
      type: 'instance.completed',
      timestamp: new Date(event.at).toISOString(),
      data: {
        tenantId: 'acme',
        environment: 'live',
        processInstanceId: event.instanceId,
        sequence: 7,
        status: 'COMPLETED_ENDED_SUCCESS',
        step: 'selfie',
        processDefnId: event.processDefnId,
        processDefnName: 'onboarding',
        processDefnVersion: 3,
        details: { reason: 'none' },
      },
    });
    assert.deepEqual([method, url, headers['x-own'], headers['content-type']], ['POST', '/hook', 'yes', 'text/json']);
    assert.deepEqual([headers['webhook-id'], headers['webhook-timestamp']], [id, String(Math.floor(event.at / 1000))]);
    assert.throws(() => new Webhook(secret).verify(`${body} `, headers));
    assert.deepEqual(await statusesOf(grove), ['DELIVERED']);
    assert.deepEqual(await grove.db.system.all(QUEUE, []), []);
  });

  it('the dispatcher sends to active webhooks that subscribe, of the same environment and tenant, and exactly if the event is committed', async () => {
    const grove = await open();
    const receiver = await grove.receiver();
    const uriOf = (name: string) => receiver.uri.replace('hook', name);
    const test = grove.contextOf({ environment: 'test' });
    const other = grove.contextOf({ tenantId: asTenantId('other') });
    await grove.webhook(uriOf('all'));
    await grove.webhook(uriOf('completed'), { events: ['instance.completed', 'instance.review'] });
    await grove.webhook(uriOf('created'), { events: ['instance.created'] });
    await grove.webhook(uriOf('none'), { events: [] });
    await grove.webhook(uriOf('disabled'), { status: 'DISABLED' });
    await grove.webhook(uriOf('test'), {}, test);
    await grove.webhook(uriOf('other'), {}, other);
    await grove.tell();
    await grove.tell({ environment: 'test' });
    const rolledBack = grove.db.of(grove.tenantId).write(async (tx) => {
      await grove.notify(tx, eventOf(grove.clock.now()));
      throw new Error('rolled back');
    });
    await assert.rejects(rolledBack, /rolled back/);
    await grove.deliverDue();
    assert.deepEqual(receiver.received.map(({ url }) => url).sort(), ['/all', '/completed', '/test']);
  });

  it('the dispatcher sends for a step to the webhook that it names, and reports a missing one', async () => {
    const grove = await open();
    const receiver = await grove.receiver();
    await grove.webhook(receiver.uri, { name: 'crm', events: [] });
    await grove.webhook(receiver.uri, { name: 'off', events: [], status: 'DISABLED' });
    const event = await grove.tell();
    const step = (name: string) => grove.db.of(grove.tenantId).write((tx) => grove.notifyStep(tx, name, event));
    assert.deepEqual([await step('crm'), await step('off'), await step('nobody')], [true, false, false]);
    await grove.deliverDue();
    assert.equal(receiver.received.length, 1);
    const isName = (name: string) => grove.isWebhookName(grove.db.of(grove.tenantId), { name, environment: 'live' });
    assert.deepEqual([await isName('crm'), await isName('nobody')], [true, false]);
  });

  it('the dispatcher tries again at the standard times under the same id, each time with a new signature, then gives up and lists the delivery', async () => {
    const grove = await open();
    const receiver = await grove.receiver(status(500));
    const { secret, id: webhookId } = await grove.webhook(receiver.uri);
    const { at } = await grove.tell();
    const times: number[] = [];
    for (;;) {
      if ((await grove.deliverDue()) > 0) times.push(grove.clock.now() - at);
      const [next] = await grove.db.system.all<{ next_at: number }>(QUEUE, []);
      if (!next) break;
      grove.clock.set(next.next_at);
    }
    const waits = times.slice(1).map((time, before) => time - (times[before] ?? 0));
    const standard = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
    assert.deepEqual(waits, standard);
    assert.equal(receiver.received.length, 10);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-signature'])).size, 10);
    const [stored = assert.fail()] = await deliveriesOf(grove);
    assert.deepEqual([stored.status, stored.attempts, stored.last_status], ['FAILED', 10, 500]);

    // A replay keeps the id and begins the schedule again.
    const { replay } = grove.handlers.webhooks;
    const params = { webhookId, deliveryId: stored.id };
    const again = await replay(grove.contextOf(), { params, query: {}, body: {} });
    assert.equal((again as { status: string }).status, 'PENDING');
    grove.clock.advance(HOUR);
    await grove.deliverDue();
    assert.deepEqual([receiver.received.length, receiver.received[10]?.headers['webhook-id']], [11, stored.id]);
    assert.deepEqual(await statusesOf(grove), ['PENDING']);
    assert.ok(secret.startsWith('whsec_'));
  });

  it('the dispatcher sends what was added, postponed or blocked while the clock was ahead once the clock is corrected', async () => {
    const grove = await open();
    let answer = 500;
    const receiver = await grove.receiver((request, response, number) => status(answer)(request, response, number));
    await grove.webhook(receiver.uri);
    await grove.extendLeases();
    const rightTime = grove.clock.now();
    grove.clock.advance(365 * 24 * HOUR);
    await grove.extendLeases();
    // The first delivery fails and is postponed; after the fifth failure the endpoint is paused.
    for (let at = 0; at < 5; at += 1) await grove.tell();
    await grove.deliverDue();
    await grove.tell();
    answer = 204;
    grove.clock.set(rightTime);
    assert.equal(await grove.deliverDue(), 0);
    await grove.extendLeases();
    await grove.deliverDue();
    assert.deepEqual(new Set(await statusesOf(grove)), new Set(['DELIVERED']));
  });

  it('the dispatcher counts only a status 2xx as delivered, not a redirect or a refusal', async () => {
    const grove = await open();
    for (const code of [200, 201, 204, 299, 301, 302, 400, 401, 404, 409, 500, 503]) {
      const receiver = await grove.receiver(status(code, { Location: 'http://127.0.0.1:1/' }));
      await grove.webhook(receiver.uri, { retryIntervalsMs: [] });
    }
    await grove.tell();
    await grove.deliverDue();
    const stored = await deliveriesOf(grove);
    for (const { last_status, status: deliveryStatus, last_error } of stored) {
      const good = Number(last_status) < 300;
      assert.deepEqual(
        [deliveryStatus, last_error],
        good ? ['DELIVERED', null] : ['FAILED', 'status'],
        String(last_status),
      );
    }
    assert.equal(stored.length, 12);
  });

  it('the dispatcher waits as long as Retry-After says, but no longer than a day', async () => {
    for (const [retryAfter, waitMs] of [
      ['120', 2 * MINUTE],
      ['1', 5 * SECOND],
      ['9999999', 24 * HOUR],
      ['nonsense', 5 * SECOND],
    ] as const) {
      const grove = await open();
      const receiver = await grove.receiver(status(429, { 'Retry-After': retryAfter }));
      await grove.webhook(receiver.uri);
      await grove.tell();
      await grove.deliverDue();
      const [next] = await grove.db.system.all<{ next_at: number }>(QUEUE, []);
      assert.equal((next?.next_at ?? 0) - grove.clock.now(), waitMs, retryAfter);
      if (engine === 'postgres') break;
    }
  });

  it('the dispatcher disables a webhook whose receiver is gone, keeps its deliveries, and sends them when it is active again', async () => {
    const grove = await open();
    let isGone = true;
    const receiver = await grove.receiver((request, answer, number) =>
      status(isGone ? 410 : 200)(request, answer, number),
    );
    const { id } = await grove.webhook(receiver.uri);
    await grove.tell();
    await grove.deliverDue();
    const { get, update } = grove.handlers.webhooks;
    const params = { webhookId: id };
    const view = (await get(grove.contextOf(), { params, query: {}, body: undefined as never })) as Record<
      string,
      unknown
    >;
    assert.deepEqual([view.status, view.disabledReason, view.lastUpdatedBy], ['DISABLED', 'gone', 'Grove']);
    const recorded = await grove
      .contextOf()
      .db.all<{ action: string; actor: string; item: string }>(
        { text: 'SELECT action, actor, item FROM audit_events WHERE tenant_id = $1' },
        ['acme'],
      );
    assert.deepEqual(recorded, [{ action: 'webhook.updated', actor: 'Grove', item: id }], 'it is in the audit log');
    await grove.tell();
    assert.equal(await grove.deliverDue(), 0);
    assert.deepEqual(await statusesOf(grove), ['FAILED']);

    isGone = false;
    const { test } = grove.handlers.webhooks;
    await test(grove.contextOf(), { params, query: {}, body: {} });
    assert.equal(await grove.deliverDue(), 0);
    const again = (await update(grove.contextOf(), { params, query: {}, body: { status: 'ACTIVE' } })) as typeof view;
    assert.deepEqual([again.status, again.disabledReason], ['ACTIVE', undefined]);
    assert.equal(await grove.deliverDue(), 1);
    assert.match(receiver.received.at(-1)?.body ?? '', /"webhook.test"/);
  });

  it('the dispatcher pauses an endpoint after five failures in a row, longer each time, and then sends one request as a test', async () => {
    const grove = await open();
    let broken = true;
    const receiver = await grove.receiver((request, answer, number) =>
      status(broken ? 500 : 200)(request, answer, number),
    );
    await grove.webhook(receiver.uri, { retryIntervalsMs: Array.from({ length: 15 }, () => 0) });
    for (let number = 0; number < 20; number++) await grove.tell();
    await grove.deliverDue();
    assert.equal(receiver.received.length, 5);
    for (const seconds of [30, 60, 120, 240, 300, 300]) {
      grove.clock.advance(seconds * SECOND - 1);
      assert.equal(await grove.deliverDue(), 0);
      grove.clock.advance(1);
      assert.equal(await grove.deliverDue(), 1);
    }
    broken = false;
    grove.clock.advance(5 * MINUTE);
    assert.equal(await grove.deliverDue(), 20);
    assert.deepEqual(new Set(await statusesOf(grove)), new Set(['DELIVERED']));
  });

  it('the dispatcher delays no delivery because another receiver hangs, not even in the same tenant', async () => {
    const grove = await open({ timeoutMs: 60_000, stopWithinMs: 10 });
    const dead = await Promise.all(Array.from({ length: 10 }, () => grove.receiver(hang)));
    const live = await Promise.all(Array.from({ length: 10 }, () => grove.receiver()));
    for (const { uri } of [...dead, ...live]) await grove.webhook(uri);
    grove.startWork();
    for (let number = 0; number < 20; number++) await grove.tell();
    // The deliveries that hang do so until the end of the test.
    await Promise.all(live.map((each) => each.arrived(20)));
    for (const each of dead) assert.equal(each.received.length, 4);
    for (const each of live) assert.equal(new Set(each.received.map(({ headers }) => headers['webhook-id'])).size, 20);
  });

  it('the dispatcher leaves room for other tenants, however many receivers of one tenant hang', async () => {
    const grove = await open({ timeoutMs: 60_000, stopWithinMs: 10 });
    const dead = await grove.receiver(hang);
    const live = await grove.receiver();
    for (let number = 0; number < 80; number++) await grove.webhook(dead.uri);
    await grove.webhook(live.uri, {}, grove.contextOf({ tenantId: asTenantId('other') }));
    grove.startWork();
    for (let number = 0; number < 4; number++) await grove.tell();
    await dead.arrived(MAX_IN_FLIGHT_PER_TENANT);
    for (let number = 0; number < 20; number++) await grove.tell({}, asTenantId('other'));
    await live.arrived(20);
    assert.equal(dead.received.length, MAX_IN_FLIGHT_PER_TENANT);
  });

  it('the dispatcher repeats a delivery of a dead server under the same id, once its lease has expired', async () => {
    const grove = await open();
    const leaseMs = engine === 'sqlite' ? MINUTE : LEASE_MS;
    let first: (() => void) | undefined;
    const answering: Answering = (_request, answer, number) => {
      if (number > 1) answer.writeHead(200).end();
      else first = () => answer.writeHead(200).end();
    };
    const receiver = await grove.receiver(answering);
    await grove.webhook(receiver.uri);
    await grove.tell();
    const lostDelivery = grove.deliverDue();
    await receiver.arrived(1);
    const other = grove.another();
    grove.clock.advance(leaseMs - 1);
    assert.equal(await other.deliverDue(), 0);
    grove.clock.advance(1);
    assert.equal(await other.deliverDue(), 1);
    first?.();
    await lostDelivery;
    await other.stop();
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual([ids.length, new Set(ids).size], [2, 1]);
    assert.deepEqual(await statusesOf(grove), ['DELIVERED']);
  });

  it('the dispatcher keeps a slow delivery for as long as its server renews the lease', async () => {
    const grove = await open();
    let answerFirst: (() => void) | undefined;
    const receiver = await grove.receiver((_request, answer) => {
      answerFirst = () => answer.writeHead(200).end();
    });
    await grove.webhook(receiver.uri);
    await grove.tell();
    const sending = grove.deliverDue();
    await receiver.arrived(1);
    const other = grove.another();
    for (let times = 0; times < 5; times++) {
      grove.clock.advance(LEASE_MS - 1);
      await grove.extendLeases();
      assert.equal(await other.deliverDue(), 0);
    }
    answerFirst?.();
    assert.equal(await sending, 1);
    await other.stop();
    assert.deepEqual([receiver.received.length, await statusesOf(grove)], [1, ['DELIVERED']]);
  });

  it('the dispatcher sends at once, and only once, a delivery of a claim whose answer was lost', async () => {
    const grove = await open();
    const receiver = await grove.receiver();
    await grove.webhook(receiver.uri);
    await grove.tell();
    const { db, loseNextAnswer } = withLostAnswers(grove.db);
    const server = grove.another({ db });
    loseNextAnswer();
    await assert.rejects(server.deliverDue(), /unavailable/);
    assert.equal(receiver.received.length, 0);
    assert.equal(await grove.deliverDue(), 0);
    assert.equal(await server.deliverDue(), 1);
    assert.equal(await grove.deliverDue(), 0);
    await server.stop();
    assert.deepEqual([receiver.received.length, await statusesOf(grove)], [1, ['DELIVERED']]);
  });

  it('the dispatcher takes over the deliveries of a killed server within five seconds', () => {
    assert.ok(LEASE_MS + LONGEST_PAUSE_MS <= 5 * SECOND);
  });

  it('the dispatcher never sends one delivery from two servers at once, and both servers together send all', async () => {
    const grove = await open();
    const receivers = await Promise.all(Array.from({ length: 5 }, () => grove.receiver()));
    for (const { uri } of receivers) await grove.webhook(uri);
    for (let number = 0; number < 10; number++) await grove.tell();
    const other = grove.another();
    const counts = await Promise.all([grove.deliverDue(), other.deliverDue()]);
    await grove.deliverDue();
    await other.stop();
    assert.ok(counts[0] + counts[1] <= 50);
    for (const { received } of receivers) {
      assert.deepEqual([received.length, new Set(received.map(({ headers }) => headers['webhook-id'])).size], [10, 10]);
    }
  });

  it('the dispatcher gives back unfinished deliveries when it must stop, and another server sends them at once', async () => {
    const grove = await open({ stopWithinMs: 10 });
    let silent = true;
    const receiver = await grove.receiver((request, answer, number) => {
      if (!silent) status(200)(request, answer, number);
    });
    await grove.webhook(receiver.uri);
    await grove.tell();
    const stopped = grove.another();
    stopped.startWork();
    await receiver.arrived(1);
    await stopped.stop();
    silent = false;
    assert.equal(await grove.deliverDue(), 1);
    const [stored] = await deliveriesOf(grove);
    assert.deepEqual([stored?.status, stored?.attempts], ['DELIVERED', 1]);
  });

  it('the dispatcher shows the deliveries of one tenant to no other, whatever the SQL says', async () => {
    const grove = await open();
    const other = grove.contextOf({ tenantId: asTenantId('other') });
    await grove.webhook('https://hooks.example.com/');
    await grove.webhook('https://hooks.example.com/', {}, other);
    for (const tenantId of [grove.tenantId, other.tenantId]) await grove.tell({}, tenantId);
    const [own] = await deliveriesOf(grove);
    assert.equal((await grove.db.system.all(QUEUE, [])).length, 2);
    // SQLite has only the WHERE of every statement; PostgreSQL also has row-level security.
    const rows = await grove.db.of(grove.tenantId).all<{ id: string }>(QUEUE, []);
    if (engine === 'postgres')
      assert.deepEqual(
        rows.map(({ id }) => id),
        [own?.id],
      );
    const log = await grove.db.of(other.tenantId).all<Stored>(DELIVERIES, [other.tenantId]);
    assert.ok(log.length === 1 && log[0]?.id !== own?.id);
  });
});
