import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { format, inspect } from 'node:util';
import pino from 'pino';
import { onBothEngines } from '../../../test/harness.ts';
import { openTestHttp, type TestHttp } from '../../../test/http.ts';
import { openTestNotifications, type TestNotifications } from '../../../test/webhooks.ts';
import { recordChange } from '../../audit/audit.ts';
import { unprepared } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { isSecretName, secretFinder } from './find-secret.ts';
import { secretOf } from './secret.ts';

const BASE = '/api/process-manager/cloudSecrets';
const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';

describe('a secret in memory', () => {
  it('a secret in memory is not shown by logging or JSON, only by the function that reads it', () => {
    const secret = secretOf('hunter2');
    const lines: string[] = [];
    pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }).info(
      { secret, deep: { secret } },
      'x',
    );
    for (const text of [
      JSON.stringify({ secret }),
      `${secret}`,
      String(secret),
      inspect({ secret }, { depth: 9, showHidden: true }),
      format('%s %o %j', secret, secret, secret),
      JSON.stringify(Object.entries(secret)),
      lines.join(),
      JSON.stringify({ ...secret }),
    ]) {
      assert.doesNotMatch(text, /hunter2/);
    }
    assert.equal(JSON.stringify({ secret }), '{"secret":"[redacted]"}');
    assert.equal(secret.reveal(), 'hunter2');
  });
});

