import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { codeOf, endUser } from '../../../test/end-user.ts';
import { onBothEngines } from '../../../test/harness.ts';
import { addTestDefinition } from '../../../test/processes.ts';
import { HELLO, openPushWorld, type PushWorld } from '../../../test/push-world.ts';
import { sql } from '../../db/db.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';

const PROCESS = { type: 'PROCESS', title: 'Please confirm', processDefnName: 'approve' } as const;
const MANAGER = '/api/process-manager';

// biome-ignore lint/suspicious/noExplicitAny: what the server answers, which the tests look at.
type Body = any;

onBothEngines('push notifications with a process', (_engine, places) => {
  let world: PushWorld;
  before(async () => {
    world = await openPushWorld(await places.create());
    await addTestDefinition(world.acme, { name: 'approve' });
    await addTestDefinition(world.acme, { name: 'draft', status: 'EDITABLE' });
  });
  after(() => world.stop());
  beforeEach(() => world.quiet());

  const manage = async (path: string, body: object) => {
    const answer = await world.grove.call(`${MANAGER}/${path}`, { method: 'POST', body: JSON.stringify(body) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const instanceOf = async (id: string): Promise<Body> =>
    (await world.grove.call(`${MANAGER}/processInstances/${id}/withParameters`)).body;
  const tokens = async (query = '?madeFor=PUSH_NOTIFICATION&size=1000', token?: string): Promise<Body[]> =>
    (await world.grove.call(`${MANAGER}/processTokens${query}`, token ? { token } : {})).body.content;
  const tokenOf = async (id: string) => (await tokens()).find((each) => each.id === id);
  const sendTo = async (user: { id: string }, body: object = PROCESS): Promise<Body[]> => {
    const answer = await world.send(user, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.pushNotifications;
  };
  /** The message that the devices got about these. */
  const toldOf = async (records: Body[]) => {
    await world.settle();
    const ids = records.map(({ id }) => id);
    const [message] = world.providers.of('FCM').filter(({ data }) => ids.includes(data.pushNotificationId ?? ''));
    return message?.data ?? {};
  };
  const open = async (records: Body[]) => endUser(world.grove, codeOf((await toldOf(records)).redirectUrl ?? ''));
  const statuses = async (user: { id: string }, records: Body[]) =>
    new Set(await Promise.all(records.map(({ id }) => world.statusOf(user, id))));

  let parents = 0;
  /** An instance that waits, and passes if the notification ends with this status. */
  const waiting = async (status: string) => {
    parents += 1;
    const name = `waits-${parents}`;
    const when = `data.pauses.pause1.pushNotificationStatus == "${status}"`;
    const steps = [
      { id: 'wait', type: 'pause' },
      { id: 'decide', type: 'decision', rules: [{ when, outcome: 'PASS' }] },
    ];
    const { id: definitionId } = await manage('processDefinitions', { name, steps });
    await manage(`processDefinitions/${definitionId}/deploy`, {});
    const { id: tokenId } = await manage('processTokens', { name, processDefnName: name });
    const { processInstanceId, redirectUrl } = await manage(`processInstances/create?pt=${tokenId}`, {});
    await endUser(world.grove, codeOf(redirectUrl));
    return { id: processInstanceId as string, name };
  };

  it('push notifications with a process start one instance for all devices, which only these learn of, and its end completes them', async () => {
    const { user } = await world.everybody();
    const { body } = await world.send(user, PROCESS);
    const instances = new Set(body.pushNotifications.map((one: Body) => one.processInstanceId));
    assert.equal(instances.size, 1);
    const { redirectUrl = '', processInstanceId } = await toldOf(body.pushNotifications);
    assert.ok(instances.has(processInstanceId));
    assert.ok(!JSON.stringify(body).includes(codeOf(redirectUrl)));
    await endUser(world.grove, codeOf(redirectUrl));
    assert.deepEqual(await statuses(user, body.pushNotifications), new Set(['COMPLETED']));
    const events = await world.grove.events('Bank');
    const event = events.find(({ userId, type }) => userId === user.id && type === 'identity.pushNotificationSent');
    assert.deepEqual([event.childProcessDefnName, event.childProcessDefnVersion], ['approve', 1]);
  });

  it('push notifications with a process create it from a process token with an expiry, for this one instance, without personal data', async () => {
    const { user } = await world.everybody();
    const parameters = { firstName: 'Ada' };
    const [record] = await sendTo(user, { ...PROCESS, parameters });
    const instance = await instanceOf(record.processInstanceId);
    assert.deepEqual(
      [instance.processTokenId, instance.processTokenCounter, instance.firstName],
      [record.processTokenId, 1, 'Ada'],
    );
    const { name, createdBy, type, notAfterDtm, maxCount, counter, status, ...token } =
      (await tokenOf(record.processTokenId)) ?? {};
    assert.deepEqual(
      [createdBy, type, notAfterDtm, maxCount, counter, status],
      ['API Key: First key', 'MULTI_USE_TIME_LIMITED', record.expiringDtm, 1, 1, 'ACTIVE'],
    );
    assert.match(name, /^Push notification [0-9A-Z]{26}$/);
    assert.deepEqual([token.parameters, token.madeFor, token.processDefnName], [{}, 'PUSH_NOTIFICATION', 'approve']);
    const again = await world.grove.call(`${MANAGER}/processInstances/create?pt=${record.processTokenId}`, {
      method: 'POST',
    });
    assert.equal(again.body.code, 100046);
    const { body: listed } = await world.grove.call(`${MANAGER}/processTokens?size=1000`);
    assert.ok(listed.content.every((each: Body) => each.madeFor === undefined));
    assert.equal(listed.totalElements, listed.content.length);
    assert.deepEqual(await tokens(`?madeFor=PUSH_NOTIFICATION&processTokenSearch=${name}`), [
      await tokenOf(record.processTokenId),
    ]);
    for (const stranger of [world.grove.inTest, world.grove.ofOther]) {
      assert.deepEqual(await tokens('?madeFor=PUSH_NOTIFICATION', stranger), []);
    }
    const place = `${MANAGER}/processTokens/${record.processTokenId}`;
    const wider = JSON.stringify({ status: 'ACTIVE', maxCount: 1000 });
    for (const [method, sentBody] of [['POST', wider], ['DELETE']] as const) {
      const refusal = await world.grove.call(place, { method, ...(sentBody && { body: sentBody }) });
      assert.deepEqual([refusal.status, refusal.body?.code], [404, 100021], `${method} ${refusal.text}`);
    }
    assert.equal((await tokenOf(record.processTokenId))?.maxCount, 1);
  });

  it('push notifications with a process that are sent at once have a token and an instance each', async () => {
    const { user } = await world.everybody();
    const all = (await Promise.all(Array.from({ length: 4 }, () => sendTo(user)))).flat();
    for (const field of ['processTokenId', 'processInstanceId']) {
      assert.equal(new Set(all.map((record) => record[field])).size, 4);
    }
  });

  it('a rejection on one device rejects the push notifications on all: the process ends, and a waiting instance goes on', async () => {
    const { user } = await world.everybody();
    const parent = await waiting('REJECTED');
    const records = await sendTo(user, { ...PROCESS, parentProcessInstanceId: parent.id });
    const [one, two] = records;
    assert.equal((await world.answer(user, one.id, { status: 'REJECTED' })).body.status, 'REJECTED');
    assert.deepEqual(await statuses(user, records), new Set(['REJECTED']));
    assert.equal((await world.answer(user, two.id, { status: 'ACCEPTED' })).body.code, 100120);
    assert.equal((await tokenOf(one.processTokenId)).status, 'INACTIVE');
    await world.settle();
    assert.equal((await instanceOf(one.processInstanceId)).status, 'COMPLETED_TERMINATED');
    await world.settle();
    assert.equal((await instanceOf(parent.id)).status, 'COMPLETED_ENDED_SUCCESS');
  });

  it('an acceptance on one device stays, whatever another device answers later', async () => {
    const { user } = await world.everybody();
    const records = await sendTo(user);
    // Earlier answers notify nobody.
    await world.settle();
    const [one, two, three] = records;
    await world.answer(user, one.id, { status: 'ACCEPTED' });
    assert.equal((await world.answer(user, two.id, { status: 'REJECTED' })).body.status, 'REJECTED');
    await open(records);
    const ends = await Promise.all([one, two, three].map(({ id }) => world.statusOf(user, id)));
    assert.deepEqual(ends, ['COMPLETED', 'REJECTED', 'COMPLETED']);
  });

  it('answers that arrive together with the end of the process leave one result, and no request waits for another', async () => {
    const { user } = await world.everybody();
    const records = await sendTo(user);
    const code = codeOf((await toldOf(records)).redirectUrl ?? '');
    const answers = records.map(({ id }) => world.answer(user, id, { status: 'REJECTED' }));
    const [opened, ...answerResults] = await Promise.all([
      endUser(world.grove, code).catch(() => undefined),
      ...answers,
    ]);
    for (const { status, text } of answerResults) assert.ok([200, 409].includes(status), text);
    const ends = await statuses(user, records);
    assert.equal(ends.size, 1);
    if (ends.has('COMPLETED')) assert.ok(opened);
    await world.settle();
    assert.equal((await tokenOf(records[0].processTokenId)).status, 'INACTIVE');
  });

  it('push notifications with a process resume the instance that waits for them when the process ends, with its result; 100022 for an unknown instance', async () => {
    const parent = await waiting('COMPLETED');
    const { user } = await world.everybody();
    const pushes = await sendTo(user, { ...PROCESS, parentProcessInstanceId: parent.id });
    assert.equal(pushes[0].parentProcessInstanceId, parent.id);
    await world.settle();
    // An answer that a back end sends by itself must not keep the parent waiting for ever.
    for (const { id } of pushes) await world.answer(user, id, { status: 'COMPLETED' });
    assert.equal((await instanceOf(parent.id)).status, 'PAUSED');
    await open(pushes);
    await world.settle();
    assert.equal((await instanceOf(parent.id)).status, 'COMPLETED_ENDED_SUCCESS');
    const event = (await world.grove.events('Bank')).find(
      ({ parentProcessInstanceId }) => parentProcessInstanceId === parent.id,
    );
    assert.deepEqual([event.parentProcessDefnName, event.childProcessDefnName], [parent.name, 'approve']);
    const nobody = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
    assert.equal((await world.send(user, { ...PROCESS, parentProcessInstanceId: nobody })).body.code, 100022);
    assert.equal((await world.send(user, { ...HELLO, parentProcessInstanceId: parent.id })).body.code, 100001);
  });

  it('a redaction takes the ids of the instance and of its token from push notifications, and 100364: none is sent for it afterwards', async () => {
    const parent = await waiting('COMPLETED');
    const { user } = await world.everybody();
    const pushes = await sendTo(user, { ...PROCESS, parentProcessInstanceId: parent.id });
    await open(pushes);
    await world.settle();
    const ids = async () => {
      const { body } = await world.grove.send('GET', world.pushes(user, `/${pushes[0].id}`));
      return [body.parentProcessInstanceId, body.processInstanceId, body.processTokenId];
    };
    const { processInstanceId, processTokenId } = pushes[0];
    assert.deepEqual(await ids(), [parent.id, processInstanceId, processTokenId]);
    const redact = (id: string) => manage(`processInstances/${id}/redact`, {});
    await redact(parent.id);
    assert.deepEqual(await ids(), [undefined, processInstanceId, processTokenId]);
    const refusal = await world.send(user, { ...PROCESS, parentProcessInstanceId: parent.id });
    assert.deepEqual([refusal.status, refusal.body.code], [410, 100364]);
    await redact(processInstanceId);
    assert.deepEqual(await ids(), [undefined, undefined, undefined]);
  });

  it('push notifications sent while their instance is redacted never name it', async () => {
    const { user } = await world.everybody();
    const countOfParent = sql(
      'SELECT count(*) AS total FROM push_notifications WHERE tenant_id = $1 AND parent_instance_id = $2',
    );
    for (let round = 0; round < 5; round++) {
      const parent = await waiting('COMPLETED');
      await manage(`processInstances/${parent.id}/cancel`, {});
      const body = { ...PROCESS, parentProcessInstanceId: parent.id };
      const [redaction, notification] = await Promise.all([
        world.grove.call(`${MANAGER}/processInstances/${parent.id}/redact`, { method: 'POST', body: '{}' }),
        world.send(user, body),
      ]);
      assert.equal(redaction.status, 200, redaction.text);
      assert.ok([201, 410, 429].includes(notification.status), notification.text);
      const row = await world.acme.get<{ total: number }>(countOfParent, ['acme', parent.id]);
      assert.equal(Number(row?.total), 0);
    }
  });

  it('push notifications with a process need a deployed definition: 100023, 100047, and 100001 without a name', async () => {
    const { user } = await world.everybody();
    const before = (await tokens()).length;
    assert.equal((await world.send(user, { ...PROCESS, processDefnName: 'nothing' })).body.code, 100023);
    assert.equal((await world.send(user, { ...PROCESS, processDefnName: 'draft' })).body.code, 100047);
    const nameless = await world.send(user, { ...PROCESS, processDefnName: undefined });
    assert.deepEqual([nameless.body.code, nameless.body.errors[0].pointer], [100001, '/processDefnName']);
    const parameters = { _redirectUrl: 'https://evil.example' };
    assert.equal((await world.send(user, { ...PROCESS, parameters })).body.code, 100025);
    assert.equal((await tokens()).length, before);
  });

  it('a push notification with number matching shows the address of the process after the right number; 100190 ends it for a wrong one', async () => {
    const changed = await world.policyAt('POST', '/bank.example', { numberMatching: true });
    assert.equal(changed.body.numberMatching, true, changed.text);
    const { user } = await world.everybody();
    const { body: right } = await world.send(user, PROCESS);
    const { redirectUrl, numbers = '' } = await toldOf(right.pushNotifications);
    assert.equal(redirectUrl, undefined);
    const choices = numbers.split(',').map(Number);
    assert.ok(choices.length === 3 && choices.includes(right.number), numbers);
    const [one, two] = right.pushNotifications;
    assert.ok(
      !JSON.stringify((await world.grove.send('GET', world.pushes(user, `/${one.id}`))).body).includes('number'),
    );
    const silent = await world.answer(user, one.id, { status: 'ACCEPTED' });
    assert.deepEqual([silent.body.code, silent.body.errors[0].pointer], [100001, '/number']);
    assert.equal((await world.answer(user, one.id, { status: 'DELIVERED' })).status, 200);
    const accepted = await world.answer(user, one.id, { status: 'ACCEPTED', number: right.number });
    assert.equal(accepted.body.status, 'ACCEPTED', accepted.text);
    await endUser(world.grove, codeOf(accepted.body.redirectUrl));
    assert.equal(await world.statusOf(user, two.id), 'COMPLETED');

    const parent = await waiting('REJECTED');
    const { body: wrong } = await world.send(user, { ...PROCESS, parentProcessInstanceId: parent.id });
    const guesses = wrong.pushNotifications.map(({ id }: Body, at: number) =>
      world.answer(user, id, { status: 'ACCEPTED', number: wrong.number === 99 ? 98 - at : wrong.number + 1 }),
    );
    const codes = (await Promise.all(guesses)).map(({ body }: Body) => body.code);
    assert.deepEqual(codes.toSorted(), [100120, 100120, 100190]);
    const noes = (await world.grove.events('Bank')).filter(
      ({ userId, type }) => userId === user.id && type === 'identity.pushNotificationRejected',
    );
    assert.deepEqual(
      noes.map((event) => [event.code, event.rpId]),
      [[100190, 'bank.example']],
    );
    assert.deepEqual(await statuses(user, wrong.pushNotifications), new Set(['REJECTED']));
    await world.settle();
    await world.settle();
    assert.equal((await instanceOf(parent.id)).status, 'COMPLETED_ENDED_SUCCESS');
    assert.equal(
      (await world.policyAt('POST', '/bank.example', { numberMatching: false })).body.numberMatching,
      undefined,
    );
  });

  it('push notifications close their process token when the process has ended, was deleted or is late, and it is removed after a month', async () => {
    const { user } = await world.everybody();
    const all = await sendTo(user);
    const [done] = all;
    await open(all);
    const [deleted] = await sendTo(user);
    await world.grove.call(`${MANAGER}/processInstances/${deleted.processInstanceId}`, { method: 'DELETE' });
    assert.equal(await world.statusOf(user, deleted.id), 'EXPIRED');
    for (const { processTokenId } of [done, deleted]) assert.equal((await tokenOf(processTokenId)).status, 'INACTIVE');
    const [late] = await sendTo(user);
    assert.equal((await tokenOf(late.processTokenId)).status, 'ACTIVE');
    world.grove.clock.advance(15 * MINUTE);
    await world.grove.until(async () => (await instanceOf(late.processInstanceId)).status === 'COMPLETED_TERMINATED');
    assert.equal(await world.statusOf(user, late.id), 'EXPIRED');
    assert.equal((await tokenOf(late.processTokenId)).status, 'INACTIVE');
    world.grove.clock.advance(30 * 24 * HOUR + HOUR);
    await world.grove.renew();
    const own = await world.grove.token();
    await world.grove.until(async () => (await tokens('?madeFor=PUSH_NOTIFICATION', own)).length === 0);
  });
});
