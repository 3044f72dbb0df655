import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { startJourney } from '../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp, type TestPlace } from '../../test/harness.ts';
import { openBlobs } from '../engines/blobs/open.ts';
import { defineJob } from '../jobs/define-job.ts';
import { openJobs } from '../jobs/jobs.ts';
import { asTenantId, newId } from '../kernel/ids.ts';
import { storeSingleSignOn } from '../operators/single-sign-on/settings.repository.ts';
import { deleteTenant } from './delete-tenant.ts';
import { openSuspensions } from './suspensions.ts';
import { setTenantStatus } from './tenants.repository.ts';

onBothEngines('the suspension and deletion of a tenant', (_engine, places) => {
  const acme = asTenantId('acme');
  const other = asTenantId('other');
  let place: TestPlace;
  let app: TestApp;
  let testKey: string;
  let otherKey: string;
  let journey: Awaited<ReturnType<typeof startJourney>>;
  let ran = 0;
  const job = defineJob<object>({
    kind: 'test.of-tenant',
    does: 'counts',
    maxAttempts: 2,
    timeoutMs: 1000,
    backoff: { firstMs: 1, mostMs: 1 },
    async run() {
      ran += 1;
    },
  });

  before(async () => {
    place = await places.create();
    app = await openTestApp(place);
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    otherKey = (await app.app.tenants.create({ id: 'other' })).apiKey;
    journey = await startJourney(app, testKey, {});
    await journey.user.submit('consent', { accepted: true });
    await journey.user.upload('document', 'front', { any: 'thing' });
    await app.client.stores.create({ body: { name: 'customers' } });
    await app.client.users.create({ storeName: 'customers', body: { extId: 'c-1' } });
    const list = await app.client.watchlists.create({ body: { name: 'fraud', type: 'EMAIL' } });
    await app.client.watchlists.addMember({
      watchlistId: list.id,
      body: { value: 'x@example.com' },
    });
    await app.client.webhooks.create({
      body: { name: 'crm', uri: 'https://hooks.example.com/x', events: ['*'] },
    });
  });
  after(() => app.stop());

  const code = async (call: Promise<{ status: number; body: { code?: number } }>) => {
    const { status, body } = await call;
    return [status, body.code];
  };
  const issue = (key: string) =>
    app.call('/api/arthr/apiKeys/issue', { method: 'POST', token: null, headers: { 'X-Api-Key': key } });
  /** A server reads its cached tenants again after three seconds. */
  const later = () => app.clock.advance(3001);

  it('a tenant that is suspended is refused with 100320 for every key, token and journey, until it is resumed, and other tenants are not', async () => {
    const token = await app.token();
    await app.app.tenants.suspend('acme');
    later();
    assert.deepEqual(await code(app.call('/api/arthr/apiKeys', { token })), [403, 100320]);
    assert.deepEqual(await code(issue(app.apiKey)), [403, 100320]);
    assert.deepEqual(await code(issue('grv_live_01JZ4M8Q2V7R9T3W5X6Y8Z0ABC_nonsense')), [401, 271]);
    assert.deepEqual(await code(journey.user.call()), [403, 100320]);
    const body = JSON.stringify({ code: 'acme.nonsense' });
    assert.deepEqual(
      await code(app.call('/api/journey/sessions', { method: 'POST', body, token: null })),
      [403, 100320],
    );
    assert.equal((await issue(otherKey)).status, 200);
    await app.app.tenants.resume('acme');
    later();
    assert.equal((await journey.user.call()).status, 200);
    assert.equal((await app.call('/api/arthr/apiKeys', { token })).status, 200);
  });

  it('the jobs of a suspended tenant wait without losing an attempt, and continue when it is resumed', async () => {
    const { db } = app.app;
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const { ids } = openSuspensions({ system: db.system, clock: app.clock });
    const jobs = openJobs({ db, clock: app.clock, log, suspended: ids });
    jobs.register(job);
    await app.app.tenants.suspend('acme');
    later();
    await db.of(acme).write((tx) => jobs.enqueue(tx, job, {}));
    await db.of(other).write((tx) => jobs.enqueue(tx, job, {}));
    for (let round = 0; round < 4; round++) {
      await jobs.runDue();
      app.clock.advance(61_000);
    }
    assert.equal(ran, 1, 'that of the other tenant');
    await app.app.tenants.resume('acme');
    later();
    await jobs.runDue();
    assert.equal(ran, 2);
  });

  it('a tenant that is deleted loses every row and image, and the other tenant keeps all of its own', async () => {
    const { db } = app.app;
    await app.app.tenants.suspend('acme');
    later();
    const rowsOf = async (tenantId: typeof acme) => {
      const before = await tablesWith(app, place);
      const counts: Record<string, number> = {};
      for (const [table, column] of before) {
        const reads = column === 'tenant_id' ? db.of(tenantId) : db.system;
        const rowCount = await reads.get<{ n: number }>(
          { text: `SELECT count(*) AS n FROM ${table} WHERE ${column} = $1` },
          [tenantId],
        );
        if (Number(rowCount?.n) > 0) counts[table] = Number(rowCount?.n);
      }
      return counts;
    };
    const others = await rowsOf(other);
    assert.ok(Object.keys(await rowsOf(acme)).length > 10);
    // A redaction had begun: its rows are gone, and its blob still exists.
    const pendingKey = newId(app.clock.now());
    await openBlobs(app.config, app.clock).put(pendingKey, Buffer.from('sealed'));
    await db.of(acme).write((tx) =>
      tx.run(
        {
          text: `INSERT INTO redactions (tenant_id, instance_id, environment, definition_id, state, reason, created_at,
            deleted_at, deleted_by, rows_removed, blobs_removed, blob_keys)
            VALUES ($1, $2, 'live', 'd', 'ERASING', 'REDACTION', 0, 0, 'test', 1, 1, $3)`,
        },
        [acme, newId(app.clock.now()), JSON.stringify([pendingKey])],
      ),
    );
    assert.ok(blobsIn(place) > 1);
    await db.system.write((tx) => setTenantStatus(tx, { id: acme, status: 'DELETING' }));
    await assert.rejects(app.app.tenants.resume('acme'), /is being deleted/);
    const stages = new Set<string>();
    const blobs = openBlobs(app.config, app.clock);
    // Another server writes one more row after the last table was emptied.
    let isLate = false;
    const write: typeof db.system.write = async (work) => {
      if (isLate) {
        isLate = false;
        const late = {
          issuer: 'https://late',
          clientId: 'late',
          clientSecretName: '',
          scopes: [],
          groupsClaim: 'g',
          roles: [],
        };
        await db.of(acme).write((tx) => storeSingleSignOn(tx, late, 0));
      }
      return db.system.write(work);
    };
    const onProgress = (stage: string, count: number, total: number) => {
      if (stage === 'tables' && count === total && !stages.has('late')) {
        isLate = true;
        stages.add('late');
      }
      stages.add(stage);
    };
    const racing = { ...db, system: { ...db.system, write } };
    const done = await deleteTenant({ db: racing, blobs, onProgress }, acme);
    assert.equal(done.rowsRemoved.single_sign_on, 1);
    stages.delete('late');
    assert.ok(done.blobsRemoved > 0 && (done.rowsRemoved.api_keys ?? 0) > 0);
    assert.deepEqual([...stages], ['images', 'tables']);
    assert.deepEqual(await rowsOf(acme), {});
    assert.equal(blobsIn(place), 0);
    // A server that has just started records for each tenant what it has sealed.
    const { tenant_settings: _noted, ...stayed } = await rowsOf(other);
    assert.deepEqual({ ...stayed, tenant_settings: others.tenant_settings }, others);
    later();
    assert.deepEqual(await code(issue(app.apiKey)), [401, 271]);
    assert.equal((await issue(otherKey)).status, 200);
    assert.deepEqual(
      (await app.app.tenants.list()).map(({ id }) => id),
      ['other'],
    );
    // A second deletion finds nothing to do.
    const again = await deleteTenant({ db, blobs, onProgress: () => undefined }, acme);
    assert.deepEqual(again, { blobsRemoved: 0, rowsRemoved: {} });
  });

  it('a tenant that is deleted keeps no search terms of an instance that another server creates during the deletion', async () => {
    const { db } = app.app;
    const WORDS = 'instance_terms';
    const tables = (await tablesWith(app, place)).map(([name]) => name).sort();
    const blobs = openBlobs(app.config, app.clock);
    let lateWrite: Promise<unknown> | undefined;
    const onProgress = (stage: string, count: number) => {
      if (stage !== 'tables' || count <= tables.indexOf(WORDS) + 1) return;
      const text = `INSERT INTO ${WORDS} (tenant_id, environment, term, instance_id) VALUES ($1, 'live', 'late', 'late')`;
      lateWrite ??= db.of(other).write((tx) => tx.run({ text }, [other]));
    };
    const write: typeof db.system.write = async (work) => {
      await lateWrite;
      return db.system.write(work);
    };
    const racing = { ...db, system: { ...db.system, write } };
    const { rowsRemoved } = await deleteTenant({ db: racing, blobs, onProgress }, other);
    assert.ok(lateWrite);
    assert.equal(rowsRemoved[WORDS], 1);
  });
});

async function tablesWith(app: TestApp, { engine }: TestPlace): Promise<[string, string][]> {
  const text =
    engine === 'sqlite'
      ? "SELECT m.name AS t, p.name AS c FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table'"
      : 'SELECT table_name AS t, column_name AS c FROM information_schema.columns WHERE table_schema = current_schema()';
  const rows = await app.app.db.system.all<{ t: string; c: string }>({ text }, []);
  return rows.filter(({ c }) => c === 'tenant_id' || c === 'owner_tenant_id').map(({ t, c }) => [t, c]);
}

function blobsIn({ folder }: TestPlace): number {
  const home = join(folder, 'blobs');
  if (!existsSync(home)) return 0;
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.filter(({ parentPath }) => !parentPath.includes('erased')).length;
}
