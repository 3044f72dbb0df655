import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startJourney } from '../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';
import { sql } from '../db/db.ts';
import { HOUR } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import { asTenantId, newId } from '../kernel/ids.ts';
import { type Audit, openAudit } from './audit.ts';
import { AUDIT_KEPT_DAYS } from './purge-audit.ts';

const TENANT = asTenantId('acme');
/** Without the events of API keys that the operator creates. */
const FORGET = sql("DELETE FROM audit_events WHERE tenant_id = $1 AND action = 'apiKey.created'");
const forgetKeys = ({ app }: TestApp) => app.db.of(TENANT).write((tx) => tx.run(FORGET, [TENANT]));

onBothEngines('audit events', (_engine, places) => {
  let app: TestApp;
  let token: string;
  let keyId: string;
  let id: string;
  let place: string;

  before(async () => {
    app = await openTestApp(await places.create());
    const { apiKey } = await app.app.tenants.createApiKey('acme', { name: 'back office', environment: 'test' });
    keyId = apiKey.split('_')[2] as string;
    token = await app.token(apiKey);
    await forgetKeys(app);
    const { user, processInstanceId } = await startJourney(app, apiKey, { parameters: { firstName: 'Unmistakable' } });
    await user.finish();
    id = processInstanceId;
    const { body } = await app.call(`/api/process-manager/processInstances/${id}`, { token });
    place = `/api/userdata-server/processDefinitions/${body.processDefnId}/processInstances/${id}`;
  });
  after(() => app.stop());

  const list = (query = '', bearer = token) =>
    app.call(`/api/process-manager/auditEvents?size=100${query}`, { token: bearer });
  const actions = (answer: { body: { content: { action: string }[] } }) =>
    answer.body.content.map(({ action }) => action);

  it('audit events name for every read of personal data who read what about whom, when, and in which request; never the content', async () => {
    const post = { method: 'POST', token };
    await app.call(`${place}/userdata`, { token });
    app.clock.advance(1);
    const item = await app.call(`${place}/getdata?path=faces/face1/image`, { token });
    app.clock.advance(1);
    await app.call(`${place}/userdata/checks`, { token });
    app.clock.advance(1);
    await app.call(`${place}/userdataarchive`, post);
    app.clock.advance(1);
    await app.call(`${place}/signedResult`, post);
    app.clock.advance(1);
    await app.call(`/api/process-manager/processInstances/${id}/withParameters`, { token });
    const answer = await list();
    assert.deepEqual(actions(answer), [
      'instance.parametersRead',
      'userData.resultSigned',
      'userData.archived',
      'userData.checksRead',
      'userData.itemRead',
      'userData.read',
    ]);
    const { id: eventId, dateTime, ...event } = answer.body.content[4];
    assert.deepEqual(event, {
      action: 'userData.itemRead',
      environment: 'test',
      actor: 'API Key: back office',
      apiKeyId: keyId,
      processInstanceId: id,
      item: 'faces/face1/image',
      requestId: item.headers.get('x-request-id'),
      address: '127.0.0.1',
    });
    assert.match(eventId, /^[0-9A-Z]{26}$/);
    assert.equal(Date.parse(dateTime), app.clock.now() - 4);
    assert.doesNotMatch(answer.text, /Unmistakable/);
  });

  it('audit events are not written for a read of an instance without personal data, nor for a read that found nothing', async () => {
    const { body: before } = await list();
    await app.call(`/api/process-manager/processInstances/${id}`, { token });
    const nobody = newId(1);
    await app.call(`/api/process-manager/processInstances/${nobody}/withParameters`, { token });
    await app.call(`${place.replace(id, nobody)}/userdata`, { token });
    assert.equal((await list()).body.totalElements, before.totalElements);
  });

  it('audit events are listed by instance, action, API key and time, in pages, only for callers with the permission', async () => {
    const total = (await list()).body.totalElements;
    assert.equal((await list(`&processInstanceId=${id}`)).body.totalElements, total);
    assert.equal((await list(`&processInstanceId=${newId(1)}`)).body.totalElements, 0);
    assert.deepEqual(actions(await list('&action=userData.archived')), ['userData.archived']);
    assert.equal((await list(`&apiKeyId=${keyId}&action=userData.read&processInstanceId=${id}`)).body.totalElements, 1);
    assert.equal((await list(`&apiKeyId=${newId(1)}`)).body.totalElements, 0);
    const at = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
    const last = Date.parse((await list()).body.content[0].dateTime);
    assert.equal((await list(`&startDateTime=${at(last)}`)).body.totalElements, 1);
    assert.equal((await list(`&endDateTime=${at(last)}`)).body.totalElements, total - 1);
    const { body: second } = await app.call('/api/process-manager/auditEvents?size=1&page=1', { token });
    assert.equal(second.content[0].action, 'userData.resultSigned');
    assert.deepEqual(actions(await list('&sort=dateTime,asc')).slice(0, 1), ['userData.read']);
    assert.equal((await list('', await app.token())).body.totalElements, 0, 'a live key sees nothing of the sandbox');
    const { apiKey } = await app.app.tenants.create({ id: `other-${Date.now()}` });
    assert.equal((await list('&action=userData.read', await app.token(apiKey))).body.totalElements, 0);
    assert.equal((await list('&action=everything')).status, 400);
    assert.equal((await list(`&startDateTime=${encodeURIComponent('2026-12-31T23:59:60Z')}`)).body.code, 100001);
  });

  it('audit events record the API keys that the operator creates', async () => {
    const { apiKey } = await app.app.tenants.create({ id: `made-${Date.now()}` });
    const { content } = (await list('', await app.token(apiKey))).body;
    assert.deepEqual(
      content.map(({ action, actor, details }: { action: string; actor: string; details: { name: string } }) => [
        action,
        actor,
        details.name,
      ]),
      [['apiKey.created', 'Operator', 'First key']],
    );
  });

  it('audit events record every verdict of a reviewer', async () => {
    const { apiKey } = await app.app.tenants.createApiKey('acme', { name: 'reviewer', environment: 'test' });
    const parameters = { _scenario: 'document-unreadable' };
    const { user, processInstanceId: reviewed } = await startJourney(app, apiKey, { parameters });
    await user.finish();
    const body = JSON.stringify({ comment: 'Unmistakable, it is her' });
    for (const verdict of ['claim', 'release', 'approve']) {
      app.clock.advance(1);
      const init = { method: 'POST', body: verdict === 'approve' ? body : '{}', token: await app.token(apiKey) };
      const answer = await app.call(`/api/process-manager/reviews/${reviewed}/${verdict}`, init);
      assert.equal(answer.status, 200, answer.text);
    }
    const answer = await list(`&processInstanceId=${reviewed}`);
    assert.deepEqual(actions(answer), ['review.approved', 'review.released', 'review.claimed']);
    assert.equal(answer.body.content[0].actor, 'API Key: reviewer');
    assert.doesNotMatch(answer.text, /Unmistakable/);
  });

  it('audit events contain no path of a read that is not a valid path', async () => {
    await app.call(`${place}/getdata?path=${encodeURIComponent('Unmistakable words of <somebody>')}`, { token });
    assert.equal((await list('&action=userData.itemRead')).body.content[0].item, '?');
  });

  it(`audit events are kept for ${AUDIT_KEPT_DAYS} days`, async () => {
    const db = app.app.db.of(TENANT);
    const { totalElements } = (await list()).body;
    const day = 24 * HOUR;
    for (const [environment, age] of [
      ['test', AUDIT_KEPT_DAYS + 1],
      ['test', AUDIT_KEPT_DAYS - 1],
      ['live', AUDIT_KEPT_DAYS + 1],
    ] as const) {
      const at = app.clock.now() - age * day;
      await db.write((tx) => audit.record(tx, { action: 'retention.run', environment, actor: 'Test', at }));
    }
    app.clock.advance(day);
    await app.app.jobs.tend();
    await app.app.jobs.runDue();
    const left = await db.all<{ at: number }>({ text: 'SELECT at FROM audit_events WHERE tenant_id = $1' }, [TENANT]);
    assert.equal(left.length, totalElements + 1);
  });

  let audit: Audit;
  before(() => {
    audit = openAudit({ db: app.app.db, onError: assert.fail });
  });
  after(() => audit.stop());
});

