import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../src/config.ts';
import { unprepared } from '../src/db/db.ts';
import { openDb } from '../src/db/open.ts';
import { asTenantId } from '../src/kernel/ids.ts';
import { type Child, type Children, testChildren } from './child.ts';
import { CRASH_ROUNDS, CRASH_TIMEOUT_MS, chance, untilDone } from './crash-rounds.ts';
import { onBothEngines, openTestApp, type TestPlace } from './harness.ts';

/**
 * Acknowledged changes exist, complete and counted, however the server ended. The server is a real process; it is
 * killed while 32 writers write, started again on the same data, and checked.
 */
const ROUNDS = CRASH_ROUNDS;
const WRITERS = 32;
const KILL_AFTER_KEYS = { from: 20, to: 200 };
const SAMPLES = 3;
const PAGE = 1000;
const TENANT = asTenantId('acme');

type Key = { id: string; code: string };
type CreateRequest = { name: string; idempotencyKey?: string };
type Server = {
  child: Child;
  create(sent: CreateRequest): Promise<{ status: number; replayed: boolean; key: Key }>;
  get<T>(path: string): Promise<T>;
  /** Exchanges a key for a token, which shows that its secret is the stored one. */
  issue(apiKey: string): Promise<string>;
};

/** The knowledge of the writers: requests that were answered, and requests whose connection was lost. */
type Ledger = { answered: Map<string, CreateRequest & Key>; unanswered: CreateRequest[] };

async function startServer(children: Children, place: TestPlace, apiKey: string): Promise<Server> {
  const quiet = { PORT: '0', HOST: '127.0.0.1', GROVE_RATE_LIMIT: 'off', GROVE_LOG_LEVEL: 'silent' };
  const child = children.start('server', { ...quiet, ...place.environment });
  const baseUrl = `http://127.0.0.1:${await child.line()}/api/arthr/apiKeys`;
  const token = await issue(baseUrl, apiKey);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return {
    child,
    issue: (other) => issue(baseUrl, other),
    async create({ name, idempotencyKey }) {
      const answer = await fetch(baseUrl, {
        method: 'POST',
        headers: { ...headers, ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }) },
        body: JSON.stringify({ name }),
      });
      const key = (await answer.json()) as Key;
      return { status: answer.status, replayed: answer.headers.get('idempotent-replayed') === 'true', key };
    },
    async get(path) {
      const answer = await fetch(`${baseUrl}${path}`, { headers });
      assert.equal(answer.status, 200);
      return (await answer.json()) as never;
    },
  };
}

async function issue(baseUrl: string, apiKey: string): Promise<string> {
  const answer = await fetch(`${baseUrl}/issue`, { method: 'POST', headers: { 'X-Api-Key': apiKey } });
  const body = (await answer.json()) as { token?: string };
  assert.ok(body.token, JSON.stringify(body));
  return body.token;
}

/**
 * Writes until the server is gone. Half of the writers send an Idempotency-Key, so that they can repeat their requests.
 */
async function write(server: Server, ledger: Ledger, round: number, writer: number): Promise<void> {
  for (let number = 1; ; number++) {
    const name = `${writer % 2 ? 'once' : 'plain'} ${round}.${writer}.${number}`;
    const request: CreateRequest = writer % 2 ? { name, idempotencyKey: name.replace(' ', '-') } : { name };
    try {
      const { status, key } = await server.create(request);
      assert.equal(status, 201, `${name}: ${JSON.stringify(key)}`);
      ledger.answered.set(name, { ...request, ...key });
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      ledger.unanswered.push(request);
      return;
    }
  }
}

/**
 * A client that lost its connection repeats its request, and there is exactly one key, whether the first request
 * succeeded or not.
 */
async function askAgain(server: Server, { answered: keysByName, unanswered }: Ledger): Promise<number> {
  const repeatable = unanswered.filter(({ idempotencyKey }) => idempotencyKey);
  const retry = async (request: CreateRequest) => {
    const { status, key } = await server.create(request);
    assert.equal(status, 201, `${request.name}: ${JSON.stringify(key)}`);
    keysByName.set(request.name, { ...request, ...key });
    const { content } = await server.get<{ content: Key[] }>(`?name=${encodeURIComponent(request.name)}`);
    assert.deepEqual(
      content.map(({ id }) => id),
      [key.id],
    );
  };
  await Promise.all(repeatable.map(retry));
  unanswered.length = 0;
  for (const request of [...keysByName.values()].filter(({ idempotencyKey }) => idempotencyKey).slice(-SAMPLES)) {
    const { status, replayed, key } = await server.create(request);
    assert.deepEqual([status, replayed, key.id, key.code], [201, true, request.id, request.code]);
  }
  return repeatable.length;
}

