import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../src/config.ts';
import { unprepared } from '../src/db/db.ts';
import { openDb } from '../src/db/open.ts';
import { MINUTE } from '../src/kernel/clock.ts';
import { asTenantId } from '../src/kernel/ids.ts';
import { type Child, type Children, testChildren } from './child.ts';
import { CRASH_ROUNDS, chance, untilDone } from './crash-rounds.ts';
import { codeOf } from './end-user.ts';
import { onBothEngines, openTestApp, type TestPlace } from './harness.ts';

/**
 * Journeys of a server that is killed again and again: an acknowledged instance exists, an acknowledged step was
 * accepted, and the next server does the pending work. CRASH_ROUNDS sets more rounds than every run of the tests can
 * afford.
 */
const ROUNDS = CRASH_ROUNDS;
const END_USERS = 8;
const KILL_AFTER_INSTANCES = { from: 2, to: 24 };
/** The last of them is in progress when the server is killed. */
const KILL_WITHIN_MS = 30;
const TENANT = asTenantId('acme');

type Json = Record<string, unknown>;
/** One end user, and how far the journey is according to the server. */
type Ride = { id: string; code: string; cookie?: string; acknowledged: string[]; spent?: boolean };

type Server = { child: Child; base: string; token: string };

async function start(children: Children, place: TestPlace, apiKey: string, before = 0): Promise<Server> {
  const quiet = { PORT: '0', HOST: '127.0.0.1', GROVE_RATE_LIMIT: 'off', GROVE_LOG_LEVEL: 'silent' };
  // The leases of the servers that were killed before have expired.
  const clock = { TEST_CLOCK_AHEAD_MS: `${before * 2 * MINUTE}` };
  const child = children.start('server', { ...quiet, ...clock, ...place.environment });
  const base = `http://127.0.0.1:${await child.line()}`;
  const answer = await fetch(`${base}/api/arthr/apiKeys/issue`, { method: 'POST', headers: { 'X-Api-Key': apiKey } });
  return { child, base, token: ((await answer.json()) as { token: string }).token };
}

