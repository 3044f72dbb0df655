import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, isGroveError } from 'grove-idv-sdk';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { refuses } from '../../../test/refuses.ts';
import { MINUTE, toDtm } from '../../kernel/clock.ts';

type Document = Parameters<Client['processDefinitions']['create']>[0]['body'];

const PATH = '/api/process-manager/processDefinitions';
const decide = { id: 'decide', type: 'decision' };
const consent = { id: 'consent', type: 'consent' };
const documentOf = (name: string, more: object = {}): Document => ({ name, steps: [consent, decide], ...more });
const withPage = (name: string): Document =>
  documentOf(name, { steps: [{ id: 'page', type: 'customPage', page: 'welcome' }, decide] });

onBothEngines('process definitions', (_engine, places) => {
  let grove: TestApp;
  let definitions: Client['processDefinitions'];
  before(async () => {
    grove = await openTestApp(await places.create());
    definitions = grove.client.processDefinitions;
  });
  after(() => grove.stop());

  const create = (name: string, more: object = {}) => definitions.create({ body: documentOf(name, more) });
  const deployed = async (name: string, more: object = {}) => {
    const { id } = await create(name, more);
    return definitions.deploy({ processDefinitionId: id });
  };

  describe('create', () => {
    it('the creation of a definition answers 201 with the first version, editable, with its defaults written out', async () => {
      const answer = await grove.call(PATH, {
        method: 'POST',
        body: JSON.stringify(documentOf('first', { description: 'A first one', retentionDays: 7 })),
      });
      assert.equal(answer.status, 201);
      const { id, document, ...rest } = answer.body;
      assert.match(id, /^[0-9A-Z]{26}$/);
      assert.deepEqual(rest, {
        tenantId: 'acme',
        environment: 'live',
        name: 'first',
        version: 1,
        status: 'EDITABLE',
        description: 'A first one',
        processDefinitionType: 'VERIFICATION',
        retentionDays: 7,
        tags: [],
        createdDtm: toDtm(grove.clock.now()),
        createdBy: 'API Key: First key',
        lastUpdatedDtm: toDtm(grove.clock.now()),
        lastUpdatedBy: 'API Key: First key',
      });
      assert.equal(document.maxDuration, 'PT48H');
      assert.deepEqual(document.steps[0], { ...consent, timeout: 'PT24H', key: 'consent', textVersion: '1' });
      assert.deepEqual(await definitions.get({ processDefinitionId: id }), answer.body);
    });

    it('the creation of a definition with an existing name creates the next version, and 20 at once create 20 versions', async () => {
      await create('versions');
      const versions = await Promise.all(Array.from({ length: 20 }, () => create('versions')));
      assert.deepEqual(
        versions.map(({ version }) => version).sort((one, other) => one - other),
        Array.from({ length: 20 }, (_, at) => at + 2),
      );
      assert.equal(new Set(versions.map(({ id }) => id)).size, 20);
    });

    it('the creation of a definition creates one version for an Idempotency-Key, however often it is sent', async () => {
      const send = () =>
        grove.call(PATH, {
          method: 'POST',
          body: JSON.stringify(documentOf('once')),
          headers: { 'Idempotency-Key': 'once-and-only' },
        });
      const [one, other] = [await send(), await send()];
      assert.deepEqual([one.status, other.status], [201, 201]);
      assert.deepEqual(other.body, one.body);
    });

    it('the creation of a definition refuses a document with faults with 100048, all of them in one answer', async () => {
      const steps = [
        { id: 'a', type: 'consnet' },
        { id: 'a', type: 'document', next: 'nowhere' },
        { id: 'match', type: 'faceMatch', document: 'doc2', when: 'checks.later.passed' },
      ];
      await assert.rejects(create('broken', { steps }), (error: unknown) => {
        refuses(100048, 400)(error);
        assert.ok(isGroveError(error));
        assert.deepEqual(
          error.errors.map(({ pointer }) => pointer),
          [
            '/steps/0/type',
            '/steps/1/id',
            '/steps/1/next',
            '/steps/2',
            '/steps/2/when',
            '/steps/2/document',
            '/steps/2/face',
          ],
        );
        assert.match(error.message, /^The process definition has errors: \/steps\/0\/type must be one of/);
        return true;
      });
      assert.equal((await definitions.list({ query: { name: 'broken' } })).totalElements, 0);
    });

    it('the creation of a definition accepts references to objects that do not exist, because they may be created later', async () => {
      assert.equal((await definitions.create({ body: withPage('early') })).status, 'EDITABLE');
    });

    it('the creation of a definition refuses with 100001 a body that is not a document or has 10,000 steps, and with 100005 a body of 2 MB', async () => {
      for (const body of [{}, { name: 'x' }, { name: 'x', steps: [] }, { name: 'x', steps: [7] }, []]) {
        const answer = await grove.call(PATH, { method: 'POST', body: JSON.stringify(body) });
        assert.deepEqual([answer.status, answer.body.code], [400, 100001]);
      }
      const steps = Array.from({ length: 10_000 }, (_, at) => ({ ...consent, id: `c${at}` }));
      await assert.rejects(create('long', { steps }), refuses(100001, 400, '/steps'));
      const when = 'x'.repeat(2 * 2 ** 20);
      await assert.rejects(create('long', { steps: [{ ...consent, when }, decide] }), refuses(100005, 413));
    });

    it('the creation of a definition refuses a condition of nearly a megabyte, and names of inherited members as ids', async () => {
      const when = 'x'.repeat(1_000_000);
      const place = '/steps/0/when';
      await assert.rejects(create('long', { steps: [{ ...consent, when }, decide] }), refuses(100048, 400, place));
      const createWithId = (id: string) => create('inherited', { steps: [{ ...consent, id, key: id }, decide] });
      await assert.rejects(createWithId('__proto__'), refuses(100048, 400, '/steps/0/id'));
      const { id } = await createWithId('constructor');
      assert.equal((await definitions.deploy({ processDefinitionId: id })).status, 'DEPLOYED_ACTIVE');
    });
  });

  describe('validate', () => {
    it('the validation of a definition finds every fault that deployment finds, and stores nothing', async () => {
      const validation = await definitions.validate({ body: withPage('validated') });
      const message = 'there is no custom page named "welcome"';
      assert.deepEqual(validation, {
        valid: false,
        faults: [{ pointer: '/steps/0/page', message }],
        missingLanguages: [],
      });
      assert.deepEqual(await definitions.validate({ body: documentOf('validated') }), {
        valid: true,
        faults: [],
        missingLanguages: [],
      });
      assert.equal((await definitions.list({ query: { name: 'validated' } })).totalElements, 0);
    });
  });

  describe('validate, for a document with a wrong envelope', () => {
    it('the validation of a document with a wrong envelope reports the faults of the steps as well, and treats null as missing', async () => {
      const body = {
        name: 'many',
        retentionDays: -5,
        colour: 'green',
        description: null,
        theme: 7,
        steps: [
          { id: 'a', type: 'consnt' },
          { ...decide, when: 'nothing.known' },
        ],
      };
      const { valid, faults } = await definitions.validate({ body });
      assert.equal(valid, false);
      const places = ['/colour', '/retentionDays', '/steps/0/type', '/steps/1/when', '/theme'];
      assert.deepEqual([...new Set(faults.map(({ pointer }) => pointer))].toSorted(), places);
    });
  });

  describe('the trial of a condition', () => {
    const ask = async (condition: string, values: Record<string, unknown> = {}) => {
      const { result, faults } = await definitions.tryCondition({ body: { condition, values } });
      return result ?? faults[0];
    };

    it('a condition is tried with values of the caller, and missing values are empty', async () => {
      const checks = { selfie: { passed: true, score: 0.9 } };
      assert.equal(await ask('checks.selfie.passed && checks.selfie.score > 0.8', { checks }), true);
      assert.equal(await ask('checks.selfie.passed', {}), false);
      assert.equal(await ask("params.country == 'DE'", { params: { country: 'DE' } }), true);
      assert.equal(await ask('data.forms.form1.age > 17', { data: { forms: { form1: { age: 20 } } } }), true);
    });

    it('a condition that cannot be parsed or evaluated reports why, and costs no more than any other', async () => {
      assert.match(String(await ask('checks.selfie.')), /at character \d+/);
      assert.match(String(await ask('checks')), /must be followed by the id of a step/);
      assert.equal(typeof (await ask('params.nothing > 3')), 'string');
      assert.equal(typeof (await ask('checks.__proto__.passed', { checks: [] })), 'boolean');
      const long = `[${Array.from({ length: 90 }, (_, at) => at).join()}]`;
      const nested = `${long}.all(a, ${long}.all(b, ${long}.all(c, a + b + c >= 0)))`;
      assert.match(String(await ask(nested)), /more steps than a condition may/);
    });
  });

  describe('update', () => {
    it('the update of a definition replaces the document of an editable version, and records who made it and when', async () => {
      const version = await create('edited');
      grove.clock.advance(MINUTE);
      const body = documentOf('edited', { description: 'Better', processDefinitionType: 'AUTHENTICATION' });
      const updated = await definitions.update({ processDefinitionId: version.id, body });
      assert.deepEqual(updated, {
        ...version,
        description: 'Better',
        processDefinitionType: 'AUTHENTICATION',
        lastUpdatedDtm: toDtm(grove.clock.now()),
        document: { ...version.document, description: 'Better', processDefinitionType: 'AUTHENTICATION' },
      });
      assert.deepEqual(await definitions.get({ processDefinitionId: version.id }), updated);
    });

    it('the update of a definition refuses with 100351 a version that another request changed since it was read: of twenty at once all but one', async () => {
      const { id, lastUpdatedDtm } = await create('shared');
      const update = (description: string, ifLastUpdatedDtm: string | undefined) =>
        definitions.update({
          processDefinitionId: id,
          body: documentOf('shared', { description }),
          ...(ifLastUpdatedDtm && { query: { ifLastUpdatedDtm } }),
        });
      grove.clock.advance(MINUTE);
      const all = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => update(`by ${at}`, lastUpdatedDtm)));
      assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1);
      await assert.rejects(update('stale', lastUpdatedDtm), refuses(100351, 409));
      const { lastUpdatedDtm: now } = await definitions.get({ processDefinitionId: id });
      grove.clock.advance(MINUTE);
      assert.equal((await update('fresh', now)).description, 'fresh');
      assert.equal((await update('without a word', undefined)).description, 'without a word');
    });

    it('the update of a definition refuses with 100048 faults and another name, and changes nothing', async () => {
      const version = await create('named');
      const update = (body: Document) => definitions.update({ processDefinitionId: version.id, body });
      await assert.rejects(update(documentOf('other')), refuses(100048, 400, '/name'));
      await assert.rejects(update(documentOf('named', { steps: [consent] })), refuses(100048, 400, '/steps/0'));
      assert.deepEqual(await definitions.get({ processDefinitionId: version.id }), version);
    });

    it('the update of a definition is refused with 100049 for a version that was deployed or archived, which never changes again', async () => {
      const { id, ...version } = await deployed('immutable');
      const before = await definitions.get({ processDefinitionId: id });
      const body = documentOf('immutable', { description: 'changed' });
      await assert.rejects(definitions.update({ processDefinitionId: id, body }), refuses(100049, 409));
      await assert.rejects(definitions.delete({ processDefinitionId: id }), refuses(100049, 409));
      assert.deepEqual(await definitions.get({ processDefinitionId: id }), before);
      await definitions.archive({ processDefinitionId: id });
      await assert.rejects(definitions.update({ processDefinitionId: id, body }), refuses(100049, 409));
      await assert.rejects(definitions.delete({ processDefinitionId: id }), refuses(100049, 409));
      const { document } = await definitions.get({ processDefinitionId: id });
      assert.deepEqual([document, version.status], [before.document, 'DEPLOYED_ACTIVE']);
    });
  });

  describe('deploy', () => {
    it('the deployment of a definition succeeds, and a second time has the same answer', async () => {
      const { id } = await create('deployed');
      grove.clock.advance(MINUTE);
      const first = await definitions.deploy({ processDefinitionId: id });
      assert.deepEqual([first.status, first.deployedDtm], ['DEPLOYED_ACTIVE', toDtm(grove.clock.now())]);
      grove.clock.advance(MINUTE);
      assert.deepEqual(await definitions.deploy({ processDefinitionId: id }), first);
    });

    it('the deployment of a definition refuses with 100048 references to objects that do not exist', async () => {
      const { id } = await definitions.create({ body: withPage('page-missing') });
      await assert.rejects(definitions.deploy({ processDefinitionId: id }), refuses(100048, 400, '/steps/0/page'));
      assert.equal((await definitions.get({ processDefinitionId: id })).status, 'EDITABLE');
    });

    it('the deployment of a definition with a subprocess needs the other definition to be deployed, without a cycle', async () => {
      const run = (definition: string, more: object = {}) => [
        { id: 'child', type: 'subprocess', definition, ...more },
        decide,
      ];
      const child = await create('circle-b');
      const parent = await create('circle-a', { steps: run('circle-b') });
      const place = '/steps/0/definition';
      await assert.rejects(definitions.deploy({ processDefinitionId: parent.id }), refuses(100048, 400, place));
      await definitions.deploy({ processDefinitionId: child.id });
      await definitions.deploy({ processDefinitionId: parent.id });
      const back = await create('circle-b', { steps: run('circle-a') });
      await assert.rejects(definitions.deploy({ processDefinitionId: back.id }), (error: unknown) => {
        refuses(100048, 400, place)(error);
        assert.match((error as Error).message, /would run itself: circle-b → circle-a → circle-b/);
        return true;
      });
      const exact = await create('circle-c', { steps: run('circle-b', { version: 2 }) });
      await assert.rejects(definitions.deploy({ processDefinitionId: exact.id }), refuses(100048, 400, place));
    });

    it('the deployment of two definitions at once that would run each other deploys one of them', async () => {
      const run = (definition: string) => ({ steps: [{ id: 'child', type: 'subprocess', definition }, decide] });
      for (const name of ['each-a', 'each-b']) await deployed(name);
      const pair = await Promise.all([create('each-a', run('each-b')), create('each-b', run('each-a'))]);
      const results = await Promise.allSettled(pair.map(({ id }) => definitions.deploy({ processDefinitionId: id })));
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    });

    it('the deployment of an archived version is refused with 100049', async () => {
      const { id } = await deployed('archived');
      assert.equal((await definitions.archive({ processDefinitionId: id })).status, 'ARCHIVED');
      await assert.rejects(definitions.deploy({ processDefinitionId: id }), refuses(100049, 409));
    });
  });

  describe('archive and delete a definition', () => {
    it('the archiving of a definition ends the version, and a second time has the same answer', async () => {
      const { id, deployedDtm } = await deployed('ended');
      const first = await definitions.archive({ processDefinitionId: id });
      assert.deepEqual([first.status, first.deployedDtm], ['ARCHIVED', deployedDtm]);
      grove.clock.advance(MINUTE);
      assert.deepEqual(await definitions.archive({ processDefinitionId: id }), first);
    });

    it('the archiving of a definition refuses with 100049 a version with tags, and names them', async () => {
      const { id } = await deployed('tagged');
      for (const name of ['live "one"', 'beta']) {
        await definitions.addTag({ processDefinitionId: id, body: { name } });
      }
      await assert.rejects(definitions.archive({ processDefinitionId: id }), (error: unknown) => {
        refuses(100049, 409)(error);
        assert.match((error as Error).message, /it has the tags "beta", "live \\"one\\"": move them/);
        return true;
      });
      assert.equal((await definitions.get({ processDefinitionId: id })).status, 'DEPLOYED_ACTIVE');
    });

    it('the deletion of a definition answers 204, and a version that was never deployed is gone', async () => {
      const { id } = await create('deleted');
      const answer = await grove.call(`${PATH}/${id}`, { method: 'DELETE' });
      assert.deepEqual([answer.status, answer.text], [204, '']);
      await assert.rejects(definitions.get({ processDefinitionId: id }), refuses(100023, 404));
      const archived = await create('deleted');
      await definitions.archive({ processDefinitionId: archived.id });
      await definitions.delete({ processDefinitionId: archived.id });
    });

    it('a definition that is deployed, changed and deleted at once ends in one consistent state', async () => {
      for (let round = 0; round < 5; round++) {
        const name = `raced-${round}`;
        const { id } = await create(name);
        const [updated, removed, put] = await Promise.allSettled([
          definitions.update({ processDefinitionId: id, body: documentOf(name, { description: 'changed' }) }),
          definitions.delete({ processDefinitionId: id }),
          definitions.deploy({ processDefinitionId: id }),
        ]);
        // The version was either deleted before the deployment, or is deployed and cannot be deleted.
        assert.notEqual(removed.status, put.status);
        const version = await definitions.get({ processDefinitionId: id }).catch((error) => error.code);
        if (removed.status === 'fulfilled') assert.equal(version, 100023);
        else {
          assert.equal(version.status, 'DEPLOYED_ACTIVE');
          const description = updated.status === 'fulfilled' ? 'changed' : undefined;
          assert.deepEqual([version.description, version.document.description], [description, description]);
        }
      }
    });
  });
});
