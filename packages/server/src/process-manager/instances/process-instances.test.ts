import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { addTestDefinition, addTestToken, inParallel } from '../../../test/processes.ts';
import { sql, type TenantDb } from '../../db/db.ts';
import { openFolder } from '../../engines/blobs/folder.ts';
import { HOUR, MINUTE, toDtm } from '../../kernel/clock.ts';
import { asTenantId, newId } from '../../kernel/ids.ts';
import type { DefinitionRow } from '../definitions/definitions.repository.ts';
import { openDrive } from '../engine/drive.ts';
import type { TokenRow } from '../tokens/process-tokens.repository.ts';
import { createInstance } from './create-instance.ts';
import { totalsOf } from './instance-totals.ts';
import {
  changeInstance,
  findInstance,
  findInstanceForUpdate,
  type InstanceRow,
} from './process-instances.repository.ts';

const PATH = '/api/process-manager/processInstances';
const DAY = 24 * HOUR;
const ARCHIVE = sql("UPDATE process_definitions SET status = 'ARCHIVED' WHERE tenant_id = $1 AND id = $2");
const MOVE_TAG = sql(`INSERT INTO process_definition_tags
  (tenant_id, name, name_folded, definition_id, created_at, created_by) VALUES ($1, $2, $2, $3, 0, 'Test')
  ON CONFLICT (tenant_id, name) DO UPDATE SET definition_id = excluded.definition_id`);

