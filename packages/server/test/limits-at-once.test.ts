import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { lockName } from '../src/db/named-lock.ts';
import { asTenantId } from '../src/kernel/ids.ts';
import { DEFAULT_TOKENS } from '../src/theme-server/themes/default-theme.ts';
import { onBothEngines, testPlaces } from './harness.ts';
import { openTestIdentity, type TestIdentity } from './identity.ts';

/** Limits of count when several are created at the same moment. */

const WEBHOOKS = '/api/notification-service/webhooks';
const webhook = (name: string) => ({ name, uri: 'https://hooks.example.com/', events: ['*'] });

onBothEngines('creations at the same moment', (_engine, places) => {
  let grove: TestIdentity;
  before(async () => {
    grove = await openTestIdentity(await places.create());
  });
  after(() => grove.stop());

  const statuses = async (length: number, create: (at: number) => Promise<{ status: number }>) =>
    (await Promise.all(Array.from({ length }, (_, at) => create(at)))).map(({ status }) => status).sort();

  it('creations at the same moment make no more users than the store may hold', async () => {
    const store = await grove.store('Small', { maxUsers: 5 });
    const answers = await statuses(15, (at) => grove.send('POST', `${store}/users`, { extId: `user-${at}` }));
    assert.deepEqual(answers, [...Array(5).fill(201), ...Array(10).fill(409)]);
    assert.equal((await grove.send('GET', `${store}/users`)).body.totalElements, 5);
  });

  it('creations at the same moment make no more webhooks than there may be', async () => {
    const create = (name: string) => grove.call(WEBHOOKS, { method: 'POST', body: JSON.stringify(webhook(name)) });
    for (let at = 0; at < 97; at++) assert.equal((await create(`before ${at}`)).status, 201);
    assert.deepEqual(await statuses(12, (at) => create(`at once ${at}`)), [
      ...Array(3).fill(201),
      ...Array(9).fill(409),
    ]);
    assert.equal((await grove.call(`${WEBHOOKS}?size=1`)).body.totalElements, 100);
  });
});

describe('limits of count on PostgreSQL', () => {
  let watcher: pg.Client;
  // Before the database is dropped, which would end a connection to it.
  after(() => watcher.end());
  const places = testPlaces('postgres');
  let grove: TestIdentity;
  let store: string;
  let definitionId: string;
  before(async () => {
    const place = await places.create();
    const environment = { ...place.environment, GROVE_MAX_PROCESS_TOKENS: '100' };
    grove = await openTestIdentity({ ...place, environment });
    watcher = new pg.Client({ connectionString: place.environment.DATABASE_URL });
    await watcher.connect();
    // Otherwise row-level security hides the stores.
    await watcher.query("SELECT set_config('app.tenant', 'acme', false)");
    store = await grove.store('Doors');
    const { body } = await grove.call('/api/process-manager/processDefinitions');
    definitionId = body.content[0].id;
  });
  after(() => grove.stop());

  const WAITING = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const storeId = async () =>
    (await watcher.query("SELECT id FROM identity_stores WHERE name = 'Doors'")).rows[0].id as string;

  const kinds: [title: string, lock: readonly string[], path: () => string, body: () => object][] = [
    ['webhooks', ['webhooks', 'live'], () => WEBHOOKS, () => webhook('one')],
    [
      'process tokens',
      ['process_tokens', 'live'],
      () => '/api/process-manager/processTokens',
      () => ({ name: 'one', processDefnName: 'document-and-selfie' }),
    ],
    [
      'cloud secrets',
      ['cloud_secrets', 'live'],
      () => '/api/process-manager/cloudSecrets',
      () => ({ name: 'one', value: 'v' }),
    ],
    [
      'themes',
      ['themes', 'live'],
      () => '/api/theme-server/themes',
      () => ({ name: 'one', palette: DEFAULT_TOKENS.palette }),
    ],
    ['watchlists', ['watchlists', 'live'], () => '/api/watchlist-manager/facewatchlists', () => ({ name: 'one' })],
    ['identity stores', ['identity_stores', 'live'], () => '/api/identity-store/stores', () => ({ name: 'One' })],
    ['roles', ['roles'], () => '/api/operator-manager/roles', () => ({ name: 'one' })],
    [
      'operators',
      ['operators'],
      () => '/api/operator-manager/operators',
      () => ({ name: 'Ann', email: 'ann@example.com', role: 'Developer' }),
    ],
    ['event queries', ['event_queries', 'live'], () => '/api/identity-store/events/queries/start', () => ({})],
    ['exports', ['exports', 'live'], () => '/api/process-manager/exports', () => ({})],
    [
      'person requests',
      ['person_requests', 'live'],
      () => '/api/userdata-server/personRequests',
      () => ({ email: 'ann@example.com' }),
    ],
    [
      'shadow versions',
      ['shadow_versions', 'live'],
      () => '/api/process-manager/shadowVersions',
      () => ({ processDefinitionId: definitionId }),
    ],
  ];

  /** The call waits for the lock, and is answered once it is free. */
  const waitsFor = async (lock: readonly string[], path: string, body: object) => {
    const acme = grove.app.db.of(asTenantId('acme'));
    let answer: ReturnType<TestIdentity['call']> | undefined;
    await acme.write(async (tx) => {
      const [kind = '', ...owner] = lock;
      lockName(tx, kind, ...owner);
      await tx.get({ text: 'SELECT 1 AS one' }, []);
      answer = grove.call(path, { method: 'POST', body: JSON.stringify(body) });
      const early = answer.then(({ text }) => text);
      while (!(await watcher.query(WAITING)).rowCount) {
        const text = await Promise.race([early, wait(20)]);
        assert.equal(text, undefined, 'the answer did not wait for the lock');
      }
    });
    const { status, text } = (await answer) ?? assert.fail();
    assert.ok(status === 201 || status === 202, text);
  };

  for (const [title, lock, path, body] of kinds) {
    it(`limits of count on PostgreSQL let the creations of one tenant run one after another: ${title}`, () =>
      waitsFor(lock, path(), body()));
  }

  it('limits of count on PostgreSQL let the creations of one store run one after another: policies, and users of a store with maxUsers', async () => {
    await waitsFor(['store_policies', await storeId(), 'TOTP'], `/api/identity-store${store}/totpPolicy`, {
      name: 'app',
      issuer: 'Example',
    });
    const small = await grove.store('Few', { maxUsers: 5 });
    const { rows } = await watcher.query("SELECT id FROM identity_stores WHERE name = 'Few'");
    await waitsFor(['users', rows[0].id], `/api/identity-store${small}/users`, {});
  });
});
