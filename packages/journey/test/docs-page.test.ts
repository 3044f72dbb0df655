import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testPlaces } from '../../server/test/harness.ts';
import { openStage, type Stage } from './stage.ts';

/** The API documentation, as seen by somebody who has only a key. */
describe('the documentation page', () => {
  const places = testPlaces();
  let stage: Stage;
  before(async () => {
    stage = await openStage(places);
  });
  after(() => stage.close());

  it('the documentation takes a key once and exchanges it, and then all calls work', async () => {
    const page = await stage.page({ viewport: { width: 1280, height: 900 } });
    // The viewer is several megabytes of script.
    page.setDefaultTimeout(60_000);
    const { origin } = new URL((await stage.link({ steps: [] })).url);
    // To draw all operations takes half a minute, which `docs.test.ts` waits for. Those of API keys suffice here.
    const { paths, ...rest } = (await (await fetch(`${stage.app.baseUrl}/openapi.json`)).json()) as { paths: object };
    const ofKeys = Object.entries(paths).filter(([path]) => path.startsWith('/api/arthr/apiKeys'));
    const json = { ...rest, paths: Object.fromEntries(ofKeys) };
    await page.route('**/openapi.json', (route) => route.fulfill({ json }));
    await page.goto(`${origin}/docs/reference/`);
    await page.getByLabel('Try it: your API key').fill('grv_test_nonsense');
    await page.getByRole('button', { name: 'Use it here' }).click();
    await page.getByText('This key was not accepted').waitFor();
    await page.getByLabel('Try it: your API key').fill(stage.testKey);
    await page.getByRole('button', { name: 'Use it here' }).click();
    await page.getByText('Ready: “Test Request” calls this server').waitFor();
    await page.getByRole('link', { name: /List API keys/ }).click();
    const tests = page.getByRole('button', { name: /Test Request/ });
    // The first is the exchange itself, which needs the key; the second needs the token.
    for (const [at, path] of [
      [0, '/api/arthr/apiKeys/issue'],
      [1, '/api/arthr/apiKeys'],
    ] as const) {
      await tests.nth(at).click();
      const answered = page.waitForResponse((each) => new URL(each.url()).pathname === path);
      await page.getByRole('button', { name: /^Send/ }).first().click();
      assert.equal((await answered).status(), 200, path);
      await page.keyboard.press('Escape');
    }
    assert.deepEqual(stage.complaints, []);
  });
});
