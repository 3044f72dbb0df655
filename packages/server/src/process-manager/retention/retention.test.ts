import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { verifySigned } from '../../../test/signed.ts';
import type { TenantDb } from '../../db/db.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';

const DAY = 24 * HOUR;
const instances = '/api/process-manager/processInstances';
const retention = '/api/process-manager/retention';

onBothEngines('retention', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  let token: string;
  let db: TenantDb;

  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'keeper', environment: 'test' })).apiKey;
    token = await app.token(testKey);
    db = app.app.db.of(asTenantId('acme'));
  });
  after(() => app.stop());

  const endedInstance = async () => {
    const { user, processInstanceId } = await startJourney(app, testKey);
    await user.finish();
    return processInstanceId;
  };
  /** Both clocks must agree, so the test does not advance the clock but makes the instance older. */
  const expire = (id: string, { days = 1, deadline }: { days?: number; deadline?: number | null } = {}) =>
    db.write(async (tx) => {
      const at = app.clock.now() - days * DAY;
      await tx.run({ text: 'UPDATE process_instances SET expiring_at = $3 WHERE tenant_id = $1 AND id = $2' }, [
        tx.tenantId,
        id,
        at,
      ]);
      if (deadline === undefined) return;
      await tx.run({ text: 'UPDATE process_instances SET deadline_at = $3 WHERE tenant_id = $1 AND id = $2' }, [
        tx.tenantId,
        id,
        deadline,
      ]);
    });
  const there = async (id: string, bearer = token) =>
    (await app.call(`${instances}/${id}`, { token: bearer })).status === 200;
  const run = (bearer = token) => app.call(`${retention}/run`, { method: 'POST', token: bearer });
  const preview = (bearer = token) => app.call(`${retention}/preview`, { token: bearer });
  const erasure = (id: string, bearer = token) => app.call(`/api/process-manager/erasures/${id}`, { token: bearer });
  const beginMidnight = async () => {
    await app.app.jobs.tend();
    await app.app.db.system.write((tx) =>
      tx.run({ text: "UPDATE jobs SET run_at = 0 WHERE kind LIKE 'process-manager.purge%'" }, []),
    );
    await app.app.jobs.runDue();
    // A job has ended when it waits for the next midnight, or for another attempt.
    const due = { text: "SELECT id FROM jobs WHERE kind LIKE 'process-manager.purge%' AND run_at = 0" };
    for (let tries = 0; tries < 500 && (await app.app.db.system.all(due, [])).length > 0; tries++) {
      await new Promise((turn) => setTimeout(turn, 10));
    }
  };
  const erased = async (id: string) => {
    await app.app.jobs.runDue();
    for (let tries = 0; tries < 500; tries++) {
      const { body } = await erasure(id);
      if (body.state === 'ERASED') return body;
      await new Promise((turn) => setTimeout(turn, 10));
    }
    throw new Error('the erasure is never confirmed');
  };

  it('retention removes what has expired, the oldest first, and nothing else; a preview shows the same and changes nothing', async () => {
    const [old, older, young] = [await endedInstance(), await endedInstance(), await endedInstance()];
    await expire(old);
    await expire(older, { days: 2 });
    const { body: previewBody } = await preview();
    assert.deepEqual([previewBody.due, previewBody.inReview, previewBody.clockFault], [2, 0, undefined]);
    assert.equal(Date.parse(previewBody.oldestExpiringDtm), app.clock.now() - 2 * DAY);
    assert.ok((await there(old)) && (await there(older)));
    const { status, body } = await run();
    assert.deepEqual([status, body], [200, { purged: 2, left: 0 }]);
    assert.deepEqual([await there(old), await there(older), await there(young)], [false, false, true]);
    assert.deepEqual((await run()).body, { purged: 0, left: 0 });
    assert.equal((await preview()).body.oldestCreatedDtm, undefined);
  });

  it('retention waits for the deadline of an instance that has not ended, but not for a pending review after it', async () => {
    const [running, overdue, reviewed] = await Promise.all([
      startJourney(app, testKey),
      startJourney(app, testKey),
      startJourney(app, testKey),
    ]);
    await expire(running.processInstanceId);
    await expire(overdue.processInstanceId, { deadline: app.clock.now() });
    await expire(reviewed.processInstanceId, { deadline: null });
    await db.write((tx) =>
      tx.run({ text: "UPDATE process_instances SET status = 'REVIEW' WHERE tenant_id = $1 AND id = $2" }, [
        tx.tenantId,
        reviewed.processInstanceId,
      ]),
    );
    assert.deepEqual([(await preview()).body.due, (await preview()).body.inReview], [2, 1]);
    assert.equal((await run()).body.purged, 2);
    assert.ok(await there(running.processInstanceId));
    await app.call(`${instances}/${running.processInstanceId}`, { method: 'DELETE', token });
  });

  it('retention leaves a receipt that the published keys verify after everything is gone, and an audit event', async () => {
    const id = await endedInstance();
    await expire(id);
    await run();
    const { receipt, ...body } = await erased(id);
    const { header, payload } = await verifySigned(app, receipt);
    assert.equal(header.typ, 'grove-erasure+jwt');
    const { iss, aud, sub, iat, ...claims } = JSON.parse(String(payload));
    assert.ok(iss.startsWith('http') && Number.isInteger(iat));
    const { processInstanceId, state, ...summary } = body;
    assert.deepEqual([aud, sub, state, claims], ['acme', processInstanceId, 'ERASED', summary]);
    assert.deepEqual([summary.reason, summary.deletedBy, summary.blobsRemoved], ['RETENTION', 'API Key: keeper', 4]);
    // The rows of the instance: its key, its journey and session, four images, checks and events.
    assert.ok(summary.rowsRemoved > 10, `${summary.rowsRemoved} rows`);
    const { body: events } = await app.call(`/api/process-manager/auditEvents?processInstanceId=${id}`, { token });
    const actions = events.content.map(({ action }: { action: string }) => action);
    assert.deepEqual(actions.toSorted(), ['instance.erased', 'instance.purged']);
  });

  it('retention counts in the receipt exactly the deleted rows', async () => {
    const id = await endedInstance();
    const tables = await tablesOf(db);
    const count = async () => {
      let total = 0;
      for (const table of tables) {
        const text = `SELECT count(*) AS total FROM ${table} WHERE tenant_id = $1`;
        total += (await db.get<{ total: number }>({ text }, [db.tenantId]))?.total ?? 0;
      }
      return total;
    };
    const before = await count();
    await app.call(`${instances}/${id}`, { method: 'DELETE', token });
    assert.equal((await erasure(id)).body.rowsRemoved, before - (await count()));
  });

  it('retention answers 100081 for an instance that was not erased, or is of the other environment or another tenant', async () => {
    const id = await endedInstance();
    assert.equal((await erasure(id)).body.code, 100081);
    await app.call(`${instances}/${id}`, { method: 'DELETE', token });
    assert.equal((await erasure(id)).status, 200);
    assert.equal((await erasure(id)).body.reason, 'REQUEST');
    assert.equal((await erasure(id, await app.token())).body.code, 100081);
    const { apiKey } = await app.app.tenants.create({ id: `other-${Date.now()}` });
    assert.equal((await erasure(id, await app.token(apiKey))).body.code, 100081);
  });

  it('retention of one environment or tenant does not change another', async () => {
    const id = await endedInstance();
    await expire(id);
    const { apiKey } = await app.app.tenants.create({ id: `another-${Date.now()}` });
    for (const bearer of [await app.token(), await app.token(apiKey)]) {
      assert.deepEqual((await preview(bearer)).body, { due: 0, inReview: 0 });
      assert.deepEqual((await run(bearer)).body, { purged: 0, left: 0 });
    }
    assert.ok(await there(id));
    assert.equal((await run()).body.purged, 1);
  });

  it('retention runs every midnight, for every tenant', async () => {
    const id = await endedInstance();
    await expire(id);
    const place = '/api/process-manager/processTokens';
    const tokenBody = {
      name: 'over long ago',
      processDefnName: 'document-and-selfie',
      notAfterDtm: '2020-01-01T00:00:00Z',
    };
    const over = await app.call(place, { method: 'POST', token, body: JSON.stringify(tokenBody) });
    assert.equal(over.status, 201, over.text);
    await beginMidnight();
    for (let tries = 0; tries < 500; tries++) {
      if ((await app.call(`${place}/${over.body.id}`, { token })).status === 404) break;
      await new Promise((turn) => setTimeout(turn, 10));
    }
    assert.equal(
      (await app.call(`${place}/${over.body.id}`, { token })).status,
      404,
      'a token whose time is over goes',
    );
    for (let tries = 0; tries < 100 && (await there(id)); tries++) await run();
    const { deletedBy, reason } = await erased(id);
    assert.deepEqual([deletedBy, reason], ['Retention', 'RETENTION']);
    const [next] = await app.app.db.system.all<{ run_at: number }>(
      { text: "SELECT run_at FROM jobs WHERE kind = 'process-manager.purge'" },
      [],
    );
    assert.equal((next?.run_at ?? 1) % DAY, 0);
  });

  it('retention notifies subscribers that the instance was deleted, and why', async () => {
    const creation = await app.call('/api/notification-service/webhooks', {
      method: 'POST',
      token,
      body: JSON.stringify({ name: 'crm', uri: 'https://hooks.example.com/', events: ['instance.deleted'] }),
    });
    assert.equal(creation.status, 201, creation.text);
    const id = await endedInstance();
    await expire(id);
    const { body: events } = await app.call(`${instances}/${id}/events`, { token });
    await run();
    const path = `/api/notification-service/webhooks/${creation.body.id}`;
    const text = 'SELECT event, sequence, payload FROM webhook_deliveries WHERE tenant_id = $1 AND instance_id = $2';
    const [delivery, ...more] = await db.all<{ event: string; sequence: number; payload: string }>({ text }, [
      'acme',
      id,
    ]);
    assert.deepEqual([delivery?.event, delivery?.sequence], ['instance.deleted', events.totalElements + 1]);
    assert.match(delivery?.payload ?? '', /"reason":"RETENTION"/);
    assert.deepEqual(more, []);
    await app.call(path, { method: 'DELETE', token });
  });

  it('retention removes the person from a process token with its last instance, and the token if it can no longer be used', async () => {
    const left = async (more: object, times = 1) => {
      const parameters = { firstName: 'Unmistakable', documentType: 'PASSPORT' };
      const name = `token ${Math.random()}`;
      const body = JSON.stringify({ name, processDefnName: 'document-only', parameters, ...more });
      const creation = await app.call('/api/process-manager/processTokens', { method: 'POST', body, token });
      const ids: string[] = [];
      for (let at = 0; at < times; at++) {
        const created = await app.call(`${instances}/create?pt=${creation.body.id}`, { method: 'POST', token });
        ids.push(created.body.processInstanceId);
      }
      await app.call(`${instances}/${ids[0]}`, { method: 'DELETE', token });
      const listed = await app.call(`/api/process-manager/processTokens?processTokenSearch=${name}`, { token });
      return listed.body.content[0].parameters;
    };
    assert.deepEqual(await left({ type: 'MULTI_USE_COUNT_LIMITED', maxCount: 1 }), {});
    assert.deepEqual(await left({}), { documentType: 'PASSPORT' });
    assert.deepEqual(await left({}, 2), { firstName: 'Unmistakable', documentType: 'PASSPORT' });
  });

  it('retention is refused with 100080 while the clocks differ by more than five minutes, or were set back', async () => {
    const id = await endedInstance();
    await expire(id);
    // The other clock has advanced since the test began.
    const right = Date.now();
    for (const [off, fault] of [
      [6 * MINUTE, /minutes off/],
      [-6 * MINUTE, /minutes off/],
      [DAY, /minutes off/],
    ] as const) {
      app.clock.set(right + off);
      const bearer = await app.token(testKey);
      const { status, body } = await run(bearer);
      assert.deepEqual([status, body.code], [409, 100080]);
      assert.match(body.message, fault);
      assert.match((await preview(bearer)).body.clockFault, fault);
    }
    app.clock.set(right);
    await db.write((tx) =>
      tx.run({ text: "UPDATE tenant_settings SET value = $2 WHERE tenant_id = $1 AND name = 'retention.lastPurge'" }, [
        tx.tenantId,
        String(right + 6 * MINUTE),
      ]),
    );
    assert.match((await run()).body.message, /in the future/);
    assert.ok(await there(id));
    await db.write((tx) =>
      tx.run({ text: "UPDATE tenant_settings SET value = '0' WHERE tenant_id = $1 AND name = 'retention.lastPurge'" }, [
        tx.tenantId,
      ]),
    );
    app.clock.set(right + 4 * MINUTE);
    assert.equal((await run()).status, 200, 'what clocks differ by anyway is no fault');
    // The midnight job may be due by now: a run skips what the job has locked.
    for (let tries = 0; tries < 100 && (await there(id)); tries++) await run();
    assert.ok(!(await there(id)));
    app.clock.set(right);
  });

  it('retention at midnight does nothing while the clocks differ, and the operator can see why', async () => {
    const id = await endedInstance();
    await expire(id);
    // The test clock stands still while the system clock advances, so the difference is set from the present time.
    const right = Date.now();
    app.clock.set(right + 6.25 * MINUTE);
    await beginMidnight();
    const fault = async () =>
      (
        await app.app.db.system.get<{ last_error: string | null }>(
          {
            text: "SELECT last_error FROM jobs WHERE kind = 'process-manager.purge-instances' AND last_error IS NOT NULL",
          },
          [],
        )
      )?.last_error;
    for (let tries = 0; tries < 500 && !(await fault()); tries++) await new Promise((turn) => setTimeout(turn, 10));
    assert.match((await fault()) ?? '', /^nothing was deleted: the clock of the server is 6 minutes off/);
    app.clock.set(right);
    assert.ok(await there(id));
  });
});

/** Tables whose rows name instances but stay: audit, erasures, tombstones and totals. */
async function tablesOf(db: TenantDb): Promise<string[]> {
  const text = `/*sqlite SELECT name FROM sqlite_schema WHERE type = 'table' AND instr(sql, ' tenant_id ') > 0*/
    /*postgres SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = current_schema() AND column_name = 'tenant_id'*/`;
  const rows = await db.all<{ name: string }>({ text }, []);
  const others = ['audit_events', 'erasures', 'instance_tombstones', 'counters', 'webhook_queue', 'webhook_endpoints'];
  // The parts of a partitioned table, on PostgreSQL.
  const isOther = (name: string) => others.includes(name) || name.startsWith('audit_events_');
  return rows.map(({ name }) => name).filter((name) => !isOther(name));
}
