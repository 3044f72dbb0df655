import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { openBrowser, type TestBrowser } from '../../../test/browser.ts';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';

describe('the documentation page', () => {
  const places = testPlaces();
  let grove: TestApp;
  before(async () => {
    grove = await openTestApp(await places.create());
  });
  after(() => grove.stop());

  it('shows the operations on a desktop and on a dark phone, breaks no policy and asks no other site for anything', async () => {
    const browser: TestBrowser = await openBrowser({ width: 1280, height: 800 });
    try {
      const page = await browser.context.newPage();
      const faults: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      page.on('pageerror', (error) => faults.push(String(error)));
      await page.goto(`${grove.baseUrl}/docs`);
      assert.equal(new URL(page.url()).pathname, '/docs/');
      const heading = page.getByRole('heading', { name: 'From an API key to a verified identity' });
      const isShown = async (name: string) => {
        await heading.waitFor({ timeout: 60_000 });
        mkdirSync('build', { recursive: true });
        await page.screenshot({ path: `build/docs-${name}.png` });
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth + 1);
        assert.equal(overflow, false, `the page scrolls sideways on a ${name}`);
      };
      await isShown('desktop');
      await page
        .locator('a[href*="apiKeys.issue"], [id*="apiKeys/issue"], [id*="apiKeys.issue"]')
        .first()
        .waitFor({ state: 'attached' });
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 360, height: 740 });
      // Whatever the page still wants to load, it has asked for by then.
      await page.waitForTimeout(1000);
      await isShown('phone-dark');
      assert.deepEqual(browser.outside, []);
      assert.deepEqual(faults, []);
    } finally {
      await browser.close();
    }
  });
});
