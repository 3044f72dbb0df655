import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../src/config.ts';
import { unprepared } from '../src/db/db.ts';
import { openDb } from '../src/db/open.ts';
import { openBlobs } from '../src/engines/blobs/open.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { asTenantId } from '../src/kernel/ids.ts';
import { readImage } from '../src/process-manager/images/read-image.ts';
import { openMasterKey } from '../src/secrets/master-key.ts';
import { openVault } from '../src/secrets/vault.ts';
import { type Child, type Children, testChildren } from './child.ts';
import { CRASH_ROUNDS, CRASH_TIMEOUT_MS, chance, untilDone } from './crash-rounds.ts';
import { codeOf } from './end-user.ts';
import { onBothEngines, openTestApp, type TestPlace } from './harness.ts';
import { noise } from './images.ts';

/** Uploads to a server that is killed again and again: acknowledged uploads exist, and no row lacks its bytes. */
const ROUNDS = CRASH_ROUNDS;
const END_USERS = 4;
/** The server is killed that long after a few answers: at any point of the next uploads. */
const MAX_UPLOADS_BEFORE = 6;
const KILL_WITHIN_MS = 250;
const TENANT = asTenantId('acme');
const IMAGE = await noise(500, 400).jpeg().toBuffer();

type Server = { child: Child; base: string; bearer: string };
type Row = { instance_id: string; blob_key: string; bytes: number };

async function start(children: Children, place: TestPlace, apiKey: string): Promise<Server> {
  const quiet = { PORT: '0', HOST: '127.0.0.1', GROVE_RATE_LIMIT: 'off', GROVE_LOG_LEVEL: 'silent' };
  const child = children.start('server', { ...quiet, ...place.environment });
  const base = `http://127.0.0.1:${await child.line()}`;
  const answer = await fetch(`${base}/api/arthr/apiKeys/issue`, { method: 'POST', headers: { 'X-Api-Key': apiKey } });
  return { child, base, bearer: ((await answer.json()) as { token: string }).token };
}

async function post(server: Server, path: string, body: object | Buffer, headers: Record<string, string>) {
  const type = Buffer.isBuffer(body) ? 'image/jpeg' : 'application/json';
  const answer = await fetch(`${server.base}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': type, ...headers },
    body: Buffer.isBuffer(body) ? (body as unknown as BodyInit) : JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what it should be.
  const content = (await answer.json()) as any;
  assert.ok(answer.ok, JSON.stringify(content));
  return { content, cookie: (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' };
}

/** One end user who sends the same image again and again; each acknowledged upload is recorded. */
async function uploadUntilKilled(server: Server, tokenId: string, acknowledged: Map<string, number>): Promise<void> {
  try {
    const create = `/api/process-manager/processInstances/create?pt=${tokenId}`;
    const { content: instance } = await post(server, create, {}, { Authorization: `Bearer ${server.bearer}` });
    const code = codeOf(instance.redirectUrl);
    const { content: opened, cookie } = await post(server, '/api/journey/sessions', { code }, {});
    const journey = `/api/journey/${instance.processInstanceId}`;
    await post(
      server,
      `${journey}/steps/consent`,
      { revision: opened.revision ?? 1, result: { accepted: true } },
      { cookie },
    );
    for (;;) {
      await post(server, `${journey}/steps/document/images/front`, IMAGE, { cookie });
      acknowledged.set(instance.processInstanceId, (acknowledged.get(instance.processInstanceId) ?? 0) + 1);
    }
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
  }
}

/** Every row opens, to its last byte; every instance with an acknowledged upload has one. */
async function assertWhole(place: TestPlace, acknowledged: ReadonlyMap<string, number>): Promise<number> {
  const config = readConfig(place.environment);
  const db = openDb(config.database, () => undefined);
  try {
    const blobs = openBlobs(config, systemClock);
    const vault = openVault({ master: openMasterKey(config.masterKey), clock: systemClock });
    const all = unprepared('SELECT instance_id, blob_key, bytes FROM instance_images WHERE tenant_id = $1');
    const rows = await db.of(TENANT).all<Row>(all, [TENANT]);
    for (const row of rows) assert.equal((await readImage({ vault, blobs }, db.of(TENANT), row)).length, row.bytes);
    const recorded = new Set(rows.map(({ instance_id }) => instance_id));
    assert.deepEqual(
      [...acknowledged.keys()].filter((id) => !recorded.has(id)),
      [],
    );
    return rows.length;
  } finally {
    await db.close();
  }
}

describe('uploads to a server that is killed', { timeout: CRASH_TIMEOUT_MS }, () => {
  onBothEngines(`${ROUNDS} times`, (_engine, places) => {
    const children = testChildren();

    it('uploads to a server that is killed leave no row without its bytes, and no acknowledged upload is lost', async (t) => {
      const place = await places.create();
      const grove = await openTestApp(place);
      const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' });
      const token = await grove.token(apiKey);
      const body = JSON.stringify({ name: 'crash', processDefnName: 'document-only' });
      const creation = await grove.call('/api/process-manager/processTokens', { method: 'POST', body, token });
      await grove.stop();

      let uploads = 0;
      const acknowledged = new Map<string, number>();
      for (let round = 0; round < ROUNDS; round++) {
        const server = await start(children, place, apiKey);
        const users = Array.from({ length: END_USERS }, () =>
          uploadUntilKilled(server, creation.body.id, acknowledged),
        );
        const total = () => [...acknowledged.values()].reduce((sum, each) => sum + each, 0);
        const enough = uploads + 1 + chance() * MAX_UPLOADS_BEFORE;
        // An end user who ends before the server is killed has met a fault.
        await untilDone(() => total() >= enough, users);
        await sleep(chance() * KILL_WITHIN_MS);
        await server.child.kill('SIGKILL');
        await Promise.all(users);
        uploads = total();
        await assertWhole(place, acknowledged);
      }
      assert.ok(uploads >= ROUNDS, `${uploads} uploads are too few to show anything`);
      t.diagnostic(`${uploads} acknowledged uploads in ${ROUNDS} rounds`);
    });
  });
});
