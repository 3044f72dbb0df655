import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';

const KEYS = '/api/arthr/apiKeys';

describe('large pages', () => {
  const places = testPlaces();
  let app: TestApp;
  let otherToken: string;
  before(async () => {
    app = await openTestApp(await places.create());
    const { apiKey } = await app.app.tenants.create({ id: 'other' });
    otherToken = await app.token(apiKey);
    await app.token();
  });
  after(() => app.stop());

  it('of one tenant are made one at a time, and another tenant is served in between', async () => {
    const token = await app.token();
    const order: string[] = [];
    const ask = async (name: string, path: string, bearer: string) => {
      const { status } = await app.call(path, { token: bearer });
      order.push(name);
      return status;
    };
    const large = Array.from({ length: 40 }, () => ask('large', `${KEYS}?size=1000`, token));
    const small = ask('small', `${KEYS}?size=10`, otherToken);
    assert.deepEqual(new Set(await Promise.all([...large, small])), new Set([200]));
    assert.ok(order.indexOf('small') < 30, `the other tenant came as number ${order.indexOf('small') + 1} of 41`);
  });

  it('that would wait behind more than fifty are answered with 100010', async () => {
    const token = await app.token();
    const answers = await Promise.all(Array.from({ length: 80 }, () => app.call(`${KEYS}?size=1000`, { token })));
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.length > 0 && refused.length < 80, `${refused.length} were refused`);
    for (const { status, body, headers } of refused) {
      assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 100010, '1']);
    }
  });
});
