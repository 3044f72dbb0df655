import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { addTestDefinition } from '../../../test/processes.ts';
import { readCounters } from '../../db/counters.ts';
import { sql, type TenantDb } from '../../db/db.ts';
import { HOUR, toDtm } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import type { DefinitionRow } from '../definitions/definitions.repository.ts';
import { createFromToken } from './create-from-token.ts';
import { OVER_TOKENS_KEPT_DAYS, purgeTokens } from './purge-tokens.ts';
import { usesOf } from './token-uses.repository.ts';

const PATH = '/api/process-manager/processTokens';
const TAG = sql(`INSERT INTO process_definition_tags
  (tenant_id, name, name_folded, definition_id, created_at, created_by) VALUES ($1, $2, $2, $3, 0, 'Test')`);
const INSTANCES_OF = sql('SELECT id FROM process_instances WHERE tenant_id = $1 AND token_id = $2');

onBothEngines('process tokens', (engine, places) => {
  let grove: TestApp;
  let acme: TenantDb;
  let newest: DefinitionRow;
  let testKey: string;
  before(async () => {
    grove = await openTestApp(await places.create());
    acme = grove.app.db.of(asTenantId('acme'));
    await addTestDefinition(acme, { name: 'onboarding', version: 1 });
    newest = await addTestDefinition(acme, { name: 'onboarding', version: 2 });
    await addTestDefinition(acme, { name: 'onboarding', version: 3, status: 'EDITABLE' });
    await addTestDefinition(acme, { name: 'draft', status: 'EDITABLE' });
    await addTestDefinition(acme, { name: 'old', status: 'ARCHIVED' });
    await acme.write((tx) => tx.run(TAG, ['acme', 'current', newest.id]));
    const settings = { redirectOrigins: ['https://good.example', 'myapp:'] };
    await grove.call('/api/process-manager/settings', { method: 'POST', body: JSON.stringify(settings) });
    const testKeyView = await grove.app.tenants.createApiKey('acme', { name: 'Test key', environment: 'test' });
    testKey = await grove.token(testKeyView.apiKey);
  });
  after(() => grove.stop());

  let tokenCount = 0;
  const send = (body: object, token?: string) =>
    grove.call(PATH, { method: 'POST', body: JSON.stringify(body), ...(token && { token }) });
  const create = (more: object = {}, token?: string) => {
    tokenCount += 1;
    return send({ name: `token ${tokenCount}`, processDefnName: 'onboarding', ...more }, token);
  };
  const assertRefused = async (more: object, pointer: string, code = 100001, token?: string) => {
    const { body } = await create(more, token);
    assert.deepEqual([body.code, body.errors?.[0]?.pointer], [code, pointer], JSON.stringify(body));
  };

  describe('create', () => {
    it('the creation of a process token needs a name and a definition, binds the newest deployed version, and answers 201 with every field', async () => {
      const { status, body } = await send({ name: 'only a name', processDefnName: 'onboarding' });
      assert.equal(status, 201);
      const { id, ...rest } = body;
      assert.match(id, /^[0-9A-Z]{26}$/);
      const at = toDtm(grove.clock.now());
      const by = 'API Key: First key';
      const port = new URL(grove.baseUrl).port;
      assert.deepEqual(rest, {
        tenantId: 'acme',
        name: 'only a name',
        processDefnName: 'onboarding',
        processDefnVersion: 2,
        status: 'ACTIVE',
        type: 'UNLIMITED',
        maxProcessDuration: 'PT48H',
        parameters: {},
        environment: 'live',
        counter: 0,
        startProcessAddress: `http://acme.fir.localhost:${port}/processInstances?tn=acme&pt=${id}`,
        createdDtm: at,
        createdBy: by,
        lastUpdatedDtm: at,
        lastUpdatedBy: by,
      });
    });

    it('the creation of a process token returns every field of the request, the deprecated ones too', async () => {
      const fields = {
        description: 'For the shop',
        processDefnVersion: 1,
        uiUrl: 'https://good.example/ui',
        status: 'INACTIVE',
        type: 'MULTI_USE_COUNT_LIMITED',
        notBeforeDtm: '2027-01-01T00:00:00.000Z',
        notAfterDtm: '2027-01-02T00:00:00.000Z',
        maxCount: 7,
        maxProcessDuration: 'P1DT2H',
        forTest: true,
        parameters: { firstName: 'Ada', toString: 'x', _redirectUrl: 'https://good.example/{PROCESS_INSTANCE_ID}' },
      };
      const { status, body } = await create(fields);
      assert.equal(status, 201, JSON.stringify(body));
      for (const [name, value] of Object.entries(fields)) assert.deepEqual(body[name], value, name);
    });

    it('the creation of a process token accepts numbers as text, and ignores fields that the caller cannot set', async () => {
      const fields = {
        processDefnVersion: '1',
        type: 'MULTI_USE_COUNT_LIMITED',
        maxCount: '3',
        counter: 9,
        tenantId: 'acme',
      };
      const { status, body } = await create({ ...fields, id: 'x', environment: 'test' });
      assert.equal(status, 201);
      const { processDefnVersion, maxCount, counter, tenantId, environment } = body;
      assert.deepEqual([processDefnVersion, maxCount, counter, tenantId, environment], [1, 3, 0, 'acme', 'live']);
    });

    it('the creation of a process token refuses with 100014 a name that another token of its environment has', async () => {
      assert.equal((await create({ name: 'taken' }, testKey)).status, 201, 'a test key takes no name of a live token');
      await create({ name: 'taken' });
      const { status, body } = await create({ name: 'taken' });
      assert.deepEqual([status, body.code, body.errors[0].pointer], [409, 100014, '/name']);
      assert.equal((await create({ name: 'taken' }, testKey)).body.code, 100014);
    });

    it('the creation of a process token refuses with 100023 a definition that does not exist, by name, version or tag', async () => {
      await assertRefused({ processDefnName: 'nothing' }, '/processDefnName', 100023);
      await assertRefused({ processDefnVersion: 9 }, '/processDefnVersion', 100023);
      await assertRefused({ processDefnName: undefined, processDefnTag: 'nothing' }, '/processDefnTag', 100023);
    });

    it('the creation of a process token refuses with 100047 a definition that is not deployed', async () => {
      await assertRefused({ processDefnVersion: 3 }, '/processDefnVersion', 100047);
      for (const processDefnName of ['draft', 'old']) {
        const { status, body } = await create({ processDefnName });
        assert.deepEqual([status, body.code], [400, 100047]);
      }
    });

    it('the creation of a process token binds a tag instead of a version, unless the two contradict each other', async () => {
      const { body } = await create({ processDefnName: undefined, processDefnTag: 'current' });
      const { processDefnName, processDefnVersion, processDefnTag } = body;
      assert.deepEqual([processDefnName, processDefnVersion, processDefnTag], ['onboarding', undefined, 'current']);
      assert.equal((await create({ processDefnTag: 'current', processDefnVersion: 2 })).status, 201);
      await assertRefused({ processDefnTag: 'current', processDefnName: 'draft' }, '/processDefnName');
      await assertRefused({ processDefnTag: 'current', processDefnVersion: 1 }, '/processDefnVersion');
    });

    for (const [what, more, pointer] of [
      ['no name', { name: undefined }, '/name'],
      ['a name of 51 characters', { name: 'x'.repeat(51) }, '/name'],
      ['a name that is a number', { name: 5 }, '/name'],
      ['neither definition nor tag', { processDefnName: undefined }, '/processDefnName'],
      ['an empty definition', { processDefnName: '' }, '/processDefnName'],
      ['a definition of 51 characters', { processDefnName: 'x'.repeat(51) }, '/processDefnName'],
      ['a description of 2,001 characters', { description: 'x'.repeat(2001) }, '/description'],
      ['version 0', { processDefnVersion: 0 }, '/processDefnVersion'],
      ['version "0"', { processDefnVersion: '0' }, '/processDefnVersion'],
      ['version 1.5', { processDefnVersion: 1.5 }, '/processDefnVersion'],
      ['a version past int32', { processDefnVersion: '2147483648' }, '/processDefnVersion'],
      ['an unknown status', { status: 'BLOCKED' }, '/status'],
      ['an unknown type', { type: 'ONCE' }, '/type'],
      ['a count limit without maxCount', { type: 'MULTI_USE_COUNT_LIMITED' }, '/maxCount'],
      ['maxCount 0', { type: 'MULTI_USE_COUNT_LIMITED', maxCount: 0 }, '/maxCount'],
      ['maxCount −1', { type: 'MULTI_USE_COUNT_LIMITED', maxCount: -1 }, '/maxCount'],
      ['maxCount "ten"', { type: 'MULTI_USE_COUNT_LIMITED', maxCount: 'ten' }, '/maxCount'],
      ['a time limit without an end', { type: 'MULTI_USE_TIME_LIMITED' }, '/notAfterDtm'],
      [
        'an end before its beginning',
        { notBeforeDtm: '2027-01-02T00:00:00Z', notAfterDtm: '2027-01-01T00:00:00Z' },
        '/notAfterDtm',
      ],
      [
        'an empty interval',
        { notBeforeDtm: '2027-01-01T00:00:00Z', notAfterDtm: '2027-01-01T01:00:00+01:00' },
        '/notAfterDtm',
      ],
      ['a day that does not exist', { notAfterDtm: '2027-02-30T00:00:00Z' }, '/notAfterDtm'],
      ['a leap second', { notAfterDtm: '2026-12-31T23:59:60Z' }, '/notAfterDtm'],
      ['a duration that is none', { maxProcessDuration: '48 hours' }, '/maxProcessDuration'],
      ['a duration of nothing', { maxProcessDuration: 'PT0S' }, '/maxProcessDuration'],
      ['a uiUrl of 501 characters', { uiUrl: `https://good.example/${'x'.repeat(480)}` }, '/uiUrl'],
      ['forTest that is text', { forTest: 'yes' }, '/forTest'],
      ['parameters that are a list', { parameters: [] }, '/parameters'],
      ['a parameter that is no text', { parameters: { a: 1 } }, '/parameters/a'],
      ['a value of 10,001 characters', { parameters: { a: 'x'.repeat(10_001) } }, '/parameters/a'],
      ['a misspelt reserved parameter', { parameters: { _redirectURI: 'x' } }, '/parameters/_redirectURI'],
      ['a parameter of ours to come', { parameters: { _groveX: 'x' } }, '/parameters/_groveX'],
      ['a scenario outside the sandbox', { parameters: { _scenario: 'passed' } }, '/parameters/_scenario'],
    ] as const) {
      it(`the creation of a process token refuses ${what} with 100001 and names ${pointer}`, () =>
        assertRefused(more, pointer));
    }

    it('the creation of a process token accepts every example of the specification: odd keys, long texts, an empty name, a count for an unlimited token', async () => {
      const parameters = { _customerRef: 'C-1', 'with space': 'ü', long: 'x'.repeat(10_000) };
      const { status, body } = await create({ parameters, description: 'x'.repeat(300), maxCount: 5 });
      assert.deepEqual([status, body.parameters, body.type, body.maxCount], [201, parameters, 'UNLIMITED', 5]);
      for (const maxCount of [0, '0']) {
        assert.deepEqual((await create({ maxCount })).body.maxCount, undefined);
        assert.equal((await create({ maxCount, type: 'MULTI_USE_COUNT_LIMITED' })).body.code, 100001);
      }
      for (const name of ['', '', '  ']) {
        const nameless = (await create({ name })).body;
        assert.equal(nameless.name, nameless.id);
      }
    });

    it('a count does not limit an unlimited process token, as the specification says', async () => {
      const { id } = (await create({ maxCount: 1 })).body;
      const make = () =>
        grove.call(`/api/process-manager/processInstances/create?pt=${id}`, { method: 'POST', body: '{}' });
      assert.deepEqual([(await make()).status, (await make()).status], [201, 201]);
    });

    it('the creation of a process token accepts 500 parameters, 255 characters and 64 KiB together, and refuses more', async () => {
      const keys = (count: number, length: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`.padEnd(length, '-'), 'v']));
      assert.equal((await create({ parameters: keys(500, 100) })).status, 201);
      assert.equal((await create({ parameters: keys(100, 255) })).status, 201);
      const big = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`k${at}`, 'x'.repeat(9500)]));
      for (const parameters of [keys(501, 10), keys(10_000, 10), keys(1, 256), { '': 'x' }, big]) {
        assert.equal((await create({ parameters })).body.code, 100001);
      }
    });

    it('the creation of a process token refuses a parameter of a megabyte, whichever limit applies first', async () => {
      const { status, body } = await create({ parameters: { a: 'x'.repeat(2 ** 20) } });
      assert.deepEqual([status, body.code], [413, 100005]);
      assert.equal((await create({ parameters: { a: 'x'.repeat(2 ** 20 - 1000) } })).body.code, 100001);
    });

    for (const key of ['__proto__', 'constructor', 'prototype']) {
      it(`the creation of a process token refuses the parameter ${key} with 100001, and no object has it afterwards`, async () => {
        const body = `{"name":"proto ${key}","processDefnName":"kyc","parameters":{"${key}":"polluted"}}`;
        const answer = await grove.call(PATH, { method: 'POST', body });
        assert.deepEqual([answer.status, answer.body.code], [400, 100001]);
        assert.ok(!JSON.stringify(Object.getOwnPropertyNames(Object.prototype)).includes('polluted'));
        assert.equal(({} as Record<string, unknown>).polluted, undefined);
      });
    }

    it('the creation of a process token refuses with 100025 an address that is not on the list, and names it', async () => {
      const evil = 'https://good.example@evil.example/';
      await assertRefused({ uiUrl: evil }, '/uiUrl', 100025);
      await assertRefused({ parameters: { _redirectUrl: evil } }, '/parameters/_redirectUrl', 100025);
      await assertRefused(
        { parameters: { timeoutRedirectUrl: 'javascript:1' } },
        '/parameters/timeoutRedirectUrl',
        100025,
      );
      await assertRefused({ parameters: { _redirectUrl: `${grove.baseUrl}/` } }, '/parameters/_redirectUrl', 100025);
      const parameters = { _redirectUrl: 'myapp://x', timeoutRedirectUrl: 'https://good.example/late' };
      assert.equal((await create({ parameters })).status, 201);
    });

    it('the user interface of a process token may be that of the server, or none', async () => {
      const own = `http://acme.fir.localhost:${new URL(grove.baseUrl).port}/web/`;
      assert.equal((await create({ uiUrl: own })).body.uiUrl, own);
      const { status, body } = await create({ uiUrl: '' });
      assert.deepEqual([status, body.uiUrl], [201, undefined]);
    });

    it('the creation of a process token refuses with 100065 more tokens than the setting allows; test and live are counted separately', async () => {
      const few = await openTestApp(await places.create(), { environment: { GROVE_MAX_PROCESS_TOKENS: '2' } });
      try {
        await addTestDefinition(few.app.db.of(asTenantId('acme')), { name: 'onboarding' });
        const sandbox = await few.app.tenants.createApiKey('acme', { name: 'Test key', environment: 'test' });
        const tokens = { live: await few.token(), test: await few.token(sandbox.apiKey) };
        const make = (environment: 'live' | 'test', name: string) =>
          few.call(PATH, {
            method: 'POST',
            token: tokens[environment],
            body: JSON.stringify({ name, processDefnName: 'onboarding' }),
          });
        const [first] = [await make('test', 'one'), await make('test', 'two')];
        const refusal = await make('test', 'three');
        assert.deepEqual([refusal.status, refusal.body.code], [409, 100065]);
        assert.equal((await make('live', 'one')).status, 201, 'the sandbox closes nothing in live');
        await few.call(`${PATH}/${first?.body.id}`, { method: 'DELETE', token: tokens.test });
        assert.equal((await make('test', 'three')).status, 201, 'a deleted token makes room');
      } finally {
        await few.stop();
      }
    });

    it('an Idempotency-Key creates one process token for two requests', async () => {
      const twice = () =>
        grove.call(PATH, {
          method: 'POST',
          body: JSON.stringify({ name: 'once', processDefnName: 'onboarding' }),
          headers: { 'Idempotency-Key': 'token-once' },
        });
      const [one, other] = [await twice(), await twice()];
      assert.deepEqual([one.status, other.status, other.body.id], [201, 201, one.body.id]);
    });
  });

  describe('list', () => {
    const names = async (query: string, token?: string) => {
      const { body } = await grove.call(`${PATH}?${query}`, token ? { token } : {});
      return (body.content as { name: string }[]).map(({ name }) => name);
    };

    it('the list of process tokens finds tokens by name, with % and _, ignoring case, and shows every field', async () => {
      await create({ name: 'Findable One', forTest: false });
      await create({ name: 'findable two', notAfterDtm: toDtm(grove.clock.now() + HOUR) });
      assert.deepEqual(await names('processTokenSearch=FINDABLE%25&sort=name,desc'), ['findable two', 'Findable One']);
      const { body } = await grove.call(`${PATH}?processTokenSearch=Findable%20One`);
      assert.equal(body.totalElements, 1);
      const [item] = body.content;
      assert.deepEqual([item.forTest, item.counter], [false, 0]);
      assert.match(item.startProcessAddress, /\/processInstances\?tn=acme&pt=/);
      assert.match(item.lastUpdatedDtm, /Z$/);
    });

    it('the list of process tokens has pages, sorts, and refuses with 100001 an unknown sort order', async () => {
      const { body } = await grove.call(`${PATH}?size=2&page=1&sort=createdDtm,desc`);
      assert.deepEqual([body.numberOfElements, body.number, body.sort.sorted], [2, 1, true]);
      assert.ok(body.totalElements > 10);
      assert.equal((await grove.call(`${PATH}?sort=parameters`)).body.code, 100001);
    });

    it('the list of process tokens shows test keys only tokens of the sandbox, and live keys only the others', async () => {
      const { body } = await create({ name: 'of the sandbox', parameters: { _scenario: 'passed' } }, testKey);
      assert.equal(body.environment, 'test');
      assert.deepEqual(await names('processTokenSearch=of%25', testKey), ['of the sandbox']);
      assert.deepEqual(await names('processTokenSearch=of%20the%20sandbox'), []);
    });

    it('the list of process tokens shows nothing of another tenant', async () => {
      const { apiKey } = await grove.app.tenants.create({ id: 'stranger' });
      assert.deepEqual(await names('', await grove.token(apiKey)), []);
    });
  });

  describe('get, change and delete', () => {
    const at = (id: string) => `${PATH}/${id}`;
    const change = (id: string, body: object, token?: string) =>
      grove.call(at(id), { method: 'POST', body: JSON.stringify(body), ...(token && { token }) });
    const remove = (id: string, token?: string) => grove.call(at(id), { method: 'DELETE', ...(token && { token }) });
    const use = (id: string) =>
      grove.call(`/api/process-manager/processInstances/create?pt=${id}`, { method: 'POST', body: '{}' });

    it('the read of a process token returns the answer of its creation, with the number of its instances', async () => {
      const { body } = await create({ parameters: { firstName: 'Ada' } });
      assert.deepEqual((await grove.call(at(body.id))).body, body);
      await use(body.id);
      assert.equal((await grove.call(at(body.id))).body.counter, 1);
    });

    it('the uses of an UNLIMITED process token count when it is limited later, and are removed together with it', async () => {
      const { id } = (await create()).body;
      for (let times = 0; times < 3; times++) assert.equal((await use(id)).status, 201);
      const limited = await change(id, { type: 'MULTI_USE_COUNT_LIMITED', maxCount: 4 });
      assert.equal(limited.body.counter, 3);
      assert.deepEqual([(await use(id)).status, (await use(id)).body.code], [201, 100046]);
      assert.equal((await change(id, { type: 'UNLIMITED' })).body.counter, 4);
      assert.equal((await use(id)).status, 201);
      assert.equal((await grove.call(at(id))).body.counter, 5);
      await remove(id);
      const COUNTERS = { text: 'SELECT 1 AS one FROM counters WHERE tenant_id = $1 AND name LIKE $2' };
      assert.deepEqual(await acme.all(COUNTERS, ['acme', `%${id}`]), []);
    });

    const onlyWithWriters = { skip: engine === 'sqlite' && 'it has one writer' };
    it(
      '100046: the use of a creation that runs while its process token is limited counts towards the limit',
      onlyWithWriters,
      async () => {
        const { id } = (await create()).body;
        await acme.write(async (tx) => {
          const from = { tokenId: id, environment: 'live', now: grove.clock.now(), baseUrl: grove.baseUrl } as const;
          await createFromToken(tx, from);
          assert.equal((await change(id, { type: 'MULTI_USE_COUNT_LIMITED', maxCount: 2 })).body.counter, 0);
        });
        const second = await use(id);
        assert.equal(second.status, 201, second.text);
        const instance = `/api/process-manager/processInstances/${second.body.processInstanceId}/withParameters`;
        assert.equal((await grove.call(instance)).body.processTokenCounter, 2);
        assert.equal((await use(id)).body.code, 100046);
        assert.equal((await grove.call(at(id))).body.counter, 2);
      },
    );

    it(
      'the uses of creations that run while their process tokens are limited or deleted do not outlive the next purge',
      onlyWithWriters,
      async () => {
        const [limited, deleted, kept] = [(await create()).body, (await create()).body, (await create()).body];
        await acme.write(async (tx) => {
          const from = { environment: 'live', now: grove.clock.now(), baseUrl: grove.baseUrl } as const;
          for (const { id } of [limited, deleted, kept]) await createFromToken(tx, { ...from, tokenId: id });
          await change(limited.id, { type: 'MULTI_USE_COUNT_LIMITED', maxCount: 1 });
          await remove(deleted.id);
        });
        await purgeTokens(acme, grove.clock.now());
        const counted = [];
        for (const { id } of [limited, deleted, kept]) counted.push((await readCounters(acme, [usesOf(id)])).size);
        assert.deepEqual(counted, [0, 0, 1]);
        for (const { id } of [limited, kept]) assert.equal((await grove.call(at(id))).body.counter, 1);
        const instances = await acme.all<{ id: string }>(INSTANCES_OF, ['acme', limited.id]);
        for (const { id } of instances) {
          await grove.call(`/api/process-manager/processInstances/${id}`, { method: 'DELETE' });
        }
        await purgeTokens(acme, grove.clock.now());
        assert.equal((await grove.call(at(limited.id))).body.code, 100021);
      },
    );

    it('a process token that does not exist, or is of the other environment, is refused with 100021', async () => {
      const { id } = (await create()).body;
      for (const answer of [
        await grove.call(at(id), { token: testKey }),
        await change(id, { status: 'INACTIVE' }, testKey),
        await remove(id, testKey),
        await grove.call(at('01JZ4MB1D3F5H7K9M0P2R4T6V8')),
        await change('01JZ4MB1D3F5H7K9M0P2R4T6V8', {}),
        await remove('01JZ4MB1D3F5H7K9M0P2R4T6V8'),
      ]) {
        assert.deepEqual([answer.status, answer.body.code], [404, 100021]);
      }
      assert.equal((await grove.call(at(id))).body.status, 'ACTIVE');
    });

    it('100024: an INACTIVE process token and its link are closed at once, and work again when it is ACTIVE', async () => {
      const { id } = (await create()).body;
      const closed = await change(id, { status: 'INACTIVE' });
      assert.deepEqual([closed.status, closed.body.status], [200, 'INACTIVE']);
      assert.equal((await use(id)).body.code, 100024);
      const link = { method: 'POST', token: null, body: JSON.stringify({ pt: id, tn: 'acme' }) };
      const opened = await grove.call('/api/journey/sessions', { ...link, headers: { origin: grove.baseUrl } });
      assert.notEqual(opened.status, 200);
      assert.equal((await change(id, { status: 'ACTIVE' })).body.status, 'ACTIVE');
      assert.equal((await use(id)).status, 201);
    });

    it('an update of a process token changes only the fields in the request, and accepts what was read', async () => {
      const fields = {
        description: 'before',
        parameters: { firstName: 'Ada' },
        notBeforeDtm: '2001-01-01T00:00:00.000Z',
        notAfterDtm: '2099-01-01T00:00:00.000Z',
      };
      const read = (await create(fields)).body;
      grove.clock.advance(1000);
      const { body } = await change(read.id, { ...read, description: 'after', maxCount: null, uiUrl: null });
      const lastUpdatedDtm = toDtm(grove.clock.now());
      assert.deepEqual(body, { ...read, description: 'after', lastUpdatedDtm });
      const more = { type: 'MULTI_USE_COUNT_LIMITED', maxCount: 1, name: 'renamed', parameters: {} };
      const limited = (await change(read.id, more)).body;
      assert.deepEqual([limited.maxCount, limited.name, limited.parameters], [1, 'renamed', {}]);
      assert.deepEqual([limited.notBeforeDtm, limited.notAfterDtm], [fields.notBeforeDtm, fields.notAfterDtm]);
      assert.deepEqual([(await use(read.id)).status, (await use(read.id)).body.code], [201, 100046]);
      assert.equal((await change(read.id, { maxCount: 2 })).status, 200);
      assert.equal((await use(read.id)).status, 201);
    });

    it('an update of a process token is refused with 100001, 100014 and 100025 like a creation, and for another definition', async () => {
      const { id, name } = (await create()).body;
      const other = (await create()).body;
      for (const [body, code, pointer] of [
        [{ name: other.name }, 100014, '/name'],
        [{ uiUrl: 'https://evil.example' }, 100025, '/uiUrl'],
        [{ parameters: { _redirectUrl: 'https://evil.example' } }, 100025, '/parameters/_redirectUrl'],
        [{ type: 'MULTI_USE_TIME_LIMITED' }, 100001, '/notAfterDtm'],
        [{ processDefnName: 'draft' }, 100001, '/processDefnName'],
        [{ processDefnVersion: 1 }, 100001, '/processDefnVersion'],
        [{ processDefnTag: 'current' }, 100001, '/processDefnTag'],
        [{ stauts: 'INACTIVE' }, 100001, '/stauts'],
      ] as const) {
        const answer = await change(id, body);
        assert.deepEqual([answer.body.code, answer.body.errors[0].pointer], [code, pointer], JSON.stringify(body));
      }
      assert.equal((await grove.call(at(id))).body.name, name);
    });

    it('a process token that is deleted is gone, its name is free, and its instances stay', async () => {
      const { id, name } = (await create()).body;
      const { processInstanceId } = (await use(id)).body;
      const removal = await remove(id);
      assert.deepEqual([removal.status, removal.text], [204, '']);
      for (const answer of [await grove.call(at(id)), await use(id), await remove(id)]) {
        assert.deepEqual([answer.status, answer.body.code], [404, 100021]);
      }
      const instance = await grove.call(`/api/process-manager/processInstances/${processInstanceId}/withParameters`);
      assert.deepEqual([instance.status, instance.body.processTokenId], [200, id]);
      assert.equal((await create({ name })).status, 201);
    });

    it('the audit log names who changed and deleted a process token, without personal data', async () => {
      const { id } = (await create({ name: 'Ada Lovelace' })).body;
      await change(id, { status: 'INACTIVE', description: 'for Ada' });
      await remove(id);
      const { body } = await grove.call('/api/process-manager/auditEvents?size=1000');
      const ofToken = body.content.filter(({ item }: { item?: string }) => item === id);
      const actions = ofToken.map(({ action }: { action: string }) => action).sort();
      assert.deepEqual(actions, ['processToken.deleted', 'processToken.updated']);
      assert.ok(!JSON.stringify(ofToken).includes('Ada'));
    });
  });

  describe('the retention of process tokens', () => {
    const DAY = 24 * HOUR;
    const idsOf = async () => {
      const { body } = await grove.call(`${PATH}?size=1000`);
      assert.equal(body.totalElements, body.content.length);
      return new Set(body.content.map(({ id }: { id: string }) => id));
    };

    it('retention removes process tokens that are used up or expired, once their instances are gone, and no others', async () => {
      const end = toDtm(grove.clock.now() + HOUR);
      const once = { type: 'MULTI_USE_COUNT_LIMITED', maxCount: 1 };
      const make = async (more: object) => (await create(more)).body.id as string;
      const usedUp = await make(once);
      const unused = await make(once);
      const expiredToken = await make({ type: 'MULTI_USE_TIME_LIMITED', notAfterDtm: end });
      const limitedToken = await make({ maxCount: 1 });
      const closed = await make({ status: 'INACTIVE' });
      const instances = [];
      for (const id of [usedUp, limitedToken]) {
        const creation = await grove.call(`/api/process-manager/processInstances/create?pt=${id}`, { method: 'POST' });
        instances.push(creation.body.processInstanceId);
      }
      const purge = (laterMs: number) => purgeTokens(acme, grove.clock.now() + laterMs);
      await purge(0);
      assert.ok((await idsOf()).has(usedUp), 'its instance names it');
      for (const id of instances) {
        await grove.call(`/api/process-manager/processInstances/${id}`, { method: 'DELETE' });
      }
      await purge(2 * HOUR);
      const later = await idsOf();
      assert.deepEqual(
        [usedUp, unused, expiredToken, limitedToken, closed].map((id) => later.has(id)),
        [false, true, true, true, true],
      );
      await purge(2 * HOUR + OVER_TOKENS_KEPT_DAYS * DAY);
      const last = await idsOf();
      assert.deepEqual(
        [unused, expiredToken, limitedToken, closed].map((id) => last.has(id)),
        [true, false, true, true],
      );
    });
  });
});
