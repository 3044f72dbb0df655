import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';
import { firstOwner, hostOf, invitePerson } from '../../test/operators.ts';
import { MINUTE } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';
import { MAX_WATCHERS_OF_TENANT, openEventHub } from './event-stream.ts';

const [acme, other] = [asTenantId('acme'), asTenantId('other')];
const event = (type: string) => ({ id: '1', type, timestamp: 'now', data: { text: 'line\nbreak' } });
const NONE = new Set<string>();

describe('a stream of events', () => {
  const watch = (hub: ReturnType<typeof openEventHub>, types: ReadonlySet<string> = NONE, tenantId = acme) => {
    const events = hub.subscribe({ tenantId, environment: 'test', types }).body as Readable;
    return { events, text: () => String(events.read() ?? '') };
  };

  it('a stream of events shows the events of its tenant, its environment and its types, each in one block', () => {
    const hub = openEventHub();
    const [all, some, others] = [watch(hub), watch(hub, new Set(['b'])), watch(hub, NONE, other)];
    hub.publish(acme, 'test', event('a'));
    hub.publish(acme, 'live', event('b'));
    assert.match(all.text(), /^: watching\n\nevent: a\nid: 1\ndata: \{[^\n]*\}\n\n$/);
    assert.equal(some.text(), ': watching\n\n');
    assert.equal(others.text(), ': watching\n\n');
    hub.stop();
  });

  it(`a stream of events refuses with 100007 the ${MAX_WATCHERS_OF_TENANT + 1}th of a tenant, until one of them has closed`, async () => {
    const hub = openEventHub();
    const watching = Array.from({ length: MAX_WATCHERS_OF_TENANT }, () => watch(hub));
    assert.throws(() => watch(hub), { code: 100007 });
    watch(hub, NONE, other);
    watching[0]?.events.destroy();
    await new Promise((done) => setImmediate(done));
    watch(hub);
    hub.stop();
  });

  it('a stream of events is closed for a client that does not read, and has no subscriber afterwards', async () => {
    const hub = openEventHub();
    const { events } = watch(hub);
    const long = { ...event('a'), data: { text: 'x'.repeat(200_000) } };
    hub.publish(acme, 'test', long);
    hub.publish(acme, 'test', long);
    assert.ok(events.destroyed);
    await new Promise((done) => setImmediate(done));
    assert.ok(!hub.watched(acme, 'test'));
    hub.stop();
  });

  it('a stream of events is closed at the next heartbeat if its caller lost the permission, or if that cannot be checked', async () => {
    const hub = openEventHub();
    const answers = [async () => true, async () => false, () => Promise.reject(new Error('no database'))];
    const streams = answers.map(
      (mayStillWatch) =>
        hub.subscribe({ tenantId: acme, environment: 'test', types: NONE, mayStillWatch }).body as Readable,
    );
    await hub.beat();
    assert.deepEqual(
      streams.map(({ destroyed }) => destroyed),
      [false, true, true],
    );
    hub.stop();
  });

  it('a stream of events ends after a while, so that a key that was blocked meanwhile receives no more', async () => {
    const hub = openEventHub(1);
    const { events } = watch(hub);
    assert.equal(String(await Array.fromAsync(events)), ': watching\n\n');
    assert.ok(!hub.watched(acme, 'test'));
    hub.stop();
  });
});

it('a stream of events that nobody reads ends without a fault at the first event after its time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const hub = openEventHub(1000);
  const { body } = hub.subscribe({ tenantId: acme, environment: 'test', types: NONE });
  const closed = once(body as Readable, 'close');
  t.mock.timers.tick(1000);
  hub.publish(acme, 'test', event('a'));
  await closed;
  assert.ok(!hub.watched(acme, 'test'));
  hub.stop();
});

