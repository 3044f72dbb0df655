import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { openReceiver, type Receiver } from '../../../test/webhooks.ts';

const DELIVERIES = '/api/notification-service/webhooks';

onBothEngines('the answer of a receiver about an instance', (_engine, places) => {
  let receiver: Receiver;
  /** Resolves before the receiver answers. */
  let beforeAnswer: () => Promise<unknown> = async () => undefined;
  let app: TestApp;
  let token: string;
  let testKey: string;
  let webhookId: string;

  before(async () => {
    receiver = await openReceiver((_request, answer) => {
      void beforeAnswer().then(() => answer.writeHead(422).end('Ada Byrne is not known'));
    });
    const environment = { GROVE_OUTBOUND_ALLOW: new URL(receiver.uri).host };
    app = await openTestApp(await places.create(), { environment });
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    token = await app.token(testKey);
    // A second attempt would follow in an hour.
    const hook = { name: 'crm', uri: receiver.uri, events: ['instance.completed'], retryIntervalsMs: [3_600_000] };
    webhookId = (await post(DELIVERIES, hook)).id;
  });
  after(async () => {
    await app.stop();
    await receiver.close();
  });

  const post = async (path: string, body: object = {}, method = 'POST') => {
    const answer = await app.call(path, { method, body: JSON.stringify(body), token });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const erasures = {
    redacted: (id: string) => post(`/api/process-manager/processInstances/${id}/redact`),
    deleted: (id: string) => post(`/api/process-manager/processInstances/${id}`, {}, 'DELETE'),
  };
  const finished = async () => {
    const { processInstanceId, user } = await startJourney(app, testKey);
    await user.finish();
    return processInstanceId;
  };
  /** The delivery about the instance, after its first attempt. */
  const attempted = async (id: string) => {
    for (let tries = 0; tries < 500; tries++, await wait(20)) {
      const path = `${DELIVERIES}/${webhookId}/deliveries`;
      const { body } = await app.call(`${path}?processInstanceId=${id}`, { token });
      const [first] = body.content;
      if (first?.attempts === 1) return (await app.call(`${path}/${first.id}`, { token })).body;
    }
    throw new Error(`nothing was sent about ${id}`);
  };

  for (const [name, erase] of Object.entries(erasures)) {
    it(`the answer of a receiver is shown until its instance is ${name}, and the delivery stays in the log`, async () => {
      const id = await finished();
      assert.equal((await attempted(id)).answer, 'Ada Byrne is not known');
      await erase(id);
      const { answer, attempts, lastAttempt } = await attempted(id);
      assert.deepEqual([answer, attempts, lastAttempt.statusCode], [undefined, 1, 422]);
    });

    it(`the answer of a receiver is never stored if its instance was ${name} before the answer`, async () => {
      const hold = Promise.withResolvers<void>();
      beforeAnswer = () => hold.promise;
      const count = receiver.received.length;
      const id = await finished();
      await receiver.arrived(count + 1);
      await erase(id);
      hold.resolve();
      beforeAnswer = async () => undefined;
      const { answer, lastAttempt } = await attempted(id);
      assert.deepEqual([answer, lastAttempt.statusCode], [undefined, 422]);
    });
  }
});