onBothEngines('process instances', (_engine, places) => {
  let grove: TestApp;
  let acme: TenantDb;
  let definition: DefinitionRow;
  let token: TokenRow;
  let testKey: string;
  let base: string;
  before(async () => {
    grove = await openTestApp(await places.create());
    acme = grove.app.db.of(asTenantId('acme'));
    definition = await addTestDefinition(acme, { name: 'kyc', attributes: { searchable: ['orderId'] } });
    token = await addTestToken(acme, definition);
    base = `http://acme.fir.localhost:${new URL(grove.baseUrl).port}`;
    const settings = { redirectOrigins: ['https://good.example'] };
    await grove.call('/api/process-manager/settings', { method: 'POST', body: JSON.stringify(settings) });
    const made = await grove.app.tenants.createApiKey('acme', { name: 'Test key', environment: 'test' });
    testKey = await grove.token(made.apiKey);
  });
  after(() => grove.stop());

  const get = (path: string, key?: string) => grove.call(`${PATH}/${path}`, key ? { token: key } : {});
  const create = (pt = token.id, key?: string) =>
    grove.call(`${PATH}/create?pt=${pt}`, { method: 'POST', body: '{}', ...(key && { token: key }) });
  const start = (body?: object, pt = token.id) =>
    grove.call(`${PATH}?pt=${pt}`, { method: 'POST', ...(body && { body: JSON.stringify(body) }) });
  const newInstance = async (more: Partial<TokenRow> = {}): Promise<InstanceRow> => {
    const { id } = await addTestToken(acme, definition, more);
    return rowOf((await create(id)).body.processInstanceId);
  };
  const rowOf = async (id: string): Promise<InstanceRow> => {
    const row = await findInstance(acme, id);
    assert.ok(row);
    return row;
  };
  const change = (id: string, more: Partial<InstanceRow>) =>
    acme.write(async (tx) => {
      const row = await findInstanceForUpdate(tx, id);
      assert.ok(row);
      return changeInstance(tx, row, { ...row, ...more });
    });
  const rowsOf = (table: string, id: string) =>
    acme.all({ text: `SELECT 1 AS one FROM ${table} WHERE tenant_id = 'acme' AND instance_id = $1` }, [id]);

  describe('create', () => {
    it('answers 201 with a redirect address that carries a one-time code, of which only the hash is kept', async () => {
      const { status, body } = await create();
      assert.equal(status, 201, JSON.stringify(body));
      const { processInstanceId: id, redirectUrl, themeUrl } = body;
      assert.equal(themeUrl, `${base}/api/theme-server/themes/default`);
      const url = new URL(redirectUrl);
      assert.equal(`${url.origin}${url.pathname}`, `${base}/web/`);
      const startUrl = new URL(url.searchParams.get('ps') ?? '');
      assert.equal(`${startUrl.origin}${startUrl.pathname}`, `${base}/api/process-server/startProcess`);
      assert.equal(startUrl.searchParams.get('pi'), id);
      const code = startUrl.searchParams.get('c') ?? '';
      assert.match(code, new RegExp(`^acme\\.${id}[A-Za-z0-9_-]{43}$`));
      const row = await rowOf(id);
      assert.deepEqual(Buffer.from(row.code_hash ?? []), createHash('sha256').update(code).digest());
      assert.equal(row.code_expires_at, grove.clock.now() + DAY);
      assert.ok(!JSON.stringify(row).includes(code) && !grove.logged().includes(code));
    });

    it('counts the use, and the token shows how many there were', async () => {
      const { id } = await addTestToken(acme, definition, { name: 'counted' });
      for (const counter of [1, 2]) {
        const { processInstanceId } = (await create(id)).body;
        const { body } = await get(`${processInstanceId}/withParameters`);
        assert.deepEqual([body.processTokenId, body.processTokenCounter], [id, counter]);
      }
      const listed = await grove.call('/api/process-manager/processTokens?processTokenSearch=counted');
      assert.equal(listed.body.content[0].counter, 2);
    });

    it('sends the end user to the page of the token, whatever its address already carries', async () => {
      const urls: [string, RegExp][] = [
        ['https://good.example/ui', /^https:\/\/good\.example\/ui\?ps=http%3A/],
        ['https://good.example/ui?lang=de#top', /^https:\/\/good\.example\/ui\?lang=de&ps=http%3A[^#]+#top$/],
      ];
      for (const [ui_url, expected] of urls) {
        const { id } = await addTestToken(acme, definition, { ui_url });
        assert.match((await create(id)).body.redirectUrl, expected);
      }
    });

    it('writes the first event of the instance', async () => {
      const { processInstanceId: id } = (await create()).body;
      const { body } = await get(`${id}/events`);
      assert.equal(body.totalElements, 1);
      const at = toDtm(grove.clock.now());
      assert.deepEqual(body.content, [{ sequence: 1, type: 'instance.created', dateTime: at, status: 'PENDING' }]);
    });

    it('an Idempotency-Key makes one instance of two requests', async () => {
      const { id } = await addTestToken(acme, definition);
      const headers = { 'Idempotency-Key': 'instance-once' };
      const twice = () => grove.call(`${PATH}/create?pt=${id}`, { method: 'POST', body: '{}', headers });
      const [one, other] = [await twice(), await twice()];
      assert.deepEqual(one.body, other.body);
      assert.equal((await rowOf(one.body.processInstanceId)).token_counter, 1);
    });
  });

  describe('a token that cannot be used', () => {
    const refused = async (more: Partial<TokenRow>, code: number, status = 400) => {
      const { id } = await addTestToken(acme, definition, more);
      for (const answer of [await create(id), await start(undefined, id)]) {
        assert.deepEqual([answer.status, answer.body?.code], [status, code]);
      }
      const after = await acme.get<{ counter: number }>(
        { text: 'SELECT counter FROM process_tokens WHERE tenant_id = $1 AND id = $2' },
        ['acme', id],
      );
      assert.equal(after?.counter, more.counter ?? 0, 'a refused use is not counted');
    };

    it('answers 100021 when there is none, or it is of another tenant or the sandbox', async () => {
      assert.deepEqual([(await create('nothing')).status, (await create(newId(0))).body.code], [404, 100021]);
      await refused({ environment: 'test' }, 100021, 404);
      const { apiKey } = await grove.app.tenants.create({ id: 'stranger' });
      assert.equal((await create(token.id, await grove.token(apiKey))).body.code, 100021);
      assert.equal((await create(token.id, testKey)).body.code, 100021);
    });

    it('answers 100024 when it is not active', () => refused({ status: 'INACTIVE' }, 100024));

    it('answers 100044 from the very moment it expires', async () => {
      const now = grove.clock.now();
      await refused({ type: 'MULTI_USE_TIME_LIMITED', not_after_at: now }, 100044);
      const { id } = await addTestToken(acme, definition, { not_after_at: now + 1 });
      assert.equal((await create(id)).status, 201);
    });

    it('answers 100045 until the very moment it becomes valid', async () => {
      const now = grove.clock.now();
      await refused({ not_before_at: now + 1 }, 100045);
      const { id } = await addTestToken(acme, definition, { not_before_at: now });
      assert.equal((await create(id)).status, 201);
    });

    it('answers 100046 when it was used as often as it may be', () =>
      refused({ type: 'MULTI_USE_COUNT_LIMITED', max_count: 3, counter: 3 }, 100046));

    it('answers 100047 when its definition is deployed no more, or nothing bears its tag', async () => {
      const archived = await addTestDefinition(acme, { name: 'archived-later' });
      const bound = { definition_id: archived.id };
      await acme.write((tx) => tx.run(ARCHIVE, ['acme', archived.id]));
      await refused(bound, 100047);
      await refused({ definition_id: null, process_defn_version: null, process_defn_tag: 'nobody' }, 100047);
    });

    it('a tag leads to whatever bears it now', async () => {
      const next = await addTestDefinition(acme, { name: 'kyc', version: 2 });
      const tagged = { definition_id: null, process_defn_version: null, process_defn_tag: 'current' };
      const { id } = await addTestToken(acme, definition, tagged);
      for (const { id: definitionId } of [definition, next]) {
        await acme.write((tx) => tx.run(MOVE_TAG, ['acme', 'current', definitionId]));
        assert.equal((await rowOf((await create(id)).body.processInstanceId)).definition_id, definitionId);
      }
    });

    it('500 parallel creates on 100 uses give exactly 100 instances', async () => {
      const { id } = await addTestToken(acme, definition, { type: 'MULTI_USE_COUNT_LIMITED', max_count: 100 });
      const results = await inParallel(500, () => create(id));
      const answers = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      assert.equal(answers.length, 500);
      const made = answers.filter(({ status }) => status === 201);
      assert.equal(made.length, 100);
      assert.equal(new Set(made.map(({ body }) => body.processInstanceId)).size, 100);
      assert.ok(answers.every(({ status, body }) => status === 201 || body.code === 100046));
    });
  });

  describe('create and redirect', () => {
    it('answers 307 without a body, to the server itself, whatever page the token names', async () => {
      const { id } = await addTestToken(acme, definition, { ui_url: 'https://good.example/ui' });
      const { status, headers, text } = await start(undefined, id);
      assert.deepEqual([status, text], [307, '']);
      const location = new URL(headers.get('location') ?? '');
      assert.equal(`${location.origin}${location.pathname}`, `${base}/api/process-server/startProcess`);
      assert.match(location.searchParams.get('c') ?? '', /^acme\./);
      assert.equal((await rowOf(location.searchParams.get('pi') ?? '')).token_id, id);
    });

    const startedRow = async (body: object, pt?: string) => {
      const answer = await start(body, pt);
      assert.equal(answer.status, 307, answer.text);
      return rowOf(new URL(answer.headers.get('location') ?? '').searchParams.get('pi') ?? '');
    };

    it('the body fills in the token for this instance alone', async () => {
      const parameters = '{"firstName":"Ada","orderId":"A 1"}';
      const { id } = await addTestToken(acme, definition, { parameters });
      const notAfterDtm = toDtm(grove.clock.now() + HOUR);
      const given = {
        name: 'One',
        description: 'Only',
        notAfterDtm,
        parameters: { firstName: 'Eve', email: 'e@x.example' },
      };
      const row = await startedRow(given, id);
      const { body } = await get(`${row.id}/withParameters`);
      assert.deepEqual(body.processTokenParameters, { firstName: 'Eve', orderId: 'A 1', email: 'e@x.example' });
      assert.deepEqual([body.name, body.description, body.firstName], ['One', 'Only', 'Eve']);
      assert.equal(row.deadline_at, grove.clock.now() + HOUR);
      assert.equal((await rowOf((await create(id)).body.processInstanceId)).parameters, parameters);
    });

    it('refuses with 100025 an address in the body that is not on the list', async () => {
      for (const name of ['_redirectUrl', 'timeoutRedirectUrl']) {
        const { status, body } = await start({ parameters: { [name]: 'https://good.example.evil.example' } });
        assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100025, `/parameters/${name}`]);
      }
      assert.equal((await start({ parameters: { _redirectUrl: 'https://good.example/x' } })).status, 307);
    });

    for (const [what, given, pointer] of [
      ['an end that has passed', { notAfterDtm: '2020-01-01T00:00:00Z' }, '/notAfterDtm'],
      ['an end that does not exist', { notAfterDtm: '2099-02-30T00:00:00Z' }, '/notAfterDtm'],
      ['a name of 51 characters', { name: 'x'.repeat(51) }, '/name'],
      ['a description of 256 characters', { description: 'x'.repeat(256) }, '/description'],
      ['a reserved parameter', { parameters: { _x: 'y' } }, '/parameters/_x'],
      ['a scenario outside the sandbox', { parameters: { _scenario: 'passed' } }, '/parameters/_scenario'],
      ['a value of 1,001 characters', { parameters: { a: 'x'.repeat(1001) } }, '/parameters/a'],
      [
        '10,000 parameters',
        { parameters: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, ''])) },
        '/parameters',
      ],
    ] as const) {
      it(`refuses ${what} with 100001, and takes no use`, async () => {
        const { id } = await addTestToken(acme, definition, { type: 'MULTI_USE_COUNT_LIMITED', max_count: 1 });
        const { status, body } = await start(given, id);
        assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100001, pointer]);
        assert.equal((await create(id)).status, 201);
      });
    }

    it('refuses with 100001 more than 50 parameters of token and body together', async () => {
      const keys = (prefix: string) =>
        Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${prefix}${at}`, '']));
      const { id } = await addTestToken(acme, definition, { parameters: JSON.stringify(keys('a')) });
      assert.equal((await start({ parameters: keys('b') }, id)).body.code, 100001);
      assert.equal((await start({ parameters: keys('a') }, id)).status, 307);
    });
  });

  describe('views', () => {
    const parameters = JSON.stringify({
      ...{ firstName: '  Ada ', lastName: 'Lovelace', email: 'ada@x.example', phoneNumber: '+44 20', orderId: 'A-7' },
      ...{ dateOfBirth: '1815-12-10', toString: 'x', hasOwnProperty: 'y' },
    });

    it('the plain view has the fields of the specification', async () => {
      const { id } = await newInstance({ parameters });
      const createdAt = grove.clock.now();
      grove.clock.advance(90 * 1000);
      const { status, body } = await get(id);
      assert.equal(status, 200);
      assert.deepEqual(body, {
        id,
        tenantId: 'acme',
        processDefnId: definition.id,
        processDefnName: 'kyc',
        processDefnVersion: 1,
        ...{ lastName: 'Lovelace', firstName: 'Ada', phoneNumber: '+44 20', email: 'ada@x.example' },
        status: 'PENDING',
        environment: 'live',
        retentionDays: 30,
        expiringDtm: toDtm(createdAt + 30 * DAY),
        createdAt: toDtm(createdAt),
        elapsedMilliseconds: 90_000,
        statusMapped: 'Pending',
      });
    });

    it('the view with parameters has those of the specification, and the parameters as the instance got them', async () => {
      const row = await newInstance({ parameters });
      const at = toDtm(row.created_at);
      assert.deepEqual((await get(`${row.id}/withParameters`)).body, {
        id: row.id,
        tenantId: 'acme',
        processDefnId: definition.id,
        processDefnName: 'kyc',
        processDefnVersion: 1,
        ...{ lastName: 'Lovelace', firstName: 'Ada', phoneNumber: '+44 20', email: 'ada@x.example' },
        status: 'PENDING',
        environment: 'live',
        retentionDays: 30,
        expiringDtm: toDtm(row.created_at + 30 * DAY),
        ...{ createdDtm: at, lastUpdatedDtm: at },
        processTokenId: row.token_id,
        processTokenCounter: 1,
        dateOfBirth: '1815-12-10',
        processDefinitionType: 'VERIFICATION',
        processTokenParameters: JSON.parse(parameters),
      });
    });

    it('shows no date of birth that is no day, and names only as long as lists take', async () => {
      const odd = JSON.stringify({ dateOfBirth: '2001-02-30', firstName: '𝒜'.repeat(1000), lastName: '   ' });
      const { id } = await newInstance({ parameters: odd });
      const { body } = await get(`${id}/withParameters`);
      assert.deepEqual([body.dateOfBirth, [...body.firstName].length, body.lastName], [undefined, 255, undefined]);
    });

    it('every status has its mapped one, and time stands still once it has ended', async () => {
      const mapped = {
        PENDING: 'Pending',
        ACTIVE: 'In Progress',
        PAUSED: 'Paused',
        REVIEW: 'Review',
        COMPLETED_ENDED_SUCCESS: 'Accepted',
        COMPLETED_ENDED_ERROR: 'Declined',
        COMPLETED_PROCESS_ERROR: 'Error',
        COMPLETED_TERMINATED: 'Abandoned',
      } as const;
      const { id, created_at } = await newInstance();
      for (const [status, statusMapped] of Object.entries(mapped)) {
        const completed_at = status.startsWith('COMPLETED') ? created_at + 5 : null;
        await change(id, { status: status as InstanceRow['status'], completed_at });
        grove.clock.advance(MINUTE);
        const { body } = await get(id);
        assert.deepEqual([body.status, body.statusMapped], [status, statusMapped]);
        if (completed_at !== null) assert.equal(body.elapsedMilliseconds, 5);
      }
    });

    it('shows the review once there is one', async () => {
      const { id } = await newInstance();
      await change(id, { status: 'REVIEW', review_status: 'PENDING' });
      assert.deepEqual((await get(id)).body.review, { status: 'PENDING' });
      await change(id, { review_status: 'REJECTED', review_comment: 'blurred', reviewer: 'Eve' });
      assert.deepEqual((await get(id)).body.review, { status: 'REJECTED', comment: 'blurred', reviewer: 'Eve' });
    });

    it('ends at the earliest of all its ends', async () => {
      const now = grove.clock.now();
      const short = await addTestDefinition(acme, { name: 'short', maxDuration: 'PT10M' });
      const { id } = await addTestToken(acme, short);
      assert.equal((await rowOf((await create(id)).body.processInstanceId)).deadline_at, now + 10 * MINUTE);
      assert.equal((await newInstance({ max_process_duration: 'PT1M' })).deadline_at, now + MINUTE);
      assert.equal((await newInstance()).deadline_at, now + 48 * HOUR);
    });
  });

  describe('100022', () => {
    it('answers 100022 to every operation on an instance that is missing, of the sandbox or of another tenant', async () => {
      const { id: testToken } = await addTestToken(acme, definition, { environment: 'test' });
      const { processInstanceId: ofSandbox } = (await create(testToken, testKey)).body;
      assert.equal((await get(ofSandbox, testKey)).body.environment, 'test');
      const { apiKey } = await grove.app.tenants.create({ id: 'foreigner' });
      const foreigner = await grove.token(apiKey);
      const { id: own } = await newInstance();
      const bodies = new Set<string>();
      for (const [id, key] of [
        ['nothing', undefined],
        [newId(0), undefined],
        [ofSandbox, undefined],
        [own, testKey],
        [own, foreigner],
      ] as const) {
        for (const [method, tail] of [
          ['GET', ''],
          ['GET', '/withParameters'],
          ['GET', '/events'],
          ['DELETE', ''],
          ['POST', '/resume'],
          ['POST', '/resumeLink'],
        ] as const) {
          const { status, body } = await grove.call(`${PATH}/${id}${tail}`, { method, ...(key && { token: key }) });
          assert.deepEqual([status, body.code], [404, 100022], `${method} ${tail}`);
          bodies.add(JSON.stringify({ ...body, requestId: '' }));
        }
      }
      assert.equal(bodies.size, 1, 'nobody can tell which of them it is');
      assert.equal((await get(own)).status, 200);
    });
  });

  describe('delete', () => {
    it('answers 200 without a body, and takes everything with it', async () => {
      const row = await newInstance({ parameters: '{"firstName":"Grace","email":"g@x.example"}' });
      const blob = newId(grove.clock.now());
      await openFolder(grove.config.blobFolder).put(blob, Buffer.from('sealed'));
      const vault = grove.app.vault;
      const sealed = await acme.write(async (tx) => {
        await tx.run(
          sql(`INSERT INTO instance_images (tenant_id, instance_id, step, attempt, name, blob_key, content_type, bytes,
            sha256, created_at) VALUES ('acme', $1, 'doc', 1, 'front', $2, 'image/jpeg', 6, 'x', 0)`),
          [row.id, blob],
        );
        await tx.run(
          sql(`INSERT INTO journeys (tenant_id, instance_id, revision, state) VALUES ('acme', $1, 1, '{}')`),
          [row.id],
        );
        const child = await createInstance(tx, {
          ...{ definition, environment: 'live', parameters: {}, now: grove.clock.now() },
          parent: { row, step: 'sub', id: newId(grove.clock.now()) },
        });
        assert.deepEqual([child.code, child.row.code_hash, child.row.parent_id], [undefined, null, row.id]);
        return vault.sealFor(tx, `instance:${row.id}`, 'test', Buffer.from('secret'));
      });
      const before = (await totalsOf(acme, 'live')).reduce((sum, { total }) => sum + total, 0);

      const { status, text } = await grove.call(`${PATH}/${row.id}`, { method: 'DELETE' });
      assert.deepEqual([status, text], [200, '']);
      assert.equal((await get(row.id)).body.code, 100022);
      for (const table of ['instance_terms', 'instance_events', 'instance_images', 'journeys']) {
        assert.equal((await rowsOf(table, row.id)).length, 0, table);
      }
      assert.equal((await rowsOf('instance_tombstones', row.id)).length, 1);
      const children = await acme.all({ text: 'SELECT id FROM process_instances WHERE parent_id = $1' }, [row.id]);
      assert.equal(children.length, 0);
      assert.equal(
        (await totalsOf(acme, 'live')).reduce((sum, { total }) => sum + total, 0),
        before - 2,
      );
      await assert.rejects(vault.openFor(acme, `instance:${row.id}`, 'test', sealed), /destroyed/);
      await grove.app.jobs.runDue();
      const path = join(grove.config.blobFolder, blob.slice(-2), blob.slice(-4, -2), blob);
      assert.ok(!existsSync(path), 'the blob is gone');
    });

    it('a second delete answers 100022', async () => {
      const { id } = await newInstance();
      await grove.call(`${PATH}/${id}`, { method: 'DELETE' });
      assert.equal((await grove.call(`${PATH}/${id}`, { method: 'DELETE' })).body.code, 100022);
    });

    it('a child tells in its first event whose child it is', async () => {
      const row = await newInstance();
      const child = await acme.write((tx) =>
        createInstance(tx, {
          ...{ definition, environment: 'live', parameters: {}, now: grove.clock.now() },
          parent: { row, step: 'sub', id: newId(grove.clock.now()) },
        }),
      );
      const { body } = await get(`${child.row.id}/events`);
      assert.deepEqual(body.content[0].data, {
        parentProcessDefnId: definition.id,
        parentProcessDefnName: 'kyc',
        parentProcessDefnVersion: 1,
        parentProcessInstanceId: row.id,
        childProcessDefnName: 'kyc',
        childProcessDefnVersion: 1,
      });
      assert.equal((await get(`${child.row.id}/withParameters`)).body.parentProcessInstanceId, row.id);
    });
  });

  describe('resume', () => {
    it('goes on with a paused instance, once', async () => {
      const paused = await addTestDefinition(acme, {
        name: 'paused',
        steps: [
          { id: 'wait', type: 'pause', key: 'pause1' },
          { id: 'decide', type: 'decision', onAnyFailure: 'FAIL', onUncertain: 'REVIEW' },
        ],
      });
      const { id: pt } = await addTestToken(acme, paused);
      const { processInstanceId: id } = (await create(pt)).body;
      const { vault, jobs } = grove.app;
      const drive = openDrive({
        tell: async () => undefined,
        sendWebhook: async () => true,
        identity: () => assert.fail('no step asks it'),
        vault,
        jobs,
        workStep: {} as never,
        changed: () => undefined,
      });
      await acme.write((tx) => drive.apply(tx, id, { type: 'open' }, grove.clock.now()));
      assert.equal((await get(id)).body.statusMapped, 'Paused');
      const resume = (body: object) =>
        grove.call(`${PATH}/${id}/resume`, { method: 'POST', body: JSON.stringify(body) });
      assert.equal((await resume({ variables: { a: 1 } })).body.code, 100001);
      const { status, body } = await resume({ variables: { approved: 'yes' } });
      assert.deepEqual([status, body.status, body.id], [200, 'COMPLETED_ENDED_SUCCESS', id]);
      assert.equal((await resume({})).body.code, 100062);
      const { content } = (await get(`${id}/events?sort=sequence,desc`)).body;
      assert.equal(content[0].type, 'instance.completed');
    });

    it('refuses with 100062 an instance that is not paused', async () => {
      const { id } = await newInstance();
      const { status, body } = await grove.call(`${PATH}/${id}/resume`, { method: 'POST', body: '{}' });
      assert.deepEqual([status, body.code], [409, 100062]);
    });

    it('a link works for 24 hours, and leads to the journey that a child is part of', async () => {
      const row = await newInstance({ ui_url: 'https://good.example/ui' });
      const { row: child } = await acme.write((tx) =>
        createInstance(tx, {
          ...{ definition, environment: 'live', parameters: {}, now: grove.clock.now() },
          parent: { row, step: 'sub', id: newId(grove.clock.now()) },
        }),
      );
      for (const id of [row.id, child.id]) {
        const { status, body } = await grove.call(`${PATH}/${id}/resumeLink`, { method: 'POST', body: '{}' });
        assert.deepEqual([status, body.expiringDtm], [201, toDtm(grove.clock.now() + DAY)]);
        const url = new URL(body.redirectUrl);
        assert.equal(url.origin, 'https://good.example');
        const startUrl = new URL(url.searchParams.get('ps') ?? '');
        assert.equal(startUrl.searchParams.get('pi'), row.id);
        const hash = createHash('sha256')
          .update(startUrl.searchParams.get('c') ?? '')
          .digest();
        const [kept] = await acme.all<{ kind: string; expires_at: number }>(
          { text: `SELECT kind, expires_at FROM journey_codes WHERE tenant_id = 'acme' AND code_hash = $1` },
          [hash],
        );
        assert.deepEqual({ ...kept }, { kind: 'RESUME', expires_at: grove.clock.now() + DAY });
      }
    });

    it('keeps no more than twenty links of an instance, and none that is over', async () => {
      const { id } = await newInstance();
      const link = () => grove.call(`${PATH}/${id}/resumeLink`, { method: 'POST', body: '{}' });
      for (let at = 0; at < 25; at++) assert.equal((await link()).status, 201);
      assert.equal((await rowsOf('journey_codes', id)).length, 20);
      grove.clock.advance(DAY);
      // The bearer token has expired too.
      const token = await grove.token();
      await grove.call(`${PATH}/${id}/resumeLink`, { method: 'POST', body: '{}', token });
      assert.equal((await rowsOf('journey_codes', id)).length, 1);
      grove.clock.advance(-DAY);
    });

    it('a link to a journey that has ended is refused with 100057', async () => {
      const { id } = await newInstance();
      await change(id, { status: 'COMPLETED_TERMINATED', completed_at: grove.clock.now() });
      const { status, body } = await grove.call(`${PATH}/${id}/resumeLink`, { method: 'POST', body: '{}' });
      assert.deepEqual([status, body.code], [409, 100057]);
    });
  });
});
