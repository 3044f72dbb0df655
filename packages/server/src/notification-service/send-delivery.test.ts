import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { inspect } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { onBothEngines } from '../../test/harness.ts';
import { openTestNotifications, type TestNotifications } from '../../test/webhooks.ts';
import { unprepared } from '../db/db.ts';

onBothEngines('a delivery', (_engine, places) => {
  let grove: TestNotifications;
  before(async () => {
    grove = await openTestNotifications(await places.create());
  });
  after(() => grove.close());

  const secret = (name: string, value: string, uri: string) => {
    const body = { name, value, hosts: [new URL(uri).host] };
    return grove.secrets.create(grove.contextOf(), { params: {}, query: {}, body } as never);
  };
  const lastError = async (webhookId: string) => {
    const statement = unprepared(
      'SELECT last_error, status, attempts FROM webhook_deliveries WHERE tenant_id = $1 AND webhook_id = $2',
    );
    const row = await grove.db.of(grove.tenantId).get<object>(statement, [grove.tenantId, webhookId]);
    return { ...row };
  };

  it('a delivery fills the template of its webhook when it is sent, and stores no personal data', async () => {
    const receiver = await grove.receiver();
    const template =
      '{"who":"{parameters.firstName} {parameters.unknown}","n":{sequence},"in":"{environment}/{status}"}';
    const { secret: key, id } = await grove.webhook(receiver.uri, { bodyTemplate: template });
    const { instanceId } = await grove.tell();
    grove.parameters.set(instanceId, { firstName: 'Ada "Countess"' });
    await grove.deliverDue();
    const [{ body, headers } = assert.fail()] = receiver.received;
    const filled = { who: 'Ada "Countess" ', n: 7, in: 'live/COMPLETED_ENDED_SUCCESS' };
    assert.deepEqual(new Webhook(key).verify(body, headers), filled);
    const rows = await grove.db
      .of(grove.tenantId)
      .all(unprepared('SELECT * FROM webhook_deliveries WHERE tenant_id = $1'), [grove.tenantId]);
    assert.doesNotMatch(JSON.stringify(rows), /Ada/);

    // A person who was erased meanwhile is not named.
    grove.parameters.delete(instanceId);
    const [delivery] = rows as { id: string }[];
    const params = { webhookId: id, deliveryId: delivery?.id ?? '' };
    await grove.handlers.webhooks.replay(grove.contextOf(), { params, query: {}, body: {} });
    await grove.deliverDue();
    assert.equal(JSON.parse(receiver.received[1]?.body ?? '').who, ' ');
  });

  it('a delivery carries sensitive headers and cloud secrets, which are neither stored in plain text nor shown nor logged', async () => {
    const receiver = await grove.receiver();
    await secret('CRM_KEY', 'hunter2', receiver.uri);
    await grove.webhook(receiver.uri, {
      headers: { 'X-Key': 'key={secret.CRM_KEY}' },
      sensitiveHeaders: { Authorization: 'Bearer {secret.CRM_KEY}', 'X-Plain': 'swordfish' },
    });
    await grove.tell();
    await grove.deliverDue();
    const { headers } = receiver.received.at(-1) ?? assert.fail();
    assert.deepEqual(
      [headers['x-key'], headers.authorization, headers['x-plain']],
      ['key=hunter2', 'Bearer hunter2', 'swordfish'],
    );
    const tables = await Promise.all(
      ['webhooks', 'cloud_secrets', 'webhook_deliveries'].map((table) =>
        grove.db.of(grove.tenantId).all(unprepared(`SELECT * FROM ${table} WHERE tenant_id = $1`), [grove.tenantId]),
      ),
    );
    const stored = inspect(tables, { depth: 5, maxStringLength: null, maxArrayLength: null });
    const latin = tables
      .flat()
      .flatMap((row) => Object.values(row as object))
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)));
    for (const text of [stored, ...latin, ...grove.logged]) assert.doesNotMatch(text, /hunter2|swordfish/);
  });

  it('a delivery whose cloud secret is missing fails with that reason, is tried again, and is sent once the secret exists', async () => {
    const receiver = await grove.receiver();
    const { id } = await grove.webhook(receiver.uri, {
      events: ['instance.review'],
      sensitiveHeaders: { 'X-Key': '{secret.LATER}' },
      retryIntervalsMs: [1000, 1000],
    });
    await grove.tell({ type: 'instance.review' });
    await grove.deliverDue();
    assert.deepEqual(await lastError(id), { last_error: 'missing_secret', status: 'PENDING', attempts: 1 });
    await secret('LATER', 'two\nlines', receiver.uri);
    grove.clock.advance(1000);
    await grove.deliverDue();
    assert.deepEqual(await lastError(id), { last_error: 'bad_header', status: 'PENDING', attempts: 2 });
    const { list, update } = grove.secrets;
    const input = { params: {}, query: { name: 'later' } } as never;
    const page = (await list(grove.contextOf(), input)) as { content: { id: string }[] };
    const params = { cloudSecretId: page.content[0]?.id ?? '' };
    await update(grove.contextOf(), { params, query: {}, body: { value: 'one' } });
    grove.clock.advance(1000);
    await grove.deliverDue();
    assert.deepEqual(await lastError(id), { last_error: null, status: 'DELIVERED', attempts: 3 });
    assert.equal(receiver.received[0]?.headers['x-key'], 'one');
  });

  it('a delivery whose cloud secret may no longer be sent to its host fails with that reason, and nothing is sent', async () => {
    const receiver = await grove.receiver();
    const { id: cloudSecretId } = (await secret('LEAVES', 'hunter2', receiver.uri)) as { id: string };
    const { id } = await grove.webhook(receiver.uri, {
      events: ['instance.askedAgain'],
      headers: { 'X-Key': '{secret.LEAVES}' },
    });
    const update = { params: { cloudSecretId }, query: {}, body: { hosts: ['elsewhere.example'] } };
    await grove.secrets.update(grove.contextOf(), update);
    await grove.tell({ type: 'instance.askedAgain' });
    await grove.deliverDue();
    assert.equal(((await lastError(id)) as { last_error?: string }).last_error, 'secret_host');
    assert.deepEqual(receiver.received, []);
  });

  it('a delivery with a cloud secret from before secrets had hosts is sent as before, until the secret gets hosts', async () => {
    const receiver = await grove.receiver();
    await secret('OLD', 'hunter2', 'https://other.example/');
    const old = unprepared("UPDATE cloud_secrets SET hosts = NULL WHERE tenant_id = $1 AND name = 'OLD'");
    await grove.db.of(grove.tenantId).write((tx) => tx.run(old, [grove.tenantId]));
    await grove.webhook(receiver.uri, { events: ['instance.rejected'], headers: { 'X-Key': '{secret.OLD}' } });
    await grove.tell({ type: 'instance.rejected' });
    await grove.deliverDue();
    assert.equal(receiver.received[0]?.headers['x-key'], 'hunter2');
    const page = await grove.secrets.list(grove.contextOf(), { params: {}, query: { name: 'old' } } as never);
    assert.deepEqual((page as { content: { hosts: string[] }[] }).content[0]?.hosts, ['*']);
  });

  it('a delivery to an address that is no longer allowed is refused when it is due', async () => {
    const { id } = await grove.webhook('https://hooks.example.com/', {
      events: ['instance.paused'],
      retryIntervalsMs: [],
    });
    const move = unprepared('UPDATE webhooks SET uri = $3 WHERE tenant_id = $1 AND id = $2');
    await grove.db.of(grove.tenantId).write((tx) => tx.run(move, [grove.tenantId, id, 'https://169.254.169.254/']));
    await grove.tell({ type: 'instance.paused' });
    await grove.deliverDue();
    assert.deepEqual(await lastError(id), { last_error: 'refused_address', status: 'FAILED', attempts: 1 });
  });

  it('a delivery by GET has no body, names its event in the query and is signed', async () => {
    const receiver = await grove.receiver();
    const { secret: key } = await grove.webhook(`${receiver.uri}?own=1`, {
      method: 'GET',
      events: ['instance.created'],
    });
    const { instanceId } = await grove.tell({ type: 'instance.created', sequence: 1 });
    await grove.deliverDue();
    const { method, url, body, headers } = receiver.received.at(-1) ?? assert.fail();
    const query = `own=1&type=instance.created&processInstanceId=${instanceId}&sequence=1`;
    assert.deepEqual([method, url, body], ['GET', `/hook?${query}`, '']);
    new Webhook(key).verify(body, headers);
    assert.throws(() => new Webhook(key).verify(body, { ...headers, 'webhook-id': 'another' }));
  });
});
