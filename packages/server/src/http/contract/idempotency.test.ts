import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { operations, takesIdempotencyKey } from '@grove/contract';
import { onBothEngines, openTestApp, type TestApp, type TestPlace } from '../../../test/harness.ts';
import { HOUR } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { idempotency, purgeAnswers } from './idempotency.ts';

const ACME = asTenantId('acme');
const PURGE_LATER = `SELECT id FROM jobs WHERE kind = 'http.purge-answers' AND run_at > $1 AND lease_until = 0`;
const COUNT = 'SELECT count(*) AS n FROM idempotency_keys WHERE tenant_id = $1 AND operation = $2';

onBothEngines('Idempotency-Key', (_engine, places) => {
  let place: TestPlace;
  let grove: TestApp;
  before(async () => {
    place = await places.create();
    grove = await openTestApp(place);
  });
  after(() => grove.stop());

  const create = (key: string, name: string, on = grove, token?: string) =>
    on.call('/api/arthr/apiKeys', {
      method: 'POST',
      body: JSON.stringify({ name, permissions: ['TNT#acme#*'] }),
      headers: { 'Idempotency-Key': key },
      ...(token && { token }),
    });
  const countOf = async (name: string) => (await grove.client.apiKeys.list({ query: { name } })).totalElements;

  it('a repeated request gets the same answer, marked as replayed, and creates nothing', async () => {
    const first = await create('retry', 'made once');
    const again = await create('retry', 'made once');
    assert.equal(first.status, 201);
    assert.equal(again.status, 201);
    assert.deepEqual(again.body, first.body);
    assert.equal(first.headers.get('idempotent-replayed'), null);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(await countOf('made once'), 1);
  });

  it('a repeated person request is created once, too', async () => {
    const find = () =>
      grove.call('/api/userdata-server/personRequests', {
        method: 'POST',
        body: JSON.stringify({ email: 'once@example.com' }),
        headers: { 'Idempotency-Key': 'person' },
      });
    const [first, again] = [await find(), await find()];
    assert.deepEqual([first.status, again.status], [202, 202], first.text);
    assert.equal(again.body.id, first.body.id);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
  });

  it('every back-end operation that creates something accepts an Idempotency-Key, and no other declares it', () => {
    const taking = operations().filter(({ operation }) => takesIdempotencyKey(operation));
    for (const id of ['apiKeys.create', 'processInstances.create', 'processInstances.start', 'personRequests.erase']) {
      assert.ok(
        taking.some((each) => each.id === id),
        id,
      );
    }
    // A journey has no API key, so its operations cannot store an answer for one.
    assert.deepEqual(
      taking.filter(({ operation }) => operation.permission === undefined),
      [],
    );
    const created = operations().filter(({ operation }) => operation.status === 201 && operation.permission);
    assert.deepEqual(
      created.filter((each) => !taking.some(({ id }) => id === each.id)),
      [],
    );
  });

  it('100012: an Idempotency-Key with another body is refused', async () => {
    await create('body', 'one body');
    const { status, body } = await create('body', 'another body');
    assert.deepEqual([status, body.code], [422, 100012]);
    assert.equal(await countOf('another body'), 0);
  });

  it('100012: another caller never gets the stored answer, which holds a secret', async () => {
    const first = await create('caller', 'for one caller');
    const other = await grove.client.apiKeys.create({
      body: { name: 'the other caller', permissions: ['TNT#acme#*'] },
    });
    const { status, text } = await create('caller', 'for one caller', grove, await grove.token(other.code));
    assert.equal(status, 422);
    assert.ok(!text.includes(first.body.code));
  });

  it('an Idempotency-Key of a test caller does not block the same one of a live caller', async () => {
    const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'CI', environment: 'test' });
    const first = await create('order-1', 'of the test key', grove, await grove.token(apiKey));
    assert.equal(first.status, 201, first.text);
    const { status, text } = await create('order-1', 'of the live key');
    assert.equal(status, 201, text);
  });

  it('100011: twenty equal requests at once create one; the others are told to wait or get its answer', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('race', 'raced')));
    const statuses = answers.map(({ status }) => status);
    assert.ok(
      statuses.every((status) => status === 201 || status === 409),
      String(statuses),
    );
    assert.equal(new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.code)).size, 1);
    for (const { status, body, headers } of answers) {
      if (status === 409) assert.deepEqual([body.code, headers.get('retry-after')], [100011, '1']);
    }
    assert.equal(await countOf('raced'), 1);
  });

  it('100011: an Idempotency-Key is refused while its first request is running, and nothing is started twice', async () => {
    const perform = idempotency({ vault: grove.app.vault, clock: grove.clock });
    const released = Promise.withResolvers<void>();
    const beginnings: string[] = [];
    const send = (name: string, operation = 'test.slow', tenantId = ACME) =>
      perform({
        operation,
        key: 'slow',
        fingerprint: 'same',
        context: { tenantId, db: grove.app.db.of(tenantId), principal: { callerId: 'caller' } } as Context,
        async handle() {
          beginnings.push(name);
          if (name === 'first') await released.promise;
          return name;
        },
      });
    const refusal = new ApiError(100011, { retryAfterSeconds: 1 });
    const neighbour = asTenantId('neighbour');
    await grove.app.tenants.create({ id: neighbour });
    const first = send('first');
    const second = assert.rejects(send('second'), refusal);
    const theirs = send('of another tenant', 'test.slow', neighbour);
    released.resolve();
    assert.deepEqual(await theirs, { body: 'of another tenant', replayed: false });
    await second;
    assert.deepEqual(await first, { body: 'first', replayed: false });
    assert.deepEqual(await send('third'), { body: 'first', replayed: true });
    assert.deepEqual(await send('elsewhere', 'test.other'), { body: 'elsewhere', replayed: false });
    assert.deepEqual(beginnings.toSorted(), ['elsewhere', 'first', 'of another tenant']);
  });

  it('two nodes that get a request at once create one', async () => {
    const second = await openTestApp(place, {
      clock: grove.clock,
      environment: { GROVE_PUBLIC_PORT: new URL(grove.baseUrl).port },
    });
    try {
      const token = await grove.token();
      for (let round = 0; round < 10; round++) {
        const name = `two nodes ${round}`;
        const answers = await Promise.all(
          [grove, second, grove, second].map((node) =>
            create(`nodes ${round}`.replaceAll(' ', '-'), name, node, token),
          ),
        );
        const creations = answers.filter(({ status }) => status === 201);
        assert.ok(creations.length >= 1, JSON.stringify(answers.map(({ body }) => body)));
        for (const { status, body } of answers) assert.ok(status === 201 || body.code === 100011, JSON.stringify(body));
        assert.equal(new Set(creations.map(({ body }) => body.code)).size, 1);
        assert.equal(await countOf(name), 1);
      }
    } finally {
      await second.stop();
    }
  });

  it('a request that failed stores no answer, so its Idempotency-Key can be used again', async () => {
    await grove.client.apiKeys.create({ body: { name: 'in the way' } });
    assert.equal((await create('failed', 'in the way')).status, 409);
    assert.equal((await create('failed', 'out of the way')).status, 201);
  });

  it('an Idempotency-Key is kept for 24 hours, and is free afterwards', async () => {
    await create('old', 'before');
    grove.clock.advance(24 * HOUR - 1);
    assert.equal((await create('old', 'after', grove, await grove.token())).status, 422);
    grove.clock.advance(1);
    const { status, headers } = await create('old', 'after', grove, await grove.token());
    assert.deepEqual([status, headers.get('idempotent-replayed')], [201, null]);
  });

  it('an Idempotency-Key is deleted a day later, however many there are, and not before', async () => {
    const now = grove.clock.now();
    // The hourly job of the server is due, too, since the previous test has moved the clock: it must have run before.
    const isOver = async () => (await grove.app.db.system.get({ text: PURGE_LATER }, [now])) !== undefined;
    for (let looks = 0; !(await isOver()); looks += 1) {
      assert.ok(looks < 500, 'the hourly job runs');
      await grove.app.jobs.runDue();
      await wait(10);
    }
    const db = grove.app.db.of(ACME);
    const count = async () => (await db.get<{ n: number }>({ text: COUNT }, [ACME, 'purged']))?.n;
    const rows = Array.from({ length: 601 }, (_, at) => `($1, 'purged', 'k${at}', $2, $2, ${now - 24 * HOUR})`);
    const young = `($1, 'purged', 'young', $2, $2, ${now - 24 * HOUR + 1})`;
    // This answer was stored while a clock was ahead, and is removed before that time comes.
    const ahead = `($1, 'purged', 'ahead', $2, $2, ${now + 24 * HOUR + 1})`;
    const insert = `INSERT INTO idempotency_keys (tenant_id, operation, key, request_hash, sealed, created_at)
      VALUES ${[...rows, young, ahead].join(', ')}`;
    await db.write((tx) => tx.run({ text: insert }, [ACME, Buffer.alloc(32)]));
    // A request replaces its own expired answer at once; it does not wait until the answers of others are removed.
    assert.equal((await create('not-purged', 'not purged', grove, await grove.token())).status, 201);
    assert.equal(Number(await count()), 603);
    await purgeAnswers(db, now, new AbortController().signal);
    assert.equal(Number(await count()), 1);
  });

  it('100001: an Idempotency-Key that is empty, too long or not ASCII is refused', async () => {
    const token = await grove.token();
    for (const key of ['a b', 'x'.repeat(256), 'ü']) {
      const { status, body } = await create(key, `key ${key.length}`, grove, token);
      assert.deepEqual([status, body.errors[0].pointer], [400, '/headers/idempotency-key']);
    }
  });

  it('an Idempotency-Key has a sealed answer: its secret is not readable in the database', async () => {
    const { body } = await create('sealed', 'sealed answer', grove, await grove.token());
    const rows = await grove.app.db
      .of('acme' as never)
      .all<{ sealed: Uint8Array }>({ text: 'SELECT sealed FROM idempotency_keys' }, []);
    assert.ok(rows.length > 0);
    for (const { sealed } of rows) assert.ok(!Buffer.from(sealed).includes(body.code.slice(-43)));
  });

  it('an Idempotency-Key has no plain hash of the request, by which somebody could test guesses', async () => {
    await create('hash', 'hashed', grove, await grove.token());
    const rows = await grove.app.db
      .of(ACME)
      .all<{ request_hash: Uint8Array }>({ text: 'SELECT request_hash FROM idempotency_keys' }, []);
    assert.ok(rows.length > 0);
    for (const { request_hash } of rows) assert.deepEqual(Buffer.from(request_hash), Buffer.alloc(32));
  });

  it('an Idempotency-Key of an earlier release still gives its answer, only to the same request', async () => {
    const token = await grove.token();
    await create('older', 'older', grove, token);
    const context = JSON.stringify(['apiKeys.create', 'older']);
    await grove.app.db.of(ACME).write(async (tx) => {
      const select = { text: "SELECT sealed FROM idempotency_keys WHERE tenant_id = $1 AND key = 'older'" };
      const row = await tx.get<{ sealed: Uint8Array }>(select, [ACME]);
      const opened = await grove.app.vault.openFor(tx, 'idempotency', context, row?.sealed as Uint8Array);
      const [hash, body] = JSON.parse(String(opened));
      const sealed = await grove.app.vault.sealFor(tx, 'idempotency', context, Buffer.from(JSON.stringify(body)));
      const update = {
        text: "UPDATE idempotency_keys SET request_hash = $2, sealed = $3 WHERE tenant_id = $1 AND key = 'older'",
      };
      await tx.run(update, [ACME, Buffer.from(hash, 'base64'), sealed]);
    });
    const again = await create('older', 'older', grove, token);
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
    assert.equal((await create('older', 'other', grove, token)).status, 422);
  });
});