/** Reads the newest keys first, until all of these are found. */
async function assertListed(server: Server, names: ReadonlySet<string>): Promise<void> {
  const missing = new Set(names);
  for (let page = 0, last = false; missing.size > 0 && !last; page++) {
    const answer = await server.get<{ content: Key[]; last: boolean }>(`?sort=id,desc&size=${PAGE}&page=${page}`);
    for (const { id } of answer.content) missing.delete(id);
    last = answer.last;
  }
  assert.equal(missing.size, 0, `${missing.size} of ${names.size} acknowledged keys are lost`);
}

const STATE = unprepared(`SELECT
  (SELECT CAST(sum(value) AS BIGINT) FROM counters WHERE tenant_id = $1 AND name = 'apiKeys') AS counted,
  (SELECT count(*) FROM api_keys WHERE tenant_id = $1) AS keys,
  (SELECT count(*) FROM key_tenants WHERE owner_tenant_id = $1) AS owners,
  (SELECT count(*) FROM api_keys k JOIN key_tenants o ON o.key_id = k.id WHERE k.tenant_id = $1) AS whole,
  (SELECT count(*) FROM api_keys WHERE tenant_id = $1 AND name LIKE 'once %') AS once,
  (SELECT count(*) FROM idempotency_keys WHERE tenant_id = $1) AS answers`);
type State = Record<'counted' | 'keys' | 'owners' | 'whole' | 'once' | 'answers', number>;

/** Counter, keys, owners and stored answers agree, in one snapshot of the database. */
async function assertWhole(place: TestPlace): Promise<number> {
  const db = openDb(readConfig(place.environment).database, () => undefined);
  try {
    const state = await db.of(TENANT).get<State>(STATE, [TENANT]);
    assert.ok(state);
    const { keys, once } = state;
    assert.deepEqual({ ...state }, { counted: keys, keys, owners: keys, whole: keys, once, answers: once });
    return keys;
  } finally {
    await db.close();
  }
}

describe('a server that is killed while it writes', { timeout: CRASH_TIMEOUT_MS }, () => {
  onBothEngines(`${ROUNDS} times`, (_engine, places) => {
    const children = testChildren();

    it('a server that is killed while it writes has every key that it acknowledged, complete and counted, and creates exactly one for a client that repeats its request', async (t) => {
      const place = await places.create();
      const grove = await openTestApp(place);
      const { apiKey } = grove;
      await grove.stop();

      const ledger: Ledger = { answered: new Map(), unanswered: [] };
      let askedAgain = 0;
      const examine = async (server: Server, since: number) => {
        await assertWhole(place);
        askedAgain += await askAgain(server, ledger);
        const newest = [...ledger.answered.values()].slice(since);
        await assertListed(server, new Set(newest.map(({ id }) => id)));
        for (const { code } of newest.slice(-SAMPLES)) await server.issue(code);
      };

      for (let round = 1, since = 0; round <= ROUNDS; round++) {
        const server = await startServer(children, place, apiKey);
        await examine(server, since);
        since = ledger.answered.size;
        const writers = Array.from({ length: WRITERS }, (_, writer) => write(server, ledger, round, writer));
        const { from, to } = KILL_AFTER_KEYS;
        const enough = since + from + chance() * (to - from);
        await untilDone(() => ledger.answered.size >= enough, writers);
        await server.child.kill('SIGKILL');
        await Promise.all(writers);
      }
      const server = await startServer(children, place, apiKey);
      await examine(server, 0);
      const keyCount = await assertWhole(place);
      t.diagnostic(`${keyCount} keys, ${ledger.answered.size} of them acknowledged, ${askedAgain} clients asked again`);

      // Otherwise the kills came before anything was written, and the test would prove nothing.
      assert.ok(ledger.answered.size > ROUNDS * 10, `${ledger.answered.size} keys were acknowledged`);
      assert.ok(askedAgain > ROUNDS, `${askedAgain} clients asked again`);
      assert.ok(keyCount >= ledger.answered.size + 1);
    });
  });
});
