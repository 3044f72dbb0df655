import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { everythingStored } from '../../../test/everything-stored.ts';
import { onBothEngines, openTestApp, type TestApp, type TestPlace } from '../../../test/harness.ts';
import { asTenantId } from '../../kernel/ids.ts';

/** Unique words, in every place where a caller sends data about a person. */
const PERSON = {
  firstName: 'Zuleikha',
  lastName: 'Quillfeather',
  email: 'vexillology@plumbago.example',
  phoneNumber: '+4917612349876',
  dateOfBirth: '1815-12-10',
  caseNumber: 'Xanthophyll77',
};
const NAMES = { name: 'brouhaha about her', description: 'kerfuffle of hers' };
const COMMENT = 'wobbegong in the photograph';
const CANARIES = [
  ...Object.values(PERSON),
  ...Object.values(NAMES),
  COMMENT,
  '4917612349876',
  'vexillology',
  'plumbago',
].map((each) => each.toLowerCase());
const TENANT = asTenantId('acme');
const DEFINITION = {
  name: 'searchable',
  processDefinitionType: 'VERIFICATION',
  attributes: { searchable: ['caseNumber'] },
  steps: [
    { id: 'ask', type: 'form', key: 'form1', schema: { type: 'object', properties: { note: { type: 'string' } } } },
    { id: 'decide', type: 'decision', onAnyFailure: 'FAIL' },
  ],
};

onBothEngines('personal data of instances', (engine, places) => {
  let place: TestPlace;
  let app: TestApp;
  let id: string;

  const post = async (path: string, body: object = {}) => {
    const answer = await app.call(path, { method: 'POST', body: JSON.stringify(body) });
    assert.ok(answer.status < 400, `${path}: ${answer.text}`);
    return answer.body;
  };
  const idsFor = async (searchString: string): Promise<string[]> => {
    const path = `/api/process-manager/processInstances/search?searchString=${encodeURIComponent(searchString)}`;
    return (await app.call(path)).body.content.map((each: { id: string }) => each.id);
  };
  const readAll = () => everythingStored(app, place, engine);
  const canariesIn = (text: string) => CANARIES.filter((each) => text.includes(each));

  before(async () => {
    place = await places.create();
    app = await openTestApp(place);
    const { id: definitionId } = await post('/api/process-manager/processDefinitions', DEFINITION);
    await post(`/api/process-manager/processDefinitions/${definitionId}/deploy`);
    const token = { name: 'a token', processDefnName: DEFINITION.name, parameters: PERSON };
    const { id: tokenId } = await post('/api/process-manager/processTokens', token);
    await app.call(`/api/process-manager/processInstances?pt=${tokenId}`, {
      method: 'POST',
      body: JSON.stringify(NAMES),
    });
    [id = ''] = await idsFor(PERSON.lastName);
    const text = "UPDATE process_instances SET status = 'REVIEW', review_status = 'PENDING' WHERE tenant_id = $1";
    await app.app.db.of(TENANT).write((tx) => tx.run({ text }, [TENANT]));
  });
  after(() => app.stop());

  it('personal data is sealed in the database, its log and a backup, and callers see it as before', async () => {
    const { body } = await app.call(`/api/process-manager/processInstances/${id}/withParameters`);
    assert.deepEqual(body.processTokenParameters, PERSON);
    assert.deepEqual([body.firstName, body.email, body.name], [PERSON.firstName, PERSON.email, NAMES.name]);
    const { body: listed } = await app.call('/api/process-manager/processInstances');
    assert.deepEqual(listed.content[0].extendedSearchTerms, [PERSON.caseNumber]);
    assert.deepEqual(canariesIn(await readAll()), []);
  });

  it('sealed personal data is found by whole words, by beginnings, by several words, by number and by domain, as before', async () => {
    const searches = ['Quillfeather', 'quil', 'zuleikha quill', PERSON.email, 'vexil', 'plumbago.example'];
    for (const each of [...searches, '+49 176 1234', '4917612349876', 'xanthophyll77', 'Xanthophyll-77']) {
      assert.deepEqual(await idsFor(each), [id], each);
    }
    for (const each of ['quilo', 'feather', 'zuleikha quo', 'quillfeatherx', 'zul quillfeather', '176123']) {
      assert.deepEqual(await idsFor(each), [], each);
    }
  });

  it('personal data is sealed after a change of the review, too', async () => {
    const at = `/api/process-manager/processInstances/${id}`;
    const { changeInstance, findInstance } = await import('./process-instances.repository.ts');
    await app.app.db.of(TENANT).write(async (tx) => {
      const row = await findInstance(tx, id);
      assert.ok(row);
      await changeInstance(tx, row, { ...row, review_comment: COMMENT });
    });
    assert.equal((await app.call(at)).body.review.comment, COMMENT);
    assert.deepEqual(canariesIn(await readAll()), []);
  });

  it('personal data that an earlier release stored in plain text is sealed at the start, and no plain text remains', async () => {
    const db = app.app.db.of(TENANT);
    const { findStoredInstance } = await import('./process-instances.repository.ts');
    await db.write(async (tx) => {
      const seal = await tx.personal();
      const stored = await findStoredInstance(tx, { id });
      assert.ok(seal && stored?.sealed);
      const [first, last, email, phone, comment, extended, name, description, parameters] = JSON.parse(
        seal.open(`instance:${id}`, stored.sealed),
      );
      const set = `UPDATE process_instances SET sealed = NULL, first_name = $3, last_name = $4, email = $5,
        phone_number = $6, review_comment = $7, extended_terms = $8, name = $9, description = $10, parameters = $11,
        terms = $12 WHERE tenant_id = $1 AND id = $2`;
      const terms = ['zuleikha', 'quillfeather', PERSON.email, 'plumbago.example', '4917612349876', 'xanthophyll77'];
      const values = [first, last, email, phone, comment, extended, name, description, parameters];
      await tx.run({ text: set }, [TENANT, id, ...values, JSON.stringify(terms)]);
      await tx.run({ text: 'DELETE FROM instance_terms WHERE tenant_id = $1' }, [TENANT]);
      for (const term of terms) {
        const add = 'INSERT INTO instance_terms (tenant_id, environment, term, instance_id) VALUES ($1, $2, $3, $4)';
        await tx.run({ text: add }, [TENANT, 'live', term, id]);
      }
      const clear =
        "UPDATE process_tokens SET sealed = NULL, parameters = $2 WHERE tenant_id = $1 AND name = 'a token'";
      await tx.run({ text: clear }, [TENANT, parameters]);
      await tx.run({ text: "DELETE FROM tenant_settings WHERE tenant_id = $1 AND name LIKE 'personal.%'" }, [TENANT]);
    });
    assert.notDeepEqual(canariesIn(await readAll()), []);
    await app.stop();
    app = await openTestApp(place, { clock: app.clock });
    assert.deepEqual(canariesIn(await readAll()), []);
    assert.deepEqual(await idsFor('zuleikha quillf'), [id]);
    const { body } = await app.call(`/api/process-manager/processInstances/${id}/withParameters`);
    assert.deepEqual(body.processTokenParameters, PERSON);
    const { body: tokens } = await app.call('/api/process-manager/processTokens');
    assert.deepEqual(tokens.content.at(-1).parameters ?? PERSON, PERSON);
  });
});
