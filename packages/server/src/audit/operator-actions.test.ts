import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { OPERATOR_ACTIONS, operations } from '@grove/contract';
import { onBothEngines } from '../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../test/identity.ts';
import { firstOwner, type Person } from '../../test/operators.ts';
import { RECORDED_BY_HANDLER } from '../../test/recorded-by-handler.ts';

/**
 * These operations change nothing, or belong to a journey or a ceremony of an end user, which has events of its own.
 */
const NOT_RECORDED = [
  'processInstances.create',
  'processInstances.start',
  'processInstances.resume',
  'processDefinitions.validate',
  'processDefinitions.tryCondition',
  'whatIf.run',
  'customPages.preview',
  'events.startQuery',
  'passkeys.startRegistration',
  'passkeys.completeRegistration',
  'passkeys.startAuthentication',
  'passkeys.startAuthenticationByBody',
  'passkeys.authenticate',
  'appkeys.startRegistration',
  'appkeys.completeRegistration',
  'appkeys.startAuthentication',
  'appkeys.authenticate',
  'appkeys.authenticateWithSession',
  'totps.startRegistration',
  'totps.completeRegistration',
  'totps.authenticate',
  'biometrics.recordFailure',
  'biometrics.authenticateFace',
  'pushNotifications.answer',
];

describe('every operation that writes and that an operator may call', () => {
  it('every operation that writes and that an operator may call is audited by its row or its handler, or is listed here as not audited', () => {
    const unrecorded = operations()
      .filter(({ operation }) => operation.method !== 'GET' && operation.permission !== undefined)
      .filter(({ operation: { audit, auditOperators } }) => !audit && !auditOperators)
      .map(({ id }) => id);
    assert.deepEqual(unrecorded.sort(), [...Object.keys(RECORDED_BY_HANDLER), ...NOT_RECORDED].sort());
  });

  it('the rows of the operations name every audited action of operators', () => {
    const actions = operations().flatMap(({ operation }) => operation.auditOperators ?? []);
    assert.deepEqual([...new Set(actions)].sort(), [...OPERATOR_ACTIONS].sort());
  });
});

onBothEngines('the audit trail of what operators do to users and links', (_engine, places) => {
  let grove: TestIdentity;
  let owner: Person;
  let store: string;

  before(async () => {
    grove = await openTestIdentity(await places.create());
    owner = await firstOwner(grove);
    store = await grove.store('customers');
  });
  after(() => grove?.stop());

  type Entry = { action: string; actor: string; item: string; details: { id?: string } };

  const recorded = async (action: string): Promise<Entry[]> => {
    const { body } = await owner.call(`/api/process-manager/auditEvents?action=${action}&size=100`);
    return body.content;
  };
  const call = async (method: string, path: string, body?: object) => {
    const answer = await owner.call(`/api/identity-store${path}`, { method, ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };

  it('the audit trail of what operators do to users and links names the operator and the user, but not the caller’s id of the user', async () => {
    const { id } = await call('POST', `${store}/users`, { extId: 'ada.lovelace@example.com' });
    const byId = `${store}/users/${id}`;
    await call('POST', byId, { attributes: { surname: 'Lovelace' } });
    await call('POST', `${byId}/lock`, {});
    await call('POST', `${store}/users/ada.lovelace@example.com/unlock/ext`);
    await call('DELETE', `${store}/users/ada.lovelace@example.com/ext`);
    for (const action of ['user.created', 'user.updated', 'user.locked', 'user.unlocked', 'user.deleted']) {
      const [entry, ...others] = await recorded(action);
      assert.deepEqual(others, []);
      assert.equal(entry?.details.id, id, action);
      assert.match(entry?.actor ?? '', /@/);
      assert.ok(!/lovelace/i.test(JSON.stringify({ ...entry, actor: '' })), action);
    }
  });

  it('the audit trail of what operators do to users and links contains nothing that API keys do there, and no refused call', async () => {
    const before = (await recorded('user.created')).length;
    const { id } = await grove.user(store);
    const refusal = await owner.call(`/api/identity-store${store}/users/${id}`, {
      method: 'POST',
      body: { nothing: 1 },
    });
    assert.equal(refusal.status, 400);
    assert.equal((await recorded('user.created')).length, before);
    assert.equal((await recorded('user.updated')).length, 1);
  });

  it('the audit trail of what operators do to users and links contains the links that an operator created, and the webhook messages sent again', async () => {
    const body = { name: 'A link', processDefnName: 'document-and-selfie' };
    const answer = await owner.call('/api/process-manager/processTokens', { method: 'POST', body });
    assert.equal(answer.status, 201, answer.text);
    const [link] = await recorded('processToken.created');
    assert.equal(link?.details.id, answer.body.id);
    const webhook = await grove.call('/api/notification-service/webhooks', {
      method: 'POST',
      body: JSON.stringify({ name: 'Shop', uri: 'https://shop.example/hook', events: ['instance.completed'] }),
    });
    assert.equal(webhook.status, 201, webhook.text);
    const path = `/api/notification-service/webhooks/${webhook.body.id}`;
    const tested = await owner.call(`${path}/test`, { method: 'POST' });
    assert.ok(tested.status < 300, tested.text);
    const sinceDtm = new Date(grove.clock.now()).toISOString();
    assert.equal((await owner.call(`${path}/recover`, { method: 'POST', body: { sinceDtm } })).status, 200);
    assert.equal((await recorded('webhook.tested'))[0]?.item, webhook.body.id);
    assert.equal((await recorded('webhook.replayed'))[0]?.item, webhook.body.id);
  });
});
