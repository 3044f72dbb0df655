import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../test/harness.ts';
import { openTestNotifications, type TestNotifications } from '../../test/webhooks.ts';
import { toDtm } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { IdentityEvent } from './notify.ts';

onBothEngines('webhooks for events of identity stores', (_engine, places) => {
  let grove: TestNotifications;
  before(async () => {
    grove = await openTestNotifications(await places.create());
  });
  after(() => grove.close());

  const eventOf = (more: Partial<IdentityEvent> = {}): IdentityEvent => ({
    environment: 'live',
    id: newId(grove.clock.now()),
    type: 'identity.authenticationFailed',
    at: grove.clock.now(),
    storeName: 'Customers',
    userId: newId(1),
    modality: 'TOTP',
    code: 100051,
    ...more,
  });
  const tell = (event: IdentityEvent) =>
    grove.db.of(grove.tenantId).write(async (tx) => grove.notifyIdentity(tx, event));

  it('events of identity stores reach the webhooks that subscribe to them, with ids and codes and without personal data', async () => {
    const receiver = await grove.receiver();
    await grove.webhook(receiver.uri, { events: ['identity.authenticationFailed'] });
    const event = eventOf({ process: { parentProcessDefnName: 'sign-in' } });
    await tell(event);
    await tell(eventOf({ type: 'identity.userCreated' }));
    await tell(eventOf({ environment: 'test' }));
    await grove.deliverDue();
    assert.equal(receiver.received.length, 1);
    const { id, ...body } = JSON.parse(receiver.received[0]?.body ?? '');
    assert.equal(id, receiver.received[0]?.headers['webhook-id']);
    assert.deepEqual(body, {
      type: 'identity.authenticationFailed',
      timestamp: toDtm(event.at),
      data: {
        tenantId: 'acme',
        environment: 'live',
        eventId: event.id,
        storeName: 'Customers',
        userId: event.userId,
        modality: 'TOTP',
        code: 100051,
        parentProcessDefnName: 'sign-in',
      },
    });
  });

  it('events of identity stores fill the template of a webhook with the store and the user', async () => {
    const receiver = await grove.receiver();
    const bodyTemplate =
      '{"what": "{type}", "who": "{userId}", "where": "{storeName}", "instance": "{processInstanceId}"}';
    await grove.webhook(receiver.uri, { events: ['identity.userLocked'], bodyTemplate });
    const event = eventOf({ type: 'identity.userLocked', storeName: 'a "quoted" one' });
    await tell(event);
    await grove.deliverDue();
    const filled = { what: event.type, who: event.userId, where: 'a "quoted" one', instance: '' };
    assert.deepEqual(JSON.parse(receiver.received[0]?.body ?? ''), filled);
  });

  it('events of identity stores reach webhooks exactly if their transaction is committed', async () => {
    const receiver = await grove.receiver();
    await grove.webhook(receiver.uri, { events: ['identity.userDeleted'] });
    const undone = grove.db.of(grove.tenantId).write(async (tx) => {
      await grove.notifyIdentity(tx, eventOf({ type: 'identity.userDeleted' }));
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    await grove.deliverDue();
    assert.equal(receiver.received.length, 0);
  });
});