onBothEngines('cloud secrets', (_engine, places) => {
  let grove: TestNotifications;
  let http: TestHttp;
  before(async () => {
    grove = await openTestNotifications(await places.create());
    http = await openTestHttp({
      handlers: { cloudSecrets: grove.secrets },
      db: grove.db,
      clock: grove.clock,
      genuine: true,
    });
  });
  after(async () => {
    await http.stop();
    await grove.close();
  });
  const call = (method: string, path: string, body?: unknown) =>
    http.call(`${BASE}${path}`, {
      method,
      headers: { Authorization: 'Bearer everything' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const auditEvents: object[] = [];
  const finder = () =>
    secretFinder({
      vault: grove.vault,
      clock: grove.clock,
      audit: { noteUse: (_tenantId, use) => void auditEvents.push(use) },
    });
  const use = { environment: 'live', actor: 'Webhook: crm', url: 'https://crm.example/hook' } as const;
  const hosts = ['crm.example'];
  const find = async (name: string, tenantId = grove.tenantId) =>
    (await finder()(grove.db.of(tenantId), name, use)).secret?.reveal();

  it('cloud secrets have an audit event when they are used, once an hour for each use, with the name and never the value', async () => {
    await call('POST', '', { name: 'AUDITED', value: 'hunter3', hosts });
    const findAgain = finder();
    const db = grove.db.of(grove.tenantId);
    auditEvents.length = 0;
    for (const actor of ['Webhook: crm', 'Webhook: crm', 'Step: onboarding/risk']) {
      await findAgain(db, 'AUDITED', { ...use, actor });
    }
    await findAgain(db, 'NOT_THERE', use);
    const at = grove.clock.now();
    const event = { action: 'cloudSecret.used', environment: 'live', actor: 'Webhook: crm', at, item: 'AUDITED' };
    assert.deepEqual(auditEvents, [event, { ...event, actor: 'Step: onboarding/risk' }]);
    grove.clock.advance(60 * 60 * 1000);
    await findAgain(db, 'AUDITED', use);
    assert.equal(auditEvents.length, 3);
  });

  it('cloud secrets are created, listed, changed and deleted, and their values are in no answer and no log', async () => {
    const secret = { name: 'CRM_KEY', description: 'of the CRM', value: 'hunter2', hosts };
    const creation = await call('POST', '', secret);
    assert.equal(creation.status, 201, creation.text);
    const { id, createdDtm, lastUpdatedDtm, ...rest } = creation.body;
    assert.deepEqual(rest, {
      name: 'CRM_KEY',
      description: 'of the CRM',
      type: 'STRING',
      hosts,
      environment: 'live',
      createdBy: 'API Key: Key',
      lastUpdatedBy: 'API Key: Key',
    });
    assert.equal(await find('CRM_KEY'), 'hunter2');
    grove.clock.advance(1000);
    const changed = await call('POST', `/${id}`, { value: 'swordfish' });
    assert.notEqual(changed.body.lastUpdatedDtm, lastUpdatedDtm);
    assert.deepEqual([changed.body.createdDtm, changed.body.description], [createdDtm, 'of the CRM']);
    assert.equal(await find('CRM_KEY'), 'swordfish');
    const described = await call('POST', `/${id}`, { description: 'another' });
    assert.equal(await find('CRM_KEY'), 'swordfish');
    const list = await call('GET', '?name=crm%25&sort=name,asc');
    assert.deepEqual([list.body.totalElements, list.body.content], [1, [described.body]]);
    const rows = await grove.db
      .of(grove.tenantId)
      .all<{ sealed: Uint8Array }>(unprepared('SELECT sealed FROM cloud_secrets WHERE tenant_id = $1'), [
        grove.tenantId,
      ]);
    const sealed = rows.map((row) => Buffer.from(row.sealed).toString('latin1')).join();
    for (const text of [creation.text, changed.text, described.text, list.text, http.logged(), sealed]) {
      assert.doesNotMatch(text, /hunter2|swordfish/);
    }
    assert.equal((await call('DELETE', `/${id}`)).status, 204);
    assert.equal(await find('CRM_KEY'), undefined);
  });

  it('cloud secrets show when they were last sent, for uses since the value was set', async () => {
    const note = (environment: 'live' | 'test', at: number) =>
      grove.db
        .of(grove.tenantId)
        .write((tx) =>
          recordChange(tx, { action: 'cloudSecret.used', environment, actor: 'Webhook: crm', at, item: 'SENT' }),
        );
    await note('live', grove.clock.now());
    grove.clock.advance(1000);
    await call('POST', '', { name: 'SENT', value: 'x', hosts });
    const lastUsed = async () => (await call('GET', '?name=SENT')).body.content[0].lastUsedDtm;
    assert.equal(await lastUsed(), undefined);
    const at = grove.clock.now() + 5000;
    await note('live', at);
    await note('test', at + 1000);
    assert.equal(await lastUsed(), toDtm(at));
  });

  it('cloud secrets have unique names in the tenant: 100014 for a second one', async () => {
    await call('POST', '', { name: 'ONCE', value: 'x', hosts });
    const again = await call('POST', '', { name: 'ONCE', value: 'y' });
    assert.deepEqual([again.status, again.body.code, again.body.errors[0].pointer], [409, 100014, '/name']);
    assert.equal(await find('ONCE'), 'x');
  });

  it('cloud secrets are refused with 100001 if the name or the value is invalid', async () => {
    for (const [body, pointer] of [
      [{ name: 'a b', value: 'x' }, '/name'],
      [{ name: 'ä', value: 'x' }, '/name'],
      [{ name: 'A', value: 'x', type: 'NUMBER' }, '/value'],
      [{ name: 'A', value: '1e', type: 'NUMBER' }, '/value'],
      [{ name: 'A', value: 'a', type: 'BINARY' }, '/value'],
      [{ name: 'A', value: 'a$==', type: 'BINARY' }, '/value'],
      [{ name: 'A', value: '' }, '/value'],
    ] as const) {
      const answer = await call('POST', '', body);
      assert.deepEqual([answer.status, answer.body.code, answer.body.errors[0].pointer], [400, 100001, pointer]);
    }
    const { body: number } = await call('POST', '', { name: 'NUMBER', value: '-1.5e3', type: 'NUMBER' });
    const { body: binary } = await call('POST', '', { name: 'BINARY', value: 'aGk=', type: 'BINARY' });
    assert.deepEqual([number.type, binary.type], ['NUMBER', 'BINARY']);
    assert.equal((await call('POST', `/${number.id}`, { value: 'many' })).body.code, 100001);
  });

  it('cloud secrets have hosts in one spelling, each once; an invalid host is refused, and a secret without hosts is sent nowhere', async () => {
    const hostNames = ['CRM.Example', 'crm.example:443', 'crm.example:8443', '[::1]:9000', '10.0.0.1'];
    const creation = await call('POST', '', { name: 'HOSTS', value: 'x', hosts: hostNames });
    assert.deepEqual(creation.body.hosts, ['crm.example', 'crm.example:8443', '[::1]:9000', '10.0.0.1'], creation.text);
    for (const wrong of [
      '*',
      '*.example',
      'https://crm.example',
      'crm.example/path',
      'a b',
      'me@crm.example',
      'x:99999',
    ]) {
      const { body } = await call('POST', '', { name: 'WRONG', value: 'x', hosts: ['ok.example', wrong] });
      assert.deepEqual([body.code, body.errors?.[0].pointer], [100001, '/hosts/1'], wrong);
    }
    await call('POST', '', { name: 'NOWHERE', value: 'x' });
    const db = grove.db.of(grove.tenantId);
    assert.deepEqual(await finder()(db, 'NOWHERE', use), { fault: 'secret_host' });
    assert.deepEqual(await finder()(db, 'HOSTS', { ...use, url: 'https://crm.example:9443/' }), {
      fault: 'secret_host',
    });
    assert.deepEqual(await finder()(db, 'HOSTS', { ...use, environment: 'test' }), { fault: 'missing_secret' });
  });

  it('100351: cloud secrets cannot be changed by a caller who has read an older version', async () => {
    const { body: secret } = await call('POST', '', { name: 'TWO_WRITERS', value: 'first', hosts });
    const stale = `?ifLastUpdatedDtm=${encodeURIComponent(toDtm(Date.parse(secret.lastUpdatedDtm) - 1))}`;
    const refusal = await call('POST', `/${secret.id}${stale}`, { value: 'second' });
    assert.deepEqual([refusal.status, refusal.body.code], [409, 100351]);
    assert.equal(await find('TWO_WRITERS'), 'first');
    const fresh = `?ifLastUpdatedDtm=${encodeURIComponent(secret.lastUpdatedDtm)}`;
    assert.equal((await call('POST', `/${secret.id}${fresh}`, { value: 'second' })).status, 200);
    assert.equal(await find('TWO_WRITERS'), 'second');
  });

  it('cloud secrets that do not exist, or belong to another tenant, answer 100073', async () => {
    const { body: secret } = await call('POST', '', { name: 'MINE', value: 'x', hosts });
    for (const [method, body] of [
      ['POST', { value: 'y' }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await call(method, `/${NOBODY}`, body);
      assert.deepEqual([answer.status, answer.body.code], [404, 100073]);
    }
    const other = grove.contextOf({ tenantId: asTenantId('other') });
    const input = { params: { cloudSecretId: secret.id }, query: {}, body: { value: 'y' } };
    await assert.rejects(async () => grove.secrets.update(other, input), { code: 100073 });
    await assert.rejects(async () => grove.secrets.delete(other, input as never), { code: 100073 });
    assert.equal(await find('MINE', asTenantId('other')), undefined);
    assert.equal(await find('MINE'), 'x');
    const names = ['MINE', 'mine', 'NOBODY'].map((name) =>
      isSecretName(grove.db.of(grove.tenantId), { name, environment: 'live' }),
    );
    assert.deepEqual(await Promise.all(names), [true, false, false]);
  });

  it('cloud secrets are at most five hundred in a tenant: 100065 for one more', async () => {
    const other = grove.contextOf({ tenantId: asTenantId('other') });
    const create = (number: number) =>
      grove.secrets.create(other, { params: {}, query: {}, body: { name: `S${number}`, value: 'x' } } as never);
    for (let number = 0; number < 500; number++) await create(number);
    await assert.rejects(async () => create(500), { code: 100065 });
  });
});
