import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { type Answer, openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';

const VALIDATE = '/api/process-manager/processDefinitions/validate';

describe('long JSON bodies', () => {
  const places = testPlaces();
  let app: TestApp;
  let other: string;
  before(async () => {
    app = await openTestApp(await places.create());
    other = await app.token((await app.app.tenants.create({ id: 'other' })).apiKey);
    await app.token();
  });
  after(() => app.stop());

  const validate = (length: number, token?: string) =>
    app.call(VALIDATE, {
      method: 'POST',
      ...(token && { token }),
      body: JSON.stringify({ name: 'long', description: 'x'.repeat(length), steps: [] }),
    });

  it('100010: long JSON bodies of one tenant are parsed one after another, a few wait, and another tenant does not wait for them', async () => {
    const order: string[] = [];
    const many = Array.from({ length: 12 }, async () => {
      const { status, body } = await validate(900_000);
      order.push(status === 200 ? 'long' : String(body.code));
    });
    const short = validate(1000).then(({ status }) => order.push(`short ${status}`));
    const another = validate(900_000, other).then(({ status }) => order.push(`another ${status}`));
    await Promise.all([...many, short, another]);
    const refusals = order.filter((each) => each === '100010').length;
    assert.ok(refusals > 0 && refusals < 12, `${refusals} were refused`);
    const last = order.lastIndexOf('long');
    assert.ok(order.indexOf('short 200') < last && order.indexOf('another 200') < last, order.join(', '));
  });

  it('long JSON bodies of live callers do not wait for those of a test key or of an end user, however many there are', async () => {
    const { apiKey } = await app.app.tenants.createApiKey('acme', { name: 'CI', environment: 'test' });
    const testToken = await app.token(apiKey);
    const { user } = await startJourney(app, apiKey, { processDefnName: await aForm(testToken) });
    let isOver = false;
    const refusedCodes = new Set<number>();
    const keepSending = async (send: () => Promise<Answer>) => {
      while (!isOver) refusedCodes.add((await send()).body.code);
    };
    const text = 'x'.repeat(200_000);
    const floods = Array.from({ length: 14 }, (_, at) =>
      keepSending(() => (at % 2 ? validate(200_000, testToken) : user.submit('details', { text }))),
    );
    while (!refusedCodes.has(100010)) await new Promise(setImmediate);
    const answers: Answer[] = [];
    for (let count = 0; count < 5; count++) answers.push(await validate(100_000));
    isOver = true;
    await Promise.all(floods);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
  });

  const aForm = async (token: string): Promise<string> => {
    const post = async (path: string, body: object) =>
      (await app.call(path, { method: 'POST', token, body: JSON.stringify(body) })).body;
    const schema = { type: 'object', properties: { text: { type: 'string' } } };
    const steps = [
      { id: 'details', type: 'form', key: 'form1', schema },
      { id: 'decide', type: 'decision' },
    ];
    const { id } = await post('/api/process-manager/processDefinitions', { name: 'long-form', steps });
    await post(`/api/process-manager/processDefinitions/${id}/deploy`, {});
    return 'long-form';
  };
});
