import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { firstOwner, invitePerson } from '../../../test/operators.ts';
import type { Db, TenantDb } from '../../db/db.ts';
import type { JobContext } from '../../jobs/define-job.ts';
import { HOUR } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import type { MayStillCall } from '../../kernel/still-allowed.ts';
import { isStillPermitted } from '../../operators/sessions.ts';
import {
  addPart,
  changeExport,
  findExport,
  findExportForUpdate,
  findPart,
  removeExpired,
} from './exports.repository.ts';
import { MAX_EXPORTS_PER_CALLER, MAX_RUNNING_EXPORTS, openExports } from './exports.ts';
import { purgeExportsJob } from './run-export.ts';

const PATH = '/api/process-manager/exports';

onBothEngines('exports of instances', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  let token: string;

  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'exporter', environment: 'test' })).apiKey;
    token = await app.token(testKey);
  });
  after(() => app.stop());

  const start = async (firstName: string) => {
    const { processInstanceId } = await startJourney(app, testKey, { parameters: { firstName, lastName: 'Exported' } });
    app.clock.advance(1000);
    return processInstanceId;
  };
  const post = (path: string, body: object, bearer = token) =>
    app.call(`${PATH}${path}`, { method: 'POST', token: bearer, body: JSON.stringify(body) });
  const get = (id: string, bearer = token) => app.call(`${PATH}/${id}`, { token: bearer });
  const remove = (id: string, bearer = token) => app.call(`${PATH}/${id}`, { method: 'DELETE', token: bearer });
  const done = async (body: object) => {
    const creation = await post('', body);
    assert.equal(creation.status, 202, creation.text);
    for (;;) {
      const { body: row } = await get(creation.body.id);
      if (row.state !== 'RUNNING') return row;
      await wait(50);
    }
  };
  const download = async (id: string, bearer = token) => {
    const answer = await fetch(`${app.baseUrl}${PATH}/${id}/file`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${bearer}` },
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  /** Splits the same instances into that many parts. */
  const inParts = async (id: string, count: number) => {
    const db = app.app.db.of(asTenantId('acme'));
    await db.write(async (tx) => {
      const row = await findExportForUpdate(tx, { id });
      const ids = await findPart(tx, { export_id: id, part: 0 });
      assert.ok(row && ids);
      for (let part = 1; part < count; part += 1) await addPart(tx, { export_id: id, part, ids });
      await changeExport(tx, { ...row, num_parts: count });
    });
    const row = await findExport(db, { id });
    assert.ok(row);
    return row;
  };
  const downloadFor = async (exportId: string, caller: object, mayStillCall: MayStillCall) => {
    const deps = { audit: { noteRead: () => undefined }, mayStillCall };
    const { download } = openExports(deps as never).handlers.instanceExports;
    const principal = { ...caller, permissions: { holds: () => true } };
    const context = { db: app.app.db.of(asTenantId('acme')), now: app.clock.now(), tenantId: 'acme', principal };
    return ((await download(context as never, { params: { exportId } } as never)) as { body: Readable }).body;
  };

  it('exports contain the results of a search, the newest first, as CSV and as JSON', async () => {
    const ids = [await start('=SUM(A1)'), await start('Grace "the" first')];
    const row = await done({ searchString: 'Exported' });
    assert.deepEqual([row.state, row.format, row.rows, row.total, row.truncated], ['DONE', 'CSV', 2, 2, false]);
    assert.deepEqual(row.filters, { searchString: 'Exported' });
    const csv = await download(row.id);
    assert.match(csv.headers.get('content-disposition') ?? '', /^attachment; filename="verifications-[\d-]{10}\.csv"$/);
    const lines = csv.text.split('\r\n');
    assert.match(lines[0] ?? '', /^"id","status","statusMapped","processDefnName"/);
    assert.ok(lines[1]?.startsWith(`"${ids[1]}"`) && lines[1].includes('"Grace ""the"" first"'), lines[1]);
    // Otherwise a spreadsheet would run it as a formula.
    assert.ok(lines[2]?.startsWith(`"${ids[0]}"`) && lines[2].includes(`"'=SUM(A1)"`), lines[2]);
    const json = await done({ searchString: 'Exported', format: 'JSON' });
    const items = JSON.parse((await download(json.id)).text);
    assert.deepEqual(
      items.map(({ id }: { id: string }) => id),
      ids.toReversed(),
    );
    const { body } = await app.call('/api/process-manager/processInstances/search?searchString=Exported', { token });
    assert.deepEqual(items[0], { ...body.content[0], elapsedMilliseconds: items[0].elapsedMilliseconds });
    const none = await done({ searchString: 'Nobody', format: 'JSON' });
    assert.deepEqual(JSON.parse((await download(none.id)).text), []);
  });

  it('exports contain nothing of an instance that was deleted since', async () => {
    const id = await start('Vanishing');
    const row = await done({ searchString: 'Vanishing' });
    assert.match((await download(row.id)).text, /Vanishing/);
    await app.call(`/api/process-manager/processInstances/${id}`, { method: 'DELETE', token });
    assert.equal((await download(row.id)).text.split('\r\n').length, 2, 'the titles alone are left');
  });

  it('100001: exports with invalid filters are refused with the pointer of each', async () => {
    const refusal = await post('', { processDefinitionName: 'a\\' });
    assert.deepEqual([refusal.body.code, refusal.body.errors[0].pointer], [100001, '/processDefinitionName']);
  });

  it('100001: exports with an empty filter are refused, because it would select everything', async () => {
    for (const name of ['searchString', 'processDefinitionId', 'processDefinitionName', 'startDateTime']) {
      const { status, body } = await post('', { [name]: '' });
      assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100001, `/${name}`]);
    }
    const { status, body } = await post('', { searchString: '  ' });
    assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100001, '/searchString']);
  });

  it('100367: exports can be downloaded only by their author, in one environment, for a day', async () => {
    const { id } = await done({});
    const other = await app.token(
      (await app.app.tenants.createApiKey('acme', { name: 'x', environment: 'test' })).apiKey,
    );
    for (const bearer of [other, await app.token()]) {
      assert.equal((await get(id, bearer)).body.code, 100367);
      assert.equal((await post(`/${id}/file`, {}, bearer)).body.code, 100367);
      assert.equal((await remove(id, bearer)).body.code, 100367);
      assert.equal((await app.call(PATH, { token: bearer })).body.totalElements, 0);
    }
    assert.ok((await app.call(PATH, { token })).body.totalElements > 0);
    app.clock.advance(25 * HOUR);
    token = await app.token(testKey);
    assert.equal((await get(id)).body.code, 100367);
    assert.equal((await post(`/${id}/file`, {})).body.code, 100367);
    assert.equal((await app.call(PATH, { token })).body.totalElements, 0);
    // The hourly job may have run before.
    const acme = app.app.db.of(asTenantId('acme'));
    while ((await acme.write((tx) => removeExpired(tx, { now: app.clock.now(), limit: 1 }))) > 0);
    assert.equal(await findExport(acme, { id }), undefined);
  });

  it('expired exports are removed one after another, each in its own transaction with its parts', async () => {
    const db = app.app.db.of(asTenantId('acme'));
    for (let count = 0; count < 2; count += 1) await done({});
    const left = async () => {
      const count = { text: 'SELECT count(*) AS total FROM exports WHERE tenant_id = $1' };
      return Number((await db.get<{ total: number }>(count, ['acme']))?.total);
    };
    const before = await left();
    const afterEach: number[] = [];
    const watched: Pick<TenantDb, 'write'> = {
      async write(work) {
        const result = await db.write(work);
        afterEach.push(await left());
        return result;
      },
    };
    async function* everyTenantId() {
      yield asTenantId('acme');
    }
    const job = purgeExportsJob({ db: { of: () => watched } as unknown as Db, everyTenantId });
    const now = app.clock.now() + 25 * HOUR;
    const context = { now, signal: new AbortController().signal } as JobContext;
    await job.run({}, context);
    assert.ok(before >= 2);
    assert.deepEqual(
      afterEach.slice(0, before),
      Array.from({ length: before }, (_, at) => before - 1 - at),
    );
    const parts = { text: 'SELECT export_id FROM export_parts WHERE tenant_id = $1' };
    assert.deepEqual(await db.all(parts, ['acme']), []);
  });

  it('7: exports need the permission to list instances', async () => {
    const permissions = ['createExport', 'downloadExport'].map((name) => `TNT#acme#ProcessManager:${name}`);
    const body = JSON.stringify({ name: 'exports alone', permissions, environment: 'test' });
    const creation = await app.call('/api/arthr/apiKeys', { method: 'POST', token: await app.token(), body });
    const refusal = await post('', {}, await app.token(creation.body.code));
    assert.deepEqual([refusal.status, refusal.body.code], [403, 7], refusal.text);
  });

  it('100191: exports count against the read budget, also for a key that would be blocked', async () => {
    const setBudget = async (personsPerHour: number) => {
      const body = JSON.stringify({ redirectOrigins: [], readBudget: { personsPerHour, block: true } });
      const answer = await app.call('/api/process-manager/settings', { method: 'POST', token, body });
      assert.equal(answer.status, 200, answer.text);
    };
    for (let count = 0; count < 11; count += 1) await start('Counted');
    await setBudget(11);
    // This server does not know the key yet, so it reads the budget.
    const { apiKey } = await app.app.tenants.createApiKey('acme', { name: 'new', environment: 'test' });
    token = await app.token(apiKey);
    const row = await done({ searchString: 'Counted' });
    assert.equal((await app.call('/api/process-manager/processInstances?size=1', { token })).status, 200);
    const refusal = await post(`/${row.id}/file`, {});
    assert.deepEqual([row.rows, refusal.status, refusal.body.code], [11, 429, 100191], refusal.text);
    assert.equal((await app.call('/api/process-manager/processInstances?size=1', { token })).status, 200);
    app.clock.advance(HOUR);
    token = await app.token(apiKey);
    assert.match((await download(row.id)).text, /Counted/);
    token = await app.token(testKey);
    await setBudget(1_000_000);
  });

  it('exports stop in the middle for a caller who loses the permission to download them', async () => {
    await start('Parted');
    const { id } = await done({ searchString: 'Parted' });
    const row = await inParts(id, 2);
    const linesIf = async (mayStillCall: (permission: string) => boolean) => {
      const principal = { environment: 'test', callerId: row.caller_id };
      const answer = await downloadFor(id, principal, async (_principal, permission) => mayStillCall(permission));
      return (await answer.toArray()).join('');
    };
    assert.equal((await linesIf(() => true)).match(/"Parted"/g)?.length, 2);
    for (const lostPermission of ['ProcessManager:downloadExport', 'ProcessManager:getProcessInstance'])
      await assert.rejects(
        linesIf((permission) => permission !== lostPermission),
        { code: 7 },
        lostPermission,
      );
  });

  it('7: exports stop in the middle for an operator whose role becomes masked', async () => {
    const owner = await firstOwner(app);
    const permissions = ['createExport', 'downloadExport', 'getProcessInstance'].map(
      (name) => `TNT#acme#ProcessManager:${name}`,
    );
    const ROLES = '/api/operator-manager/roles';
    const created = await owner.call(ROLES, { body: { name: 'Exporter', permissions } });
    assert.equal(created.status, 201, created.text);
    const person = await invitePerson(app, owner, 'Exporter');
    await start('Masked');
    const headers = { 'X-Grove-Environment': 'test' };
    const creation = await person.call(PATH, { body: { searchString: 'Masked' }, headers });
    assert.equal(creation.status, 202, creation.text);
    const db = app.app.db.of(asTenantId('acme'));
    while ((await findExport(db, { id: creation.body.id }))?.state === 'RUNNING') await wait(50);
    await inParts(creation.body.id, 10);
    const operator = { sessionId: person.cookie.slice(0, 26), isMasked: false, role: 'Exporter' };
    const principal = { tenantId: 'acme', environment: 'test', callerId: person.id, operator };
    const still: MayStillCall = (each, permission) =>
      isStillPermitted(
        { db: app.app.db, clock: app.clock },
        each as Parameters<typeof isStillPermitted>[1],
        permission,
      );
    const parts = (masked: boolean) => async () => {
      const lines = await downloadFor(creation.body.id, principal, still);
      const iterator = lines[Symbol.asyncIterator]();
      await iterator.next();
      const changed = await owner.call(`${ROLES}/Exporter`, { body: { masked } });
      assert.equal(changed.status, 200, changed.text);
      let text = '';
      for await (const part of { [Symbol.asyncIterator]: () => iterator }) text += part;
      return text;
    };
    assert.equal((await parts(false)()).match(/"Masked"/g)?.length, 10);
    await assert.rejects(parts(true)(), { code: 7 });
  });

  it('100065, 100368: exports are limited in number at a time, and cannot be downloaded before they are ready', async () => {
    await app.app.jobs.stop();
    const ids = [];
    for (let count = 0; count < MAX_RUNNING_EXPORTS; count += 1) ids.push((await post('', {})).body.id);
    assert.equal((await post(`/${ids[0]}/file`, {})).body.code, 100368);
    assert.equal((await post('', {})).body.code, 100065);
    assert.equal((await remove(ids[0])).status, 204);
    assert.equal((await get(ids[0])).body.code, 100367);
    assert.equal((await post('', {})).status, 202);
    assert.ok(MAX_EXPORTS_PER_CALLER > MAX_RUNNING_EXPORTS);
  });
});
