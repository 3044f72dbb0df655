import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from '../../../../test/browser.ts';
import { openTestApp, type TestApp, testPlaces } from '../../../../test/harness.ts';

describe('the documentation', () => {
  const places = testPlaces();
  let grove: TestApp;
  let browser: TestBrowser;
  let page: Page;
  const faults: string[] = [];
  before(async () => {
    grove = await openTestApp(await places.create());
    browser = await openBrowser({ width: 1280, height: 800 });
    page = await browser.context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    mkdirSync('build', { recursive: true });
  });
  after(async () => {
    await browser?.close();
    await grove.stop();
  });

  const look = async (name: string) => {
    await page.screenshot({ path: `build/docs-${name}.png` });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth + 1);
    assert.equal(overflow, false, `the page scrolls sideways: ${name}`);
  };
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${grove.baseUrl}${path}`, { headers });

  it('the documentation serves each page, its source, the collection and the files that pages link to, and nothing else (100003)', async () => {
    for (const [path, type, words] of [
      ['/docs/', 'text/html', 'Grove documentation'],
      ['/docs/results', 'text/html', 'When an instance ends'],
      ['/docs/results.md', 'text/markdown', '# Results'],
      ['/docs/decisions/2026-11-16-start-codes', 'text/html', '<h1'],
      ['/docs/files/examples/verify.ts', 'text/plain', 'createClient'],
      ['/docs/grove.postman_collection.json', 'application/json', '{{baseUrl}}'],
      ['/docs/search.json', 'application/json', '/docs/error-codes'],
      ['/llms.txt', 'text/plain', '(/docs/results.md)'],
    ] as const) {
      const answer = await get(path);
      assert.equal(answer.status, 200, path);
      assert.ok(answer.headers.get('content-type')?.startsWith(type), path);
      assert.ok((await answer.text()).includes(words), path);
    }
    const { headers } = await get('/docs/webhooks');
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    for (const path of [
      'package.json',
      'files/package.json',
      '..%2fpackage.json',
      'files/..%2f..%2fpackage.json',
      '__proto__',
      'constructor',
    ]) {
      const answer = await get(`/docs/${path}`);
      assert.deepEqual([answer.status, ((await answer.json()) as { code: number }).code], [404, 100003], path);
    }
  });

  it('the documentation leads from the overview to a page, and by the search to a heading, on a desktop', async () => {
    await page.goto(`${grove.baseUrl}/docs`);
    assert.equal(new URL(page.url()).pathname, '/docs/');
    await look('overview');
    await page.getByRole('navigation').getByRole('link', { name: 'Results' }).click();
    await page.getByRole('heading', { name: 'When an instance ends' }).waitFor();
    await look('results');
    await page.keyboard.press('/');
    await page.getByLabel('Search the documentation').fill('rotate master key');
    await page.locator('#docs-results a').first().waitFor();
    await look('search');
    await page.getByLabel('Search the documentation').fill('100014');
    await page.locator('#docs-results a[href="/docs/error-codes"]').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Error codes', level: 1 }).waitFor();
  });

  it('the documentation fits on a phone in dark mode, where the contents are at the end of the page', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 740 });
    for (const name of ['results', 'events', 'error-codes', 'production', 'user-data', 'cli', '']) {
      await page.goto(`${grove.baseUrl}/docs/${name}`);
      await look(`phone-${name || 'overview'}`);
    }
    await page.goto(`${grove.baseUrl}/docs/webhooks`);
    await page.getByRole('link', { name: 'Contents' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Quick start' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/docs/quick-start');
    await page.getByLabel('Search the documentation').fill('webhook secret');
    await page.locator('#docs-results a').first().waitFor();
    await look('phone-search');
  });

  it('the documentation has the reference of the API, on a desktop and on a phone in dark mode', async () => {
    const reference = page.getByRole('heading', { name: 'From an API key to a verified identity' });
    await page.goto(`${grove.baseUrl}/docs/reference`);
    assert.equal(new URL(page.url()).pathname, '/docs/reference/');
    await reference.waitFor({ timeout: 60_000 });
    // By then the page has requested everything that it loads.
    await page.waitForTimeout(1000);
    await look('reference-phone');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await reference.waitFor({ timeout: 60_000 });
    await page
      .locator('a[href*="apiKeys.issue"], [id*="apiKeys/issue"], [id*="apiKeys.issue"]')
      .first()
      .waitFor({ state: 'attached' });
    await look('reference');
  });

  it('the documentation obeys its content security policy and loads nothing from other sites', () => {
    assert.deepEqual(browser.outside, []);
    assert.deepEqual(faults, []);
  });
});
