import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';
import { AUDIT_KEPT_DAYS } from '../../audit/purge-audit.ts';
import { DAY, startOfMonth } from '../../kernel/clock.ts';
import { asTenantId, firstIdAt } from '../../kernel/ids.ts';
import { sql } from '../db.ts';
import { deleteSomeRows, tenantTables } from '../tenant-tables.ts';
import { tendMonths } from './months.ts';

const TENANT = asTenantId('acme');
const OTHER = asTenantId('other');
/** The statement is prepared, like the statements of the server. */
const ADD = sql(
  `INSERT INTO audit_events (tenant_id, environment, id, at, action, actor) VALUES ($1, 'live', $2, $3, 'retention.run', 'Test')`,
);
/** The row refers to the tenant, as most rows do. */
const ADD_READ = sql(
  `INSERT INTO key_reads (tenant_id, environment, api_key_id, hour_at, persons) VALUES ($1, 'live', $2, 0, 1)`,
);
const november = Date.UTC(2026, 10, 18);

describe('audit events by the month, on PostgreSQL', () => {
  const places = testPlaces('postgres');

  const opened = async (work: (app: TestApp, url: string) => Promise<void>) => {
    const place = await places.create();
    const app = await openTestApp(place);
    try {
      await app.app.db.system.write((tx) =>
        tx.run(
          { text: `INSERT INTO tenants (id, name, status, created_at) SELECT $1, $1, status, created_at FROM tenants` },
          [OTHER],
        ),
      );
      await work(app, place.environment.DATABASE_URL ?? '');
    } finally {
      await app.stop();
    }
  };
  const add = ({ app }: TestApp, at: number, tenant = TENANT) =>
    app.db.of(tenant).write((tx) => tx.run(ADD, [tenant, `${firstIdAt(at)}${'0'.repeat(15)}${tenant[0]}`, at]));
  /** The table that contains each event of the test. */
  const parts = async ({ app }: TestApp, tenant = TENANT) => {
    const text = `SELECT CAST(CAST(tableoid AS regclass) AS TEXT) AS part FROM audit_events
      WHERE tenant_id = $1 AND action = 'retention.run' ORDER BY id`;
    const rows = await app.db.of(tenant).all<{ part: string }>({ text }, [tenant]);
    return rows.map(({ part }) => part.replace('audit_events_', ''));
  };
  const tend = (url: string, now: number, dropBefore = 0) =>
    tendMonths(url, { table: 'audit_events', now, dropBefore });

  it('audit events that exist already stay in the first part, and new ones go to the part of their month', () =>
    opened(async (app, url) => {
      await add(app, november);
      assert.deepEqual((await tend(url, november)).newMonths, ['2027_01']);
      await add(app, november + DAY);
      await add(app, Date.UTC(2026, 11, 31, 23, 59, 59, 999));
      await add(app, Date.UTC(2027, 0, 1));
      await add(app, Date.UTC(2027, 0, 31, 23, 59, 59, 999));
      await add(app, Date.UTC(2027, 1, 1));
      assert.deepEqual(await parts(app), ['before', 'before', 'before', '2027_01', '2027_01', 'other']);
      assert.deepEqual(await tend(url, november + DAY), { newMonths: [], endedParts: [] });
    }));

  it('audit events stored before the part of their month existed are moved to it, for all tenants', () =>
    opened(async (app, url) => {
      await tend(url, november);
      const late = Date.UTC(2027, 3, 10);
      for (const tenant of [TENANT, OTHER]) await add(app, late, tenant);
      await add(app, Date.UTC(2027, 8, 1));
      assert.deepEqual((await tend(url, late)).newMonths, ['2027_04', '2027_05', '2027_06']);
      assert.deepEqual([await parts(app), await parts(app, OTHER)], [['2027_04', 'other'], ['2027_04']]);
    }));

  it('the part of a month is dropped when all of the month has expired, and not before', () =>
    opened(async (app, url) => {
      await add(app, november);
      await tend(url, november);
      await add(app, Date.UTC(2027, 0, 31, 23, 59, 59, 999));
      const [february, later] = [Date.UTC(2027, 1, 1), Date.UTC(2028, 2, 10)];
      assert.deepEqual((await tend(url, later, february - 1)).endedParts, ['audit_events_before']);
      assert.deepEqual(await parts(app), ['2027_01']);
      assert.deepEqual((await tend(url, later, february)).endedParts, ['audit_events_2027_01']);
      assert.deepEqual(await parts(app), []);
    }));

  it('the part of a month shows a tenant only its own events, also to SQL that names the table of the month', () =>
    opened(async (app, url) => {
      await tend(url, november);
      await add(app, Date.UTC(2027, 0, 5), OTHER);
      await add(app, Date.UTC(2027, 4, 5), OTHER);
      const rowsIn = async (table: string) =>
        (await app.app.db.of(TENANT).all({ text: `SELECT * FROM ${table}` }, [])).length;
      assert.deepEqual([await rowsIn('audit_events_2027_01'), await rowsIn('audit_events_other')], [0, 0]);
      const refusal = /row-level security/;
      const january = { text: ADD.text.replace('audit_events', 'audit_events_2027_01') };
      const id = `${firstIdAt(Date.UTC(2027, 0, 6))}${'0'.repeat(16)}`;
      await assert.rejects(
        app.app.db.of(TENANT).write((tx) => tx.run(january, [OTHER, id, 1])),
        refusal,
      );
    }));

  it('the part of a month has every index of the table, and refers to no other table, which would be locked with it', () =>
    opened(async (app, url) => {
      await tend(url, november);
      const count = async (table: string) => {
        const text = `SELECT (SELECT count(*) FROM pg_index WHERE indrelid = CAST($1 AS regclass) AND indisvalid) AS indexes,
          (SELECT count(*) FROM pg_constraint WHERE conrelid = CAST($1 AS regclass) AND contype = 'f') AS references`;
        return app.app.db.system.get({ text }, [table]);
      };
      for (const part of ['before', '2027_01', 'other'])
        assert.deepEqual(await count(`audit_events_${part}`), { indexes: 6, references: 0 }, part);
    }));

  it('keys and indexes of audit_events keep their names, so that a migration can name them', () =>
    opened(async (app, url) => {
      const text = `SELECT CAST(array_agg(CAST(relname AS TEXT) ORDER BY relname) AS TEXT) AS names FROM pg_index
        JOIN pg_class ON oid = indexrelid WHERE indrelid = to_regclass('audit_events')`;
      const names = () => app.app.db.system.get({ text }, []);
      const before = await names();
      await tend(url, november);
      assert.deepEqual(await names(), before);
    }));

  it('all audit events of a tenant that is deleted are removed, from every month', () =>
    opened(async (app, url) => {
      await tend(url, november);
      for (const month of [10, 12, 20])
        for (const tenant of [TENANT, OTHER]) await add(app, Date.UTC(2026, month, 5), tenant);
      await app.app.db.of(OTHER).write(async (tx) => {
        for (const table of (await tenantTables(tx)).filter(({ name }) => name.startsWith('audit_events')))
          await deleteSomeRows(tx, table, { tenantId: OTHER, limit: 100 });
      });
      assert.deepEqual([(await parts(app)).length, (await parts(app, OTHER)).length], [3, 0]);
    }));

  it('a transaction that writes audit events while months are created and dropped succeeds, also if it wrote something else before', () =>
    opened(async (app, url) => {
      let isDone = false;
      let count = 0;
      const writing = Promise.all(
        Array.from({ length: 6 }, async (_, writer) => {
          for (let at = writer; !isDone || at < 60; at += 6) {
            const id = `${firstIdAt(november + at)}${'0'.repeat(16)}`;
            await app.app.db.of(TENANT).write(async (tx) => {
              if (writer > 2) await tx.run(ADD_READ, [TENANT, id]);
              await wait(writer);
              await tx.run(ADD, [TENANT, id, november + at]);
            });
            count += 1;
          }
        }),
      );
      await tend(url, november);
      await tend(url, Date.UTC(2027, 3, 10));
      await tend(url, Date.UTC(2027, 5, 10), Date.UTC(2027, 4, 10));
      isDone = true;
      await writing;
      assert.ok(count >= 60);
    }));

  it('a transaction that writes an audit event while its month is created succeeds', () =>
    opened(async (app, url) => {
      await tend(url, november);
      const MONTHS = 18;
      let latest = 3;
      const writing = Promise.all(
        Array.from({ length: 8 }, async (_, writer) => {
          for (let number = writer; latest < MONTHS; number += 8) {
            const at = Date.UTC(2027, latest, 10, 0, 0, 0, number);
            await app.app.db
              .of(TENANT)
              .write((tx) => tx.run(ADD, [TENANT, `${firstIdAt(at)}${String(number).padStart(16, '0')}`, at]));
          }
        }),
      );
      for (; latest < MONTHS; latest += 3) {
        await wait(30);
        await tend(url, Date.UTC(2027, latest, 10));
      }
      await writing;
      assert.ok(!(await parts(app)).includes('other'));
    }));

  it('the jobs create the months, remove expired events from the first part, and drop that part when it is empty', () =>
    opened(async (app) => {
      const { clock } = app;
      clock.set(startOfMonth(clock.now(), 1) + 10 * DAY);
      await add(app, clock.now());
      const shownRows = async () => {
        const path = '/api/process-manager/auditEvents?action=retention.run';
        return (await app.call(path, { token: await app.token() })).body.totalElements;
      };
      const runDays = async (days: number) => {
        clock.advance(days * DAY);
        await app.app.jobs.tend();
        await app.app.jobs.runDue();
      };
      await runDays(1);
      assert.deepEqual([await parts(app), await shownRows()], [['before'], 1]);
      await runDays(AUDIT_KEPT_DAYS - 2);
      assert.deepEqual([await parts(app), await shownRows()], [['before'], 1]);
      await runDays(2);
      assert.deepEqual([await parts(app), await shownRows()], [[], 0]);
      await runDays(60);
      const text = "SELECT to_regclass('audit_events_before') IS NULL AS dropped";
      assert.deepEqual(await app.app.db.system.get({ text }, []), { dropped: true });
    }));
});

