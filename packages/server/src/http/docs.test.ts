import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { openBrowser, type TestBrowser } from '../../test/browser.ts';
import { openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';

describe('the documentation page', () => {
  const places = testPlaces();
  let grove: TestApp;
  before(async () => {
    grove = await openTestApp(await places.create());
  });
  after(() => grove.stop());

  const SIZES = [
    { name: 'desktop', width: 1280, height: 800 },
    { name: 'phone-dark', width: 360, height: 740, dark: true },
  ];
  for (const { name, ...size } of SIZES) {
    it(`shows the operations on a ${name}, breaks no policy and asks no other site for anything`, async () => {
      const browser: TestBrowser = await openBrowser(size);
      try {
        const page = await browser.context.newPage();
        const faults: string[] = [];
        page.on('console', (message) => {
          if (message.type() === 'error') faults.push(message.text());
        });
        page.on('pageerror', (error) => faults.push(String(error)));
        await page.goto(`${grove.baseUrl}/docs`);
        assert.equal(new URL(page.url()).pathname, '/docs/');
        await page
          .getByRole('heading', { name: 'From an API key to a verified identity' })
          .waitFor({ timeout: 60_000 });
        await page
          .locator('a[href*="apiKeys.issue"], [id*="apiKeys/issue"], [id*="apiKeys.issue"]')
          .first()
          .waitFor({ state: 'attached' });
        // Whatever the page still wants to load, it has asked for by then.
        await page.waitForTimeout(1000);
        mkdirSync('build', { recursive: true });
        await page.screenshot({ path: `build/docs-${name}.png` });
        assert.deepEqual(browser.outside, []);
        assert.deepEqual(faults, []);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth + 1);
        assert.equal(overflow, false, 'the page scrolls sideways');
      } finally {
        await browser.close();
      }
    });
  }
});
