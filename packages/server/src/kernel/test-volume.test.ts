import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startJourney } from '../../test/end-user.ts';
import { openTestApp, type TestApp, testClock, testPlaces } from '../../test/harness.ts';
import { HOUR } from './clock.ts';
import { testVolume } from './test-volume.ts';

const MB = 1024 * 1024;

it('the test callers of a tenant may send a number of megabytes, which are free again after a day', () => {
  const clock = testClock();
  const volume = testVolume(2, clock);
  const send = (bytes: number, tenantId = 'acme', environment: 'live' | 'test' = 'test') => {
    try {
      volume.admit({ tenantId: tenantId as never, environment }, bytes);
      return 'admitted';
    } catch (error) {
      return (error as { code: number }).code;
    }
  };
  assert.deepEqual([send(MB), send(MB), send(0)], ['admitted', 'admitted', 100007]);
  assert.equal(send(MB, 'zeta'), 'admitted', 'another tenant has its own volume');
  assert.equal(send(90 * MB, 'acme', 'live'), 'admitted', 'live callers are not limited');
  clock.advance(12 * HOUR);
  assert.deepEqual([send(MB), send(MB)], ['admitted', 100007]);
});

it('a short request counts as 4 KB, because it is stored with its indexes', () => {
  const volume = testVolume(1, testClock());
  const send = () => volume.admit({ tenantId: 'acme' as never, environment: 'test' }, 10);
  for (let i = 0; i < 256; i += 1) send();
  assert.throws(send, { code: 100007 });
});

describe('a server on which test callers may send 1 MB', () => {
  const places = testPlaces();
  let app: TestApp;
  let testKey: string;
  let testToken: string;
  before(async () => {
    app = await openTestApp(await places.create(), { environment: { GROVE_TEST_MEGABYTES_A_DAY: '1' } });
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'Test key', environment: 'test' })).apiKey;
    testToken = await app.token(testKey);
  });
  after(() => app.stop());

  let count = 0;
  const TOKENS = '/api/process-manager/processTokens';
  const create = (token: string | undefined, description: string) => {
    count += 1;
    const body = JSON.stringify({
      name: `${description} ${count}`,
      processDefnName: 'selfie-reauthentication',
      description,
    });
    return app.call(TOKENS, { method: 'POST', body, ...(token && { token }) });
  };

  it('a body that is too long is refused as such, and uses up nothing', async () => {
    const tooLong = await create(testToken, 'x'.repeat(1.2 * MB));
    assert.equal(tooLong.status, 413, tooLong.text);
    assert.equal((await create(testToken, 'after it')).status, 201);
  });

  it('100007: a test key, and an end user of a test journey, store no more than that; a live key does, and a test key still reads and deletes', async () => {
    const { user } = await startJourney(app, testKey, { processDefnName: 'selfie-reauthentication' });
    const created = await create(testToken, 'short');
    assert.equal(created.status, 201, created.text);
    let refused = created;
    for (let i = 0; i < 300 && refused.status !== 429; i += 1) refused = await create(testToken, 'again'.repeat(50));
    assert.deepEqual([refused.status, refused.body.code], [429, 100007]);
    assert.match(refused.text, /test callers of this tenant have sent 1 MB within a day/);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await user.upload('selfie', 'image')).body.code, 100007);
    assert.equal((await create(undefined, 'live')).status, 201);
    assert.equal((await app.call(`${TOKENS}/${created.body.id}`, { token: testToken })).status, 200);
    assert.equal((await app.call(`${TOKENS}/${created.body.id}`, { method: 'DELETE', token: testToken })).status, 204);
  });
});
