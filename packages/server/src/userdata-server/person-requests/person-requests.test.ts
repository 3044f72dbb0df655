import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { verifySigned } from '../../../test/signed.ts';
import { unzip } from '../../../test/unzip.ts';
import type { Db, TenantDb } from '../../db/db.ts';
import type { JobContext } from '../../jobs/define-job.ts';
import { DAY } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { forgetFindsJob, MAX_OPEN_REQUESTS } from './person-requests.ts';

const REQUESTS = '/api/userdata-server/personRequests';
const EMAIL = 'ada.quillfeather@plumbago.example';
const FORM = {
  name: 'asks-for-an-address',
  processDefinitionType: 'VERIFICATION',
  steps: [
    {
      id: 'details',
      type: 'form',
      key: 'form1',
      schema: { type: 'object', properties: { contact: { type: 'string' } } },
    },
    { id: 'decide', type: 'decision', onAnyFailure: 'FAIL' },
  ],
};

onBothEngines('requests about a person', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  let token: string;
  /** The data of the person, and the data of others. */
  const mine = { instances: [] as string[], tokenId: '', userId: '', memberId: '' };
  const others = { instanceId: '', userId: '', memberId: '' };

  const post = async (path: string, body: object = {}) => {
    const answer = await app.call(path, { method: 'POST', body: JSON.stringify(body), token });
    assert.ok(answer.status < 400, `${path}: ${answer.text}`);
    return answer.body;
  };
  const requested = async (path: string, body: object) => {
    const { id } = await post(path, body);
    for (let tries = 0; ; tries++) {
      const { body: request } = await app.call(`${REQUESTS}/${id}`, { token });
      if (request.state === 'DONE' || request.state === 'FAILED') return request;
      assert.ok(tries < 600, JSON.stringify(request));
      await wait(50);
    }
  };
  const personsRead = async () => {
    // A request for audit events first writes all counts.
    await app.call('/api/process-manager/auditEvents', { token });
    const sum = { text: 'SELECT sum(persons) AS total FROM key_reads WHERE tenant_id = $1' };
    return Number((await app.app.db.of(asTenantId('acme')).get<{ total: number }>(sum, ['acme']))?.total ?? 0);
  };
  const status = async (path: string) => (await app.call(path, { token })).status;

  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'privacy', environment: 'test' })).apiKey;
    token = await app.token(testKey);
    const { id } = await post('/api/process-manager/processDefinitions', FORM);
    await post(`/api/process-manager/processDefinitions/${id}/deploy`);
    // One instance contains the address as a parameter of its token, and another as an answer in a form.
    const tokenBody = { name: 'for Ada Quillfeather', processDefnName: FORM.name, parameters: { email: EMAIL } };
    mine.tokenId = (await post('/api/process-manager/processTokens', tokenBody)).id;
    const create = `/api/process-manager/processInstances/create?pt=`;
    mine.instances.push((await post(`${create}${mine.tokenId}`)).processInstanceId);
    const journey = await startJourney(app, testKey, { processDefnName: FORM.name });
    await journey.user.submit('details', { contact: ` ${EMAIL.toUpperCase()} ` });
    mine.instances.push(journey.processInstanceId);
    const otherwise = { name: 'for Bob', processDefnName: FORM.name, parameters: { email: `x${EMAIL}` } };
    const { id: bobs } = await post('/api/process-manager/processTokens', otherwise);
    others.instanceId = (await post(`${create}${bobs}`)).processInstanceId;
    await post('/api/identity-store/stores', { name: 'people' });
    const users = '/api/identity-store/stores/people/users';
    mine.userId = (await post(users, { extId: 'C-42', attributes: { mail: EMAIL } })).id;
    others.userId = (await post(users, { extId: 'c-42', attributes: { mail: 'bob@example.com' } })).id;
    const lists = '/api/watchlist-manager/facewatchlists';
    const { id: listId } = await post(lists, { name: 'addresses', type: 'EMAIL' });
    const members = `${lists}/${listId}/watchlist-members`;
    mine.memberId = `${listId}/${(await post(members, { value: EMAIL })).id}`;
    others.memberId = `${listId}/${(await post(members, { value: 'bob@example.com' })).id}`;
  });
  after(() => app.stop());

  it('requests about a person find everything by an e-mail address, also one that the person typed, and nothing of others', async () => {
    const request = await requested(REQUESTS, { email: EMAIL });
    assert.deepEqual(request.found, {
      processInstances: mine.instances.toSorted(),
      processTokens: [mine.tokenId],
      users: [mine.userId],
      watchlistMembers: [mine.memberId],
    });
    assert.equal(request.searched, request.total);
    const answer = await fetch(`${app.baseUrl}${REQUESTS}/${request.id}/archive`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
    });
    const entries = await unzip(Buffer.from(await answer.arrayBuffer()));
    const json = (path: string) => JSON.parse(String(entries.get(path)));
    assert.equal(json(`processInstances/${mine.instances[0]}/instance.json`).email, EMAIL);
    assert.match(JSON.stringify(json(`processInstances/${mine.instances[1]}/userdata.json`)), /PLUMBAGO/);
    assert.equal(json(`users/${mine.userId}.json`).attributes.mail, EMAIL);
    assert.equal(json(`watchlistMembers/${mine.memberId}.json`).value, EMAIL);
    assert.equal(json(`processTokens/${mine.tokenId}.json`).parameters.email, EMAIL);
    await verifySigned(app, String(entries.get('manifest.jws')), entries.get('manifest.json') as Buffer);
  });

  it('requests about a person count each item of an archive as a person that was read, because a parameter may find many persons', async () => {
    const { id } = await requested(REQUESTS, { email: EMAIL });
    const before = await personsRead();
    const { status } = await app.call(`${REQUESTS}/${id}/archive`, { method: 'POST', body: '{}', token });
    assert.equal(status, 200);
    assert.equal((await personsRead()) - before, 5);
  });

  it('requests about a person find it by the id of the caller’s system, by a user and by a parameter, each exactly', async () => {
    assert.deepEqual((await requested(REQUESTS, { externalId: 'C-42' })).found.users, [mine.userId]);
    assert.deepEqual((await requested(REQUESTS, { userId: mine.userId })).found.users, [mine.userId]);
    const { found } = await requested(REQUESTS, { parameter: { name: 'email', value: EMAIL } });
    assert.deepEqual([found.processInstances, found.processTokens], [[mine.instances[0]], [mine.tokenId]]);
    assert.equal((await app.call(REQUESTS, { method: 'POST', body: '{"reference":"x"}', token })).status, 400);
  });

  it('requests about a person belong to one environment, and another tenant gets 100230 for them', async () => {
    const { id } = await requested(REQUESTS, { email: EMAIL });
    assert.equal((await app.call(`${REQUESTS}/${id}`)).body.code, 100230);
    const live = await app.call(REQUESTS, { method: 'POST', body: JSON.stringify({ email: EMAIL }) });
    assert.equal(live.status, 202);
    assert.equal(live.body.total, 0);
    const { apiKey } = await app.app.tenants.create({ id: `other-${Date.now()}` });
    const stranger = await app.token(apiKey);
    assert.equal((await app.call(`${REQUESTS}/${id}`, { token: stranger })).body.code, 100230);
  });

  it('requests about a person erase everything with one receipt, do not affect others, can be repeated, and then contain nothing (100231)', async () => {
    const request = await requested(`${REQUESTS}/erase`, { email: EMAIL, externalId: 'C-42', reference: 'TICKET-7' });
    assert.equal(request.erased, 5);
    const archive = await app.call(`${REQUESTS}/${request.id}/archive`, { method: 'POST', body: '{}', token });
    assert.equal(archive.body.code, 100231);
    const { header, payload } = await verifySigned(app, request.receipt);
    assert.equal(header.typ, 'grove-person-erasure+jwt');
    const claims = JSON.parse(String(payload));
    assert.deepEqual([claims.sub, claims.reference, claims.erased], [request.id, 'TICKET-7', request.found]);
    assert.doesNotMatch(String(payload), /plumbago/i);
    for (const id of mine.instances) {
      assert.equal(await status(`/api/process-manager/processInstances/${id}`), 404);
      const { body } = await app.call(`/api/process-manager/erasures/${id}`, { token });
      assert.equal(body.state, 'ERASED');
    }
    assert.equal(await status(`/api/identity-store/stores/people/users/${mine.userId}`), 404);
    assert.equal(await status(`/api/process-manager/processInstances/${others.instanceId}`), 200);
    assert.equal(await status(`/api/identity-store/stores/people/users/${others.userId}`), 200);
    const { body: tokens } = await app.call('/api/process-manager/processTokens?size=100', { token });
    const left = tokens.content.find(({ id }: { id: string }) => id === mine.tokenId);
    assert.equal(left.name, `Erased ${mine.tokenId}`);
    assert.doesNotMatch(JSON.stringify(left), /plumbago|Quillfeather/i);
    const again = await requested(`${REQUESTS}/erase`, { email: EMAIL });
    assert.equal(again.erased, 0);
    assert.ok(again.receipt);
    const audited = await app.call('/api/process-manager/auditEvents?action=person.erased', { token });
    assert.equal(audited.body.totalElements, 2);
    const { status: archived } = await app.call(`${REQUESTS}/${request.id}/archive`, { method: 'POST', token });
    assert.equal(archived, 409);
  });

  it('100065: requests about a person are limited to ten at a time, because each opens everything', async () => {
    const open = {
      text: `INSERT INTO person_requests (tenant_id, id, environment, action, state, source, after_id, searched, total,
        created_at, created_by) VALUES ($1, $2, 'test', 'FIND', 'SEARCHING', 0, '', 0, 0, 0, 'test')`,
    };
    const acme = app.app.db.of(asTenantId('acme'));
    const ids = Array.from({ length: MAX_OPEN_REQUESTS }, (_, at) => `open-${at}`);
    await acme.write(async (tx) => {
      for (const id of ids) await tx.run(open, ['acme', id]);
    });
    const ask = (path: string) => app.call(path, { method: 'POST', body: JSON.stringify({ email: EMAIL }), token });
    assert.equal((await ask(REQUESTS)).body.code, 100065);
    assert.equal((await ask(`${REQUESTS}/erase`)).body.code, 100065);
    await acme.write((tx) =>
      tx.run({ text: `DELETE FROM person_requests WHERE tenant_id = $1 AND id LIKE 'open-%'` }, ['acme']),
    );
    assert.equal((await requested(REQUESTS, { email: EMAIL })).state, 'DONE');
  });

  it('requests about a person fail if they find more than 1,000 items', async () => {
    const columns = `environment, process_defn_name, status, type, counter, max_process_duration, created_at, created_by,
      last_updated_at, last_updated_by`;
    const copy = {
      text: `INSERT INTO process_tokens (tenant_id, id, name, name_folded, parameters, ${columns})
        SELECT tenant_id, $3, $3, $3, '{"branch":"north"}', ${columns} FROM process_tokens WHERE tenant_id = $1 AND id = $2`,
    };
    await app.app.db.of(asTenantId('acme')).write(async (tx) => {
      for (let count = 0; count <= 1000; count++) await tx.run(copy, ['acme', mine.tokenId, `copy-${count}`]);
    });
    const request = await requested(REQUESTS, { parameter: { name: 'branch', value: 'north' } });
    assert.equal(request.state, 'FAILED');
  });

  it('requests about a person keep no data that identifies the person once they are done or have failed', async () => {
    const db = app.app.db.of(asTenantId('acme'));
    const left = await db.all(
      { text: 'SELECT state FROM person_requests WHERE tenant_id = $1 AND selectors IS NOT NULL' },
      ['acme'],
    );
    assert.deepEqual(left, []);
    const keys = { text: "SELECT subject FROM data_keys WHERE tenant_id = $1 AND subject LIKE 'person-request:%'" };
    assert.deepEqual(await db.all(keys, ['acme']), []);
  });

  it('requests about a person that only searched are removed after 7 days, each in its own transaction', async () => {
    const db = app.app.db.of(asTenantId('acme'));
    const add = (id: string, action: string, createdAt: number) => ({
      text: `INSERT INTO person_requests (tenant_id, id, environment, action, state, source, after_id, searched, total,
        created_at, created_by) VALUES ($1, '${id}', 'test', '${action}', 'DONE', 0, '', 0, 0, ${createdAt}, 'test')`,
    });
    const now = app.clock.now() - 100 * DAY;
    await db.write(async (tx) => {
      for (const id of ['old', 'older']) await tx.run(add(id, 'FIND', now - 7 * DAY), ['acme']);
      await tx.run(add('young', 'FIND', now - 7 * DAY + 1), ['acme']);
      await tx.run(add('erasure', 'ERASE', now - 7 * DAY), ['acme']);
    });
    const left = async () => {
      const text = "SELECT id FROM person_requests WHERE tenant_id = $1 AND id IN ('old', 'older', 'young', 'erasure')";
      return (await db.all<{ id: string }>({ text }, ['acme'])).map(({ id }) => id).toSorted();
    };
    const afterEach: string[][] = [];
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
    const job = forgetFindsJob({ db: { of: () => watched } as unknown as Db, everyTenantId });
    await job.run({}, { now, signal: new AbortController().signal } as JobContext);
    assert.deepEqual(afterEach.slice(0, 2), [
      ['erasure', 'older', 'young'],
      ['erasure', 'young'],
    ]);
    assert.deepEqual(await left(), ['erasure', 'young']);
  });
});