describe('audit events in a month that is not over', () => {
  const places = testPlaces('postgres');

  it('audit events that have expired are hidden at once, and deleted together with their month', async () => {
    const app = await openTestApp(await places.create());
    const { clock, app: own } = app;
    try {
      const runDays = async (days: number) => {
        clock.advance(days * DAY);
        await own.jobs.tend();
        await own.jobs.runDue();
      };
      const count = async () => {
        const text = `SELECT count(*) AS total FROM audit_events WHERE tenant_id = $1 AND action = 'retention.run'`;
        const path = '/api/process-manager/auditEvents?action=retention.run';
        const { body } = await app.call(path, { token: await app.token() });
        return [(await own.db.of(TENANT).get<{ total: number }>({ text }, [TENANT]))?.total, body.totalElements];
      };
      await own.db.tendMonths?.({ table: 'audit_events', now: clock.now(), dropBefore: 0 });
      clock.set(startOfMonth(clock.now(), 3) + 10 * DAY);
      await runDays(1);
      const at = clock.now();
      await own.db.of(TENANT).write((tx) => tx.run(ADD, [TENANT, `${firstIdAt(at)}${'0'.repeat(16)}`, at]));
      assert.deepEqual(await count(), [1, 1]);
      await runDays(AUDIT_KEPT_DAYS - 1);
      assert.deepEqual(await count(), [1, 1]);
      await runDays(2);
      assert.deepEqual(await count(), [1, 0]);
      await runDays(31);
      assert.deepEqual(await count(), [0, 0]);
    } finally {
      await app.stop();
    }
  });
});