describe('audit events that cannot be written', () => {
  const places = testPlaces();
  const context = (db: unknown): Context =>
    ({
      tenantId: TENANT,
      db,
      now: Date.now(),
      requestId: 'r',
      address: '127.0.0.1',
      accept: undefined,
      principal: { tenantId: TENANT, callerId: newId(1), callerName: 'key', environment: 'live', permissions: {} },
    }) as never;
  const read = { action: 'userData.read', instanceId: newId(1) } as const;

  it('audit events that cannot be written are held and written later, each once, and reads are refused with 100010 while too many are pending', async () => {
    const app = await openTestApp(await places.create());
    try {
      let away = true;
      const { db } = app.app;
      await forgetKeys(app);
      const failing = {
        ...db,
        of: (id: typeof TENANT) => ({
          ...db.of(id),
          write: (work: never) => (away ? Promise.reject(new Error('the disk is full')) : db.of(id).write(work)),
        }),
      };
      const audit = openAudit({ db: failing as never, onError: () => undefined, maxPending: 1200 });
      for (let at = 0; at < 1200; at++) audit.noteRead(context(db), read);
      await assert.rejects(audit.flush(), /disk is full/);
      assert.throws(() => audit.noteRead(context(db), read), { code: 100010 });
      away = false;
      await audit.flush();
      audit.noteRead(context(db), read);
      await audit.stop();
      const row = await db
        .of(TENANT)
        .get<{ total: number }>({ text: 'SELECT count(*) AS total FROM audit_events WHERE tenant_id = $1' }, [TENANT]);
      assert.equal(row?.total, 1201);
    } finally {
      await app.stop();
    }
  });

  it('audit events of the last second that could not be written are written when the server stops', async () => {
    const place = await places.create();
    const first = await openTestApp(place);
    const { apiKey } = await first.app.tenants.createApiKey('acme', { name: 'reader', environment: 'test' });
    await forgetKeys(first);
    const { processInstanceId, token } = await startJourney(first, apiKey);
    await first.call(`/api/process-manager/processInstances/${processInstanceId}/withParameters`, { token });
    await first.stop();
    const second = await openTestApp(place);
    try {
      const bearer = await second.token(apiKey);
      const { body } = await second.call('/api/process-manager/auditEvents', { token: bearer });
      assert.deepEqual(
        body.content.map(({ action }: { action: string }) => action),
        ['instance.parametersRead'],
      );
    } finally {
      await second.stop();
    }
  });
});