describe('the address of the stream of events', () => {
  const places = testPlaces();
  const leave = new AbortController();
  after(() => leave.abort());

  it(`the address of the stream of events serves ${MAX_WATCHERS_OF_TENANT} clients of a tenant at a time; one more is refused with 100007`, async () => {
    const grove = await openTestApp(await places.create());
    const headers = { Authorization: `Bearer ${await grove.token()}` };
    const watch = () =>
      fetch(`${grove.baseUrl}/api/notification-service/events/stream`, { headers, signal: leave.signal });
    for (let watchers = 0; watchers < MAX_WATCHERS_OF_TENANT; watchers += 1) {
      const { status, body } = await watch();
      const { value } = (await body?.getReader().read()) ?? {};
      assert.deepEqual([status, Buffer.from(value ?? []).toString()], [200, ': watching\n\n']);
    }
    const refusal = await watch();
    assert.deepEqual([refusal.status, ((await refusal.json()) as { code: number }).code], [429, 100007]);
    leave.abort();
    await grove.stop();
  });

  it('the address of the stream of events closes a stream at the next heartbeat when an operator signs out or loses the permission, or its key loses it', async ({
    mock,
  }) => {
    const grove = await openTestApp(await places.create());
    const owner = await firstOwner(grove);
    const [leaver, demoted] = [
      await invitePerson(grove, owner, 'Developer', 'Lea'),
      await invitePerson(grove, owner, 'Developer', 'Dan'),
    ];
    const permissions = ['TNT#acme#NotificationService:watchEvents', 'TNT#acme#ArthrServer:getFromTenant'];
    const creation = await owner.call('/api/arthr/apiKeys', {
      body: { name: 'narrowed', permissions, environment: 'live' },
    });
    assert.equal(creation.status, 201, creation.text);
    const key = { Authorization: `Bearer ${await grove.token(creation.body.code)}` };
    mock.timers.enable({ apis: ['setInterval'] });
    const openStreams = [
      await watchFrom(grove, owner.cookie),
      await watchFrom(grove, undefined, { Authorization: `Bearer ${await grove.token()}` }),
    ];
    const endedStreams = [
      await watchFrom(grove, leaver.cookie),
      await watchFrom(grove, demoted.cookie),
      await watchFrom(grove, undefined, key),
    ];
    assert.equal((await leaver.call('/api/console/signOut', { method: 'POST', body: {} })).status, 200);
    const role = { body: { role: 'Reviewer' } };
    assert.equal((await owner.call(`/api/operator-manager/operators/${demoted.id}`, role)).status, 200);
    const narrowed = { body: { permissions: permissions.slice(1) } };
    assert.equal((await owner.call(`/api/arthr/apiKeys/${creation.body.id}`, narrowed)).status, 200);
    mock.timers.tick(15_000);
    mock.timers.reset();
    for (const stream of openStreams) assert.equal(await stream.next(), ':\n\n');
    for (const stream of endedStreams) assert.equal(await stream.next(), 'cut off');
    for (const stream of openStreams) stream.leave();
    await grove.stop();
  });

  it('the address of the stream of events closes a stream at the next heartbeat when its token has expired', async ({
    mock,
  }) => {
    const grove = await openTestApp(await places.create());
    mock.timers.enable({ apis: ['setInterval'] });
    const old = await watchFrom(grove, undefined, { Authorization: `Bearer ${await grove.token()}` });
    grove.clock.advance(59 * MINUTE);
    const young = await watchFrom(grove, undefined, { Authorization: `Bearer ${await grove.token()}` });
    grove.clock.advance(MINUTE);
    mock.timers.tick(15_000);
    mock.timers.reset();
    assert.deepEqual([await old.next(), await young.next()], ['cut off', ':\n\n']);
    young.leave();
    await grove.stop();
  });
});

/** Opens a stream and returns it. */
async function watchFrom(grove: TestApp, cookie: string | undefined, headers: Record<string, string> = {}) {
  const client = request(`${grove.baseUrl}/api/notification-service/events/stream`, {
    headers: {
      Host: hostOf(grove),
      ...(cookie && { Cookie: `grove-operator=${cookie}`, 'Sec-Fetch-Site': 'same-origin' }),
      ...headers,
    },
  });
  client.on('error', () => undefined).end();
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  const parts = response[Symbol.asyncIterator]();
  /** Returns the next text of the stream, and whether the stream was closed. */
  const next = () =>
    parts.next().then(
      ({ done, value }) => (done ? 'ended' : String(value)),
      () => 'cut off',
    );
  assert.equal(await next(), ': watching\n\n');
  return { next, leave: () => client.destroy() };
}
