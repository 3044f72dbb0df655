import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addTestTenants, openTestDb } from '../../../test/database.ts';
import { startJourney } from '../../../test/end-user.ts';
import { openTestApp, type TestPlace, testPlaces } from '../../../test/harness.ts';
import { PGBOUNCER, type PgBouncer, startPgBouncer } from '../../../test/pgbouncer.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { addToCounter, readCounter } from '../counters.ts';
import { type Db, unprepared } from '../db.ts';
import { openPostgres } from './postgres.ts';

/** Two connections, each used by whichever transaction runs: state left on one would reach another caller. */
const CONNECTIONS = 2;
const skip = PGBOUNCER ? false : 'needs pgbouncer (Debian: apt-get install pgbouncer)';

// Each test is skipped rather than the suite, so that the number of tests is the same without PgBouncer.
const it = (title: string, work: () => Promise<void>) => test(title, { skip }, work);

describe('PgBouncer in transaction mode', () => {
  const places = testPlaces('postgres');
  let bouncer: PgBouncer;
  let place: TestPlace;
  let db: Db;
  let acme: TenantId;
  let other: TenantId;
  before(async () => {
    if (skip) return;
    const { adminUrl } = await places.postgres();
    bouncer = await startPgBouncer(new URL(adminUrl).searchParams.get('host') ?? '', CONNECTIONS);
    const direct = await places.createEmpty();
    const url = bouncer.through(direct.environment.DATABASE_URL as string);
    place = { ...direct, environment: { ...direct.environment, DATABASE_URL: url } };
    db = await openTestDb(place);
    [acme, other] = await addTestTenants(db, 'acme', 'other');
  });
  after(async () => {
    await db?.close();
    await bouncer?.stop();
  });

  const TENANTS = unprepared('SELECT DISTINCT tenant_id AS tenant FROM counters');
  const SETTINGS = unprepared(`SELECT current_setting('app.tenant', true) AS tenant,
    current_setting('statement_timeout') AS timeout`);

  it('PgBouncer in transaction mode shows every tenant its own rows, though all of them share two connections', async () => {
    await Promise.all(
      Array.from({ length: 120 }, async (_, at) => {
        const tenant = [acme, other][at % 2] as TenantId;
        await db.of(tenant).write((tx) => addToCounter(tx, 'shared', 1));
        if (at % 7 === 0) await assert.rejects(db.of(tenant).write((tx) => tx.all(unprepared('SELECT wrong'), [])));
        if (at % 11 === 0) await assert.rejects(db.of(tenant).get(unprepared('SELECT wrong'), []));
        assert.deepEqual(await db.of(tenant).all(TENANTS, []), [{ tenant }]);
        assert.deepEqual(await db.system.all(TENANTS, []), []);
      }),
    );
    assert.deepEqual([await readCounter(db.of(acme), 'shared'), await readCounter(db.of(other), 'shared')], [60, 60]);
    assert.deepEqual(await db.of(acme).get(SETTINGS, []), { tenant: acme, timeout: '4s' });
  });

  it('PgBouncer in transaction mode needs one round trip for a read of one tenant', async () => {
    const trips = () => db.pools?.().main.roundTrips ?? 0;
    const before = trips();
    await readCounter(db.of(acme), 'shared');
    assert.equal(trips() - before, 1);
  });

  it('PgBouncer in transaction mode is refused at the start if DATABASE_URL does not declare it', async () => {
    const url = new URL(place.environment.DATABASE_URL as string);
    url.searchParams.delete('pgbouncer');
    const unaware = openPostgres({ url: url.href, maxConnections: 1, onIdleError: () => undefined });
    await assert.rejects(unaware.ready(), { fault: 'unavailable' });
    await unaware.close();
  });

  it('PgBouncer in transaction mode serves a whole journey of the sandbox, and reports that it receives no signals of other servers', async () => {
    const grove = await openTestApp(place, { tenantId: 'third' });
    try {
      const { apiKey } = await grove.app.tenants.createApiKey('third', { name: 'sandbox', environment: 'test' });
      const { user } = await startJourney(grove, apiKey);
      assert.equal((await user.finish()).result.outcome, 'passed');
      const stop = grove.app.db.signals.listen(() => undefined);
      assert.equal(grove.app.db.signals.isComplete, false);
      stop();
    } finally {
      await grove.stop();
    }
  });
});