async function call(server: Server, path: string, init: { body?: Json; cookie?: string; post?: boolean } = {}) {
  const { body, cookie, post = body !== undefined } = init;
  const answer = await fetch(`${server.base}${path}`, {
    method: post ? 'POST' : 'GET',
    headers: {
      ...(cookie ? { cookie } : { Authorization: `Bearer ${server.token}` }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what it should be.
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
}

/** Creates an instance and submits its first steps; only acknowledged events are recorded. */
async function ride(server: Server, tokenId: string, rides: Ride[]): Promise<void> {
  const creation = await call(server, `/api/process-manager/processInstances/create?pt=${tokenId}`, { post: true });
  assert.equal(creation.status, 201);
  const one: Ride = {
    id: creation.body.processInstanceId,
    code: codeOf(creation.body.redirectUrl),
    acknowledged: ['instance.created'],
  };
  rides.push(one);
  one.spent = true;
  const opened = await call(server, '/api/journey/sessions', { body: { code: one.code } });
  assert.equal(opened.status, 200, JSON.stringify(opened.body));
  one.cookie = (opened.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
  one.acknowledged.push('instance.started');
  const journey = `/api/journey/${one.id}`;
  const { cookie } = one;
  const submit = async (step: string, result: Json) => {
    const { revision } = (await call(server, journey, { cookie })).body;
    const answer = await call(server, `${journey}/steps/${step}`, { body: { revision, result }, cookie });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  await submit('consent', { accepted: true });
  one.acknowledged.push('instance.stepCompleted consent');
  const uploaded = await call(server, `${journey}/steps/document/images/front`, { body: { person: 'ada' }, cookie });
  assert.equal(uploaded.status, 200);
  await submit('document', {});
  // From here on image analysis works; its result is checked after the crash.
  one.acknowledged.push('instance.stepCompleted document');
}

async function rideUntilKilled(server: Server, tokenId: string, rides: Ride[]): Promise<void> {
  for (;;) {
    try {
      await ride(server, tokenId, rides);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

async function assertTaken(server: Server, one: Ride): Promise<void> {
  const path = `/api/process-manager/processInstances/${one.id}/events?size=100`;
  for (let tries = 0; ; tries++) {
    const { status, body } = await call(server, path);
    assert.equal(status, 200, `an acknowledged instance is gone: ${JSON.stringify(body)}`);
    const eventNames = body.content.map(({ type, step }: { type: string; step?: string }) => {
      return step === undefined ? type : `${type} ${step}`;
    });
    const missing = one.acknowledged.filter((each) => !eventNames.includes(each));
    if (missing.length === 0) return;
    // Pending work is waited for; everything else must be there.
    assert.deepEqual(missing, ['instance.stepCompleted document']);
    assert.ok(tries < 5000, 'what a machine was asked to do is never done');
    await sleep(20);
  }
}

const WHOLE = unprepared(`SELECT
  (SELECT count(*) FROM process_instances WHERE tenant_id = $1) AS instances,
  (SELECT CAST(coalesce(sum(value), 0) AS BIGINT) FROM counters WHERE tenant_id = $1 AND name LIKE 'instances/%') AS total,
  (SELECT CAST(sum(counter) AS BIGINT) FROM process_tokens WHERE tenant_id = $1)
    + (SELECT CAST(coalesce(sum(value), 0) AS BIGINT) FROM counters WHERE tenant_id = $1 AND name LIKE 'processTokenUses/%') AS uses,
  (SELECT count(DISTINCT instance_id) FROM instance_events WHERE tenant_id = $1 AND sequence = 1) AS starts,
  (SELECT CAST(coalesce(sum(sequence), 0) AS BIGINT) FROM process_instances WHERE tenant_id = $1) AS sequences,
  (SELECT count(*) FROM instance_events WHERE tenant_id = $1) AS events`);
type Whole = Record<'instances' | 'total' | 'uses' | 'starts' | 'sequences' | 'events', number>;

/** Instances, totals, uses of the token and events agree, in one snapshot of the database. */
async function assertWhole(place: TestPlace): Promise<void> {
  const db = openDb(readConfig(place.environment).database, () => undefined);
  try {
    const { instances, total, uses, starts, sequences, events } = (await db
      .of(TENANT)
      .get<Whole>(WHOLE, [TENANT])) as Whole;
    assert.deepEqual({ total, uses, starts }, { total: instances, uses: instances, starts: instances });
    assert.equal(sequences, events, 'no event is missing in its sequence');
  } finally {
    await db.close();
  }
}

describe('journeys of a server that is killed', { timeout: 900_000 }, () => {
  onBothEngines(`${ROUNDS} times`, (_engine, places) => {
    const children = testChildren();

    it('journeys of a server that is killed lose no instance, no step and no acknowledged work', async (t) => {
      const place = await places.create();
      const grove = await openTestApp(place);
      const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' });
      const token = await grove.token(apiKey);
      const body = JSON.stringify({ name: 'crash', processDefnName: 'document-only' });
      const creation = await grove.call('/api/process-manager/processTokens', { method: 'POST', body, token });
      await grove.stop();

      let total = 0;
      let server = await start(children, place, apiKey);
      for (let round = 0; round < ROUNDS; round++) {
        const rides: Ride[] = [];
        const riding = Array.from({ length: END_USERS }, () => rideUntilKilled(server, creation.body.id, rides));
        const { from, to } = KILL_AFTER_INSTANCES;
        const enough = from + chance() * (to - from);
        await untilDone(() => rides.length >= enough, riding);
        await sleep(chance() * KILL_WITHIN_MS);
        await server.child.kill('SIGKILL');
        await Promise.all(riding);
        await assertWhole(place);
        server = await start(children, place, apiKey, round + 1);
        for (const one of rides) await assertTaken(server, one);
        total += rides.length;
      }
      await server.child.kill('SIGKILL');
      assert.ok(total >= ROUNDS * KILL_AFTER_INSTANCES.from, `${total} instances are too few to show anything`);
      t.diagnostic(`${total} acknowledged instances in ${ROUNDS} rounds`);
    });
  });
});
