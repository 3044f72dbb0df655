import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { unprepared } from '../src/db/db.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { testChildren } from './child.ts';
import { CRASH_ROUNDS, CRASH_TIMEOUT_MS, chance, untilDone } from './crash-rounds.ts';
import { onBothEngines } from './harness.ts';
import { openTestNotifications } from './webhooks.ts';

/**
 * Every event is sent, however often the server is killed, and a receiver can recognise a repeated delivery by its id.
 */
const ROUNDS = CRASH_ROUNDS;
const KILL_AFTER_EVENTS = { from: 5, to: 100 };
const DELIVERIES = unprepared('SELECT id, instance_id, status FROM webhook_deliveries WHERE tenant_id = $1');

describe('a server that is killed while it sends webhooks', { timeout: CRASH_TIMEOUT_MS }, () => {
  onBothEngines(`${ROUNDS} times`, (_engine, places) => {
    const children = testChildren();

    it('a server that is killed while it sends webhooks has sent every event that it acknowledged, each time under the same id', async (t) => {
      const place = await places.create();
      const grove = await openTestNotifications(place, { clock: { ...systemClock, advance() {}, set() {} } });
      t.after(() => grove.close());
      const receiver = await grove.receiver();
      await grove.webhook(receiver.uri);
      await grove.webhook(receiver.uri, { events: ['instance.completed'] });

      const acknowledged: string[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        const allow = { GROVE_OUTBOUND_ALLOW: new URL(receiver.uri).host };
        const child = children.start('teller' as 'worker', { ...place.environment, ...allow });
        assert.equal(await child.line(), 'ready');
        const reading = (async () => {
          for (;;) acknowledged.push(await child.line());
        })().catch(() => undefined);
        const { from, to } = KILL_AFTER_EVENTS;
        const enough = acknowledged.length + from + chance() * (to - from);
        await untilDone(() => acknowledged.length >= enough, [reading]);
        await child.kill('SIGKILL');
        await reading;
      }
      const inTheEnd = grove.another();
      inTheEnd.startWork();
      const { db, tenantId } = grove;
      const pending = async () =>
        (await db.of(tenantId).all<{ status: string }>(DELIVERIES, [tenantId])).filter(
          (each) => each.status === 'PENDING',
        );
      while ((await pending()).length > 0) await sleep(100);
      await inTheEnd.stop();

      const stored = await db.of(tenantId).all<{ id: string; instance_id: string }>(DELIVERIES, [tenantId]);
      const received = receiver.received.map(({ headers, body }) => ({
        id: headers['webhook-id'] ?? '',
        instanceId: (JSON.parse(body) as { data: { processInstanceId: string } }).data.processInstanceId,
      }));
      const instanceOf = new Map(stored.map(({ id, instance_id }) => [id, instance_id]));
      for (const { id, instanceId } of received) assert.equal(instanceOf.get(id), instanceId);
      const deliveryIds = new Set(received.map(({ id }) => id));
      assert.equal(deliveryIds.size, stored.length, 'every delivery that is there was sent');
      const expectedIds = new Set(stored.map(({ instance_id }) => instance_id));
      for (const instanceId of acknowledged) assert.ok(expectedIds.has(instanceId), 'an acknowledged event is lost');
      assert.equal(stored.length, expectedIds.size * 2);
      t.diagnostic(
        `${acknowledged.length} events, ${stored.length} deliveries, ${received.length - deliveryIds.size} twice`,
      );
      // Otherwise the kills came before any event, and the test would prove nothing.
      assert.ok(acknowledged.length >= ROUNDS * KILL_AFTER_EVENTS.from, `${acknowledged.length} events`);
    });
  });
});
