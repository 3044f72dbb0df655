import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { codeOf } from '../../../test/end-user.ts';
import { onBothEngines } from '../../../test/harness.ts';
import { type InstanceWorld, openInstanceWorld, PATH } from '../../../test/instance-world.ts';
import { addTestDefinition, addTestToken, inParallel } from '../../../test/processes.ts';
import { sql } from '../../db/db.ts';
import { HOUR, MINUTE, toDtm } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { TokenRow } from './process-tokens.repository.ts';

const ARCHIVE = sql("UPDATE process_definitions SET status = 'ARCHIVED' WHERE tenant_id = $1 AND id = $2");
const MOVE_TAG = sql(`INSERT INTO process_definition_tags
  (tenant_id, environment, name, name_folded, definition_id, created_at, created_by)
  VALUES ($1, 'live', $2, $2, $3, 0, 'Test')
  ON CONFLICT (tenant_id, environment, name) DO UPDATE SET definition_id = excluded.definition_id`);

onBothEngines('process instances from tokens', (_engine, places) => {
  let world: InstanceWorld;
  before(async () => {
    world = await openInstanceWorld(await places.create());
  });
  after(() => world.grove.stop());

  describe('create', () => {
    it('the creation of an instance from a token answers 201 with a redirect address that contains a one-time code, which is stored only as a hash', async () => {
      const { status, body } = await world.create();
      assert.equal(status, 201, JSON.stringify(body));
      const { processInstanceId: id, redirectUrl, themeUrl } = body;
      assert.equal(themeUrl, `${world.base}/api/theme-server/themes/default`);
      const url = new URL(redirectUrl);
      assert.equal(`${url.origin}${url.pathname}`, `${world.base}/web/`);
      assert.equal(url.search, `?pi=${id}`);
      const code = codeOf(redirectUrl);
      assert.match(code, new RegExp(`^acme\\.${id}[A-Za-z0-9_-]{43}$`));
      const row = await world.rowOf(id);
      assert.deepEqual(Buffer.from(row.code_hash ?? []), createHash('sha256').update(code).digest());
      assert.equal(row.code_expires_at, world.grove.clock.now() + 10 * MINUTE);
      assert.ok(!JSON.stringify(row).includes(code) && !world.grove.logged().includes(code));
    });

    it('the creation of an instance from a token takes the person and the reference in one call, and answers the id', async () => {
      const parameters = '{"firstName":"Ada","orderId":"A 1"}';
      const { id } = await addTestToken(world.acme, world.definition, { parameters });
      const createBody = { parameters: { firstName: 'Bob', customerNumber: 'C-7' }, externalReference: 'case/4711-b' };
      const instance = await world.grove.client.processInstances.create({ query: { pt: id }, body: createBody });
      const whole = (await world.get(`${instance.processInstanceId}/withParameters`)).body;
      const expected = { firstName: 'Bob', orderId: 'A 1', customerNumber: 'C-7', externalReference: 'case/4711-b' };
      assert.deepEqual(whole.processTokenParameters, expected);
      assert.deepEqual([whole.firstName, whole.externalReference], ['Bob', 'case/4711-b']);
      assert.equal((await world.get(instance.processInstanceId)).body.externalReference, 'case/4711-b');
      for (const typed of ['case/4711-b', 'CASE4711B', '4711']) {
        const { body } = await world.get(`search?searchString=${encodeURIComponent(typed)}`);
        assert.deepEqual([typed, body.content[0]?.id], [typed, instance.processInstanceId]);
        assert.equal(body.content[0].externalReference, 'case/4711-b');
      }
      assert.equal((await world.rowOf((await world.create(id)).body.processInstanceId)).parameters, parameters);
    });

    it('the reference of an instance is sealed, and stays when the row is written again', async () => {
      const body = { externalReference: 'reference-in-clear' };
      const { processInstanceId } = await world.grove.client.processInstances.create({
        query: { pt: world.token.id },
        body,
      });
      await world.change(processInstanceId, { review_comment: 'seen' });
      assert.equal((await world.get(processInstanceId)).body.externalReference, 'reference-in-clear');
      const stored = await world.acme.all({ text: "SELECT * FROM process_instances WHERE tenant_id = 'acme'" }, []);
      const terms = await world.acme.all({ text: "SELECT * FROM instance_terms WHERE tenant_id = 'acme'" }, []);
      const bytes = JSON.stringify([stored, terms], (_key, value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
      );
      assert.ok(!bytes.includes('reference-in-clear') && !bytes.includes('referenceinclear'));
    });

    it('the creation of an instance from a token refuses with 100001 two references that differ, and with 100025 an address that is not on the list', async () => {
      const differ = { parameters: { externalReference: 'one' }, externalReference: 'other' };
      const refusal = await world.grove.call(`${PATH}/create?pt=${world.token.id}`, {
        method: 'POST',
        body: JSON.stringify(differ),
      });
      assert.deepEqual([refusal.body.code, refusal.body.errors[0].pointer], [100001, '/parameters/externalReference']);
      const away = await world.grove.call(`${PATH}/create?pt=${world.token.id}`, {
        method: 'POST',
        body: JSON.stringify({ parameters: { _redirectUrl: 'https://evil.example/' } }),
      });
      assert.deepEqual([away.status, away.body.code], [400, 100025]);
    });

    it('the creation of an instance from a token counts the use, and the token shows the count', async () => {
      const { id } = await addTestToken(world.acme, world.definition, { name: 'counted' });
      for (const counter of [1, 2]) {
        const { processInstanceId } = (await world.create(id)).body;
        const { body } = await world.get(`${processInstanceId}/withParameters`);
        assert.deepEqual([body.processTokenId, body.processTokenCounter], [id, counter]);
      }
      const listed = await world.grove.call('/api/process-manager/processTokens?processTokenSearch=counted');
      assert.equal(listed.body.content[0].counter, 2);
    });

    it('the creation of an instance from a token redirects the end user to the page of the token, whatever its address already contains', async () => {
      const urls: [string, RegExp][] = [
        ['https://good.example/ui', /^https:\/\/good\.example\/ui\?pi=[^&#]+#c=acme/],
        ['https://good.example/ui?lang=de#top', /^https:\/\/good\.example\/ui\?lang=de&pi=[^&#]+#top&c=acme/],
      ];
      for (const [ui_url, expected] of urls) {
        const { id } = await addTestToken(world.acme, world.definition, { ui_url });
        assert.match((await world.create(id)).body.redirectUrl, expected);
      }
    });

    it('the creation of an instance from a token writes the first event of the instance', async () => {
      const { processInstanceId: id } = (await world.create()).body;
      const { body } = await world.get(`${id}/events`);
      assert.equal(body.totalElements, 1);
      const at = toDtm(world.grove.clock.now());
      assert.deepEqual(body.content, [{ sequence: 1, type: 'instance.created', dateTime: at, status: 'PENDING' }]);
    });

    it('an Idempotency-Key creates one instance for two requests', async () => {
      const { id } = await addTestToken(world.acme, world.definition);
      const headers = { 'Idempotency-Key': 'instance-once' };
      const twice = () => world.grove.call(`${PATH}/create?pt=${id}`, { method: 'POST', body: '{}', headers });
      const [one, other] = [await twice(), await twice()];
      assert.deepEqual(one.body, other.body);
      assert.equal((await world.rowOf(one.body.processInstanceId)).token_counter, 1);
    });
  });

  describe('a token that cannot be used', () => {
    const assertRefused = async (more: Partial<TokenRow>, code: number, status = 400) => {
      const { id } = await addTestToken(world.acme, world.definition, more);
      for (const answer of [await world.create(id), await world.start(undefined, id)]) {
        assert.deepEqual([answer.status, answer.body?.code], [status, code]);
      }
      const after = await world.acme.get<{ counter: number }>(
        { text: 'SELECT counter FROM process_tokens WHERE tenant_id = $1 AND id = $2' },
        ['acme', id],
      );
      assert.equal(after?.counter, more.counter ?? 0, 'a refused use is not counted');
    };

    it('100021: a token that does not exist, or is of another tenant or the sandbox, creates no instance', async () => {
      assert.deepEqual(
        [(await world.create('nothing')).status, (await world.create(newId(0))).body.code],
        [404, 100021],
      );
      await assertRefused({ environment: 'test' }, 100021, 404);
      const { apiKey } = await world.grove.app.tenants.create({ id: 'stranger' });
      assert.equal((await world.create(world.token.id, await world.grove.token(apiKey))).body.code, 100021);
      assert.equal((await world.create(world.token.id, world.testKey)).body.code, 100021);
    });

    it('100024: a token that is not active creates no instance', () => assertRefused({ status: 'INACTIVE' }, 100024));

    it('100044: a token creates no instance from the very moment it expires', async () => {
      const now = world.grove.clock.now();
      await assertRefused({ type: 'MULTI_USE_TIME_LIMITED', not_after_at: now }, 100044);
      const { id } = await addTestToken(world.acme, world.definition, { not_after_at: now + 1 });
      assert.equal((await world.create(id)).status, 201);
    });

    it('100045: a token creates no instance until the very moment it becomes valid', async () => {
      const now = world.grove.clock.now();
      await assertRefused({ not_before_at: now + 1 }, 100045);
      const { id } = await addTestToken(world.acme, world.definition, { not_before_at: now });
      assert.equal((await world.create(id)).status, 201);
    });

    it('100046: a token that has no uses left creates no instance', () =>
      assertRefused({ type: 'MULTI_USE_COUNT_LIMITED', max_count: 3, counter: 3 }, 100046));

    it('100047: a token creates no instance if its definition is no longer deployed, or no version has its tag', async () => {
      const archived = await addTestDefinition(world.acme, { name: 'archived-later' });
      const bound = { definition_id: archived.id };
      await world.acme.write((tx) => tx.run(ARCHIVE, ['acme', archived.id]));
      await assertRefused(bound, 100047);
      await assertRefused({ definition_id: null, process_defn_version: null, process_defn_tag: 'nobody' }, 100047);
    });

    it('100047: a token creates no instance if its definition is archived after earlier journeys', async () => {
      const retired = await addTestDefinition(world.acme, { name: 'retired-later' });
      const { id } = await addTestToken(world.acme, retired, { definition_id: retired.id });
      assert.equal((await world.create(id)).status, 201);
      await world.acme.write((tx) => tx.run(ARCHIVE, ['acme', retired.id]));
      for (const answer of [await world.create(id), await world.start(undefined, id)]) {
        assert.deepEqual([answer.status, answer.body?.code], [400, 100047]);
      }
    });

    it('a tag of a token leads to the version that has the tag now', async () => {
      const next = await addTestDefinition(world.acme, { name: 'onboarding', version: 2 });
      const tagged = { definition_id: null, process_defn_version: null, process_defn_tag: 'current' };
      const { id } = await addTestToken(world.acme, world.definition, tagged);
      for (const { id: definitionId } of [world.definition, next]) {
        await world.acme.write((tx) => tx.run(MOVE_TAG, ['acme', 'current', definitionId]));
        assert.equal((await world.rowOf((await world.create(id)).body.processInstanceId)).definition_id, definitionId);
      }
    });

    it('500 parallel creations from a token with 100 uses create exactly 100 instances', async () => {
      const { id } = await addTestToken(world.acme, world.definition, {
        type: 'MULTI_USE_COUNT_LIMITED',
        max_count: 100,
      });
      const results = await inParallel(500, () => world.create(id));
      const answers = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      assert.equal(answers.length, 500);
      const creations = answers.filter(({ status }) => status === 201);
      assert.equal(creations.length, 100);
      assert.equal(new Set(creations.map(({ body }) => body.processInstanceId)).size, 100);
      assert.ok(answers.every(({ status, body }) => status === 201 || body.code === 100046));
    });
  });

  describe('the creation of an instance with a redirect', () => {
    it('the creation of an instance with a redirect answers 307 without a body, to the server itself, whatever page the token names', async () => {
      const { id } = await addTestToken(world.acme, world.definition, { ui_url: 'https://good.example/ui' });
      const { status, headers, text } = await world.start(undefined, id);
      assert.deepEqual([status, text], [307, '']);
      const location = new URL(headers.get('location') ?? '');
      assert.equal(`${location.origin}${location.pathname}`, `${world.base}/api/process-server/startProcess`);
      assert.match(codeOf(location.href), /^acme\./);
      assert.deepEqual([...location.searchParams.keys()], ['pi']);
      assert.equal((await world.rowOf(location.searchParams.get('pi') ?? '')).token_id, id);
    });

    const startedRow = async (body: object, pt?: string) => {
      const answer = await world.start(body, pt);
      assert.equal(answer.status, 307, answer.text);
      return world.rowOf(new URL(answer.headers.get('location') ?? '').searchParams.get('pi') ?? '');
    };

    it('the body of the creation of an instance replaces values of the token for this instance only', async () => {
      const parameters = '{"firstName":"Ada","orderId":"A 1"}';
      const { id } = await addTestToken(world.acme, world.definition, { parameters });
      const notAfterDtm = toDtm(world.grove.clock.now() + HOUR);
      const createBody = {
        name: 'One',
        description: 'Only',
        notAfterDtm,
        parameters: { firstName: 'Eve', email: 'e@x.example' },
      };
      const row = await startedRow(createBody, id);
      const { body } = await world.get(`${row.id}/withParameters`);
      assert.deepEqual(body.processTokenParameters, { firstName: 'Eve', orderId: 'A 1', email: 'e@x.example' });
      assert.deepEqual([body.name, body.description, body.firstName], ['One', 'Only', 'Eve']);
      assert.equal(row.deadline_at, world.grove.clock.now() + HOUR);
      assert.equal((await world.rowOf((await world.create(id)).body.processInstanceId)).parameters, parameters);
    });

    it('an Idempotency-Key creates one instance for three requests, with the same redirect', async () => {
      const { id } = await addTestToken(world.acme, world.definition, {
        type: 'MULTI_USE_COUNT_LIMITED',
        max_count: 2,
      });
      const send = (body: object = {}) =>
        world.grove.call(`${PATH}?pt=${id}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'Idempotency-Key': `k-307-${id}` },
        });
      const [first, ...again] = [await send(), await send(), await send()];
      assert.deepEqual([first?.status, first?.text], [307, '']);
      assert.equal(first?.headers.get('idempotent-replayed'), null);
      for (const each of again) {
        assert.deepEqual([each.status, each.text, each.headers.get('idempotent-replayed')], [307, '', 'true']);
        assert.equal(each.headers.get('location'), first?.headers.get('location'));
      }
      const listed = await world.grove.call(`/api/process-manager/processTokens?size=1000`);
      assert.equal(listed.body.content.find((each: { id: string }) => each.id === id).counter, 1);
      assert.equal((await send({ name: 'other' })).body.code, 100012);
    });

    it('the SDK returns the id of the instance beside the redirect address', async () => {
      const body = { externalReference: 'from the SDK' };
      const started = await world.grove.client.processInstances.start({ query: { pt: world.token.id }, body });
      const { externalReference } = (await world.get(started.processInstanceId)).body;
      assert.equal(externalReference, 'from the SDK');
      assert.ok(started.location.includes(started.processInstanceId));
    });

    it('the creation of an instance with a redirect refuses with 100025 an address in the body that is not on the list', async () => {
      for (const name of ['_redirectUrl', 'timeoutRedirectUrl']) {
        const { status, body } = await world.start({ parameters: { [name]: 'https://good.example.evil.example' } });
        assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100025, `/parameters/${name}`]);
      }
      assert.equal((await world.start({ parameters: { _redirectUrl: 'https://good.example/x' } })).status, 307);
    });

    for (const [what, createBody, pointer] of [
      ['an end that has passed', { notAfterDtm: '2020-01-01T00:00:00Z' }, '/notAfterDtm'],
      ['an end that does not exist', { notAfterDtm: '2099-02-30T00:00:00Z' }, '/notAfterDtm'],
      ['a name of 51 characters', { name: 'x'.repeat(51) }, '/name'],
      ['a description of 2,001 characters', { description: 'x'.repeat(2001) }, '/description'],
      ['a reserved parameter', { parameters: { _grove: 'y' } }, '/parameters/_grove'],
      ['a scenario outside the sandbox', { parameters: { _scenario: 'passed' } }, '/parameters/_scenario'],
      ['a value of 10,001 characters', { parameters: { a: 'x'.repeat(10_001) } }, '/parameters/a'],
      [
        '10,000 parameters',
        { parameters: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, ''])) },
        '/parameters',
      ],
    ] as const) {
      it(`the creation of an instance with a redirect refuses ${what} with 100001, and counts no use`, async () => {
        const { id } = await addTestToken(world.acme, world.definition, {
          type: 'MULTI_USE_COUNT_LIMITED',
          max_count: 1,
        });
        const { status, body } = await world.start(createBody, id);
        assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100001, pointer]);
        assert.equal((await world.create(id)).status, 201);
      });
    }

    it('the creation of an instance with a redirect refuses with 100001 more than 500 parameters of token and body together', async () => {
      const keys = (prefix: string) =>
        Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${prefix}${at}`, '']));
      const { id } = await addTestToken(world.acme, world.definition, { parameters: JSON.stringify(keys('a')) });
      assert.equal((await world.start({ parameters: keys('b') }, id)).body.code, 100001);
      assert.equal((await world.start({ parameters: keys('a') }, id)).status, 307);
    });
  });
});
