import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';

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

  it('100010: of one tenant are looked at one after another, a few wait, and another tenant does not wait for them', async () => {
    const order: string[] = [];
    const many = Array.from({ length: 12 }, async () => {
      const { status, body } = await validate(900_000);
      order.push(status === 200 ? 'long' : String(body.code));
    });
    const short = validate(1000).then(({ status }) => order.push(`short ${status}`));
    const another = validate(900_000, other).then(({ status }) => order.push(`another ${status}`));
    await Promise.all([...many, short, another]);
    const refused = order.filter((each) => each === '100010').length;
    assert.ok(refused > 0 && refused < 12, `${refused} were refused`);
    const last = order.lastIndexOf('long');
    assert.ok(order.indexOf('short 200') < last && order.indexOf('another 200') < last, order.join(', '));
  });
});
