import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';

const BASE = '/api/process-manager/reviews';
const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const BODIES: Readonly<Record<string, object>> = {
  claim: {},
  release: {},
  approve: { comment: 'it is her' },
  reject: { comment: 'it is not' },
  askAgain: { steps: ['document'], comment: 'too dark' },
  correct: { document: 'doc1', fieldName: 'Last Name', value: 'Byrne', comment: 'misread' },
};

/** The refusals that all verdicts of a reviewer share, tested for each. */
describe('the refusals of every verdict', () => {
  const places = testPlaces();
  let grove: TestApp;
  let one: string;
  let other: string;
  let waiting: string;
  let passed: string;
  before(async () => {
    grove = await openTestApp(await places.create());
    const keys = [];
    for (const name of ['one', 'other']) {
      keys.push((await grove.app.tenants.createApiKey('acme', { name, environment: 'test' })).apiKey);
    }
    const [first = '', second = ''] = keys;
    [one, other] = [await grove.token(first), await grove.token(second)];
    const parameters = { _scenario: 'document-unreadable' };
    const reviewed = await startJourney(grove, first, { parameters });
    await reviewed.user.finish();
    waiting = reviewed.processInstanceId;
    const done = await startJourney(grove, first);
    await done.user.finish();
    passed = done.processInstanceId;
  });
  after(() => grove.stop());

  const give = (verb: string, id: string, token: string) =>
    grove.call(`${BASE}/${id}/${verb}`, { method: 'POST', body: JSON.stringify(BODIES[verb]), token });

  it('100061: a read of a review is refused for an instance that is not in review', async () => {
    const { status, body } = await grove.call(`${BASE}/${passed}`, { token: one });
    assert.deepEqual([status, body.code], [409, 100061]);
  });

  for (const verb of Object.keys(BODIES)) {
    it(`100022: ${verb} is refused for an instance that does not exist`, async () => {
      const { status, body } = await give(verb, NOBODY, one);
      assert.deepEqual([status, body.code], [404, 100022]);
    });

    it(`100061: ${verb} is refused for an instance that is not in review`, async () => {
      const { status, body } = await give(verb, passed, one);
      assert.deepEqual([status, body.code], [409, 100061]);
    });

    it(`100060: ${verb} is refused for a case that somebody else has claimed`, async () => {
      assert.equal((await give('claim', waiting, one)).status, 200);
      const { status, body } = await give(verb, waiting, other);
      assert.deepEqual([status, body.code], [409, 100060]);
    });
  }
});
