import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressesOf, operations } from '@grove/contract';
import { openTestApp, type TestApp, testPlaces } from './harness.ts';

/** One key without permissions, and every operation that needs one. */
describe('a key without permissions', () => {
  const places = testPlaces();
  let grove: TestApp;
  let token: string;
  before(async () => {
    grove = await openTestApp(await places.create());
    const body = JSON.stringify({ name: 'holds nothing', permissions: [] });
    const creation = await grove.call('/api/arthr/apiKeys', { method: 'POST', body });
    token = await grove.token(creation.body.code);
  });
  after(() => grove.stop());

  for (const { id, operation } of operations().filter((each) => each.operation.permission)) {
    it(`7: a key without permissions is refused for ${id}, and the answer names the missing one`, async () => {
      for (const { path } of addressesOf(operation)) {
        const url = path.replace(/\{\w+\}/g, 'some-id');
        const { status, body } = await grove.call(url, { method: operation.method, token });
        assert.deepEqual([status, body.code], [403, 7], url);
        assert.ok(body.message.includes(`TNT#acme#${operation.permission}`), body.message);
      }
    });
  }
});
