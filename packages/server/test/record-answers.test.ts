import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp, testPlaces } from './harness.ts';
import { forget, isRecorded } from './record-answers.ts';

describe('the record of exercised statuses', () => {
  const places = testPlaces();
  let grove: TestApp;
  before(async () => {
    grove = await openTestApp(await places.create());
  });
  after(() => grove.stop());

  const KEY = '/api/arthr/apiKeys/{apiKeyId}';
  const NOBODY = '/api/arthr/apiKeys/01JZ4MCW8A0C2E4G6J8M0P2R4T';
  /** An answer may be recorded a moment after it arrived. */
  const settle = () => new Promise((turn) => setImmediate(turn));

  it('an answer counts as exercised if the test read its status or body, at its own address', async () => {
    forget(`GET ${KEY} 404 130`);
    const answer = await grove.call(NOBODY);
    await settle();
    assert.equal(isRecorded(`GET ${KEY} 404 130`), false, 'nobody has looked at it');
    assert.equal(answer.status, 404);
    assert.equal(isRecorded(`GET ${KEY} 404 130`), true);
    assert.equal(isRecorded(`PATCH ${KEY} 404 130`), false, 'another operation');
  });

  it('a success counts as exercised if the SDK read it, or the test fetched it directly', async () => {
    await grove.client.apiKeys.list({});
    await settle();
    assert.equal(isRecorded('GET /api/arthr/apiKeys 200'), true);
    const headers = { Authorization: `Bearer ${await grove.token()}` };
    forget('GET /api/identity-store/stores 200');
    const stores = await fetch(`${grove.baseUrl}/api/identity-store/stores`, { headers });
    await settle();
    assert.equal(isRecorded('GET /api/identity-store/stores 200'), false);
    assert.ok(((await stores.json()) as object) !== undefined);
    assert.equal(isRecorded('GET /api/identity-store/stores 200'), true);
  });
});
