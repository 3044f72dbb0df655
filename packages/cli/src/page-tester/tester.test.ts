import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openBrowser } from '../../../server/test/browser.ts';
import { readPageFolder } from './read-page-folder.ts';
import { startTester, type Tester } from './tester.ts';

const SCRIPT = `addEventListener('message', ({ data }) => {
  let stolen = 'nothing';
  try { stolen = document.cookie || localStorage.length; } catch (error) { stolen = error.name; }
  parent.postMessage({ event: 'SEND', variables: { colour: data.variables.constants.colour, stolen } }, '*');
});
parent.postMessage({ event: 'READY' }, '*');`;

describe('the tester of custom pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grove-page-'));
  let tester: Tester;
  before(async () => {
    mkdirSync(join(folder, 'js'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html><p>Page</p><script src="js/app.js"></script>');
    writeFileSync(join(folder, 'js/app.js'), SCRIPT);
    writeFileSync(join(folder, '.DS_Store'), 'litter');
    tester = await startTester({ folder, port: 0 });
  });
  after(async () => {
    await tester.stop();
    rmSync(folder, { recursive: true });
  });

  const get = (path: string, headers: Record<string, string> = {}) => fetch(new URL(path, tester.url), { headers });

  it('the tester checks a folder like an upload, and reports its faults', async () => {
    assert.equal((await readPageFolder(folder)).files.length, 2);
    const { files, bytes, fault } = await (await get('/state')).json();
    assert.deepEqual([files, bytes > 100, fault], [2, true, undefined]);
    writeFileSync(join(folder, 'logo.svg'), '<svg/>');
    assert.match((await (await get('/state')).json()).fault, /^logo\.svg must be html, css/);
    assert.equal((await get('/pages/page/')).status, 404);
    rmSync(join(folder, 'logo.svg'));
    symlinkSync('/etc/hostname', join(folder, 'link.js'));
    assert.equal((await readPageFolder(folder)).fault?.reason, 'symlink');
    rmSync(join(folder, 'link.js'));
  });

  it('the tester serves the files of the folder with the policy of the server, and nothing else', async () => {
    const page = await get('/pages/page/');
    assert.match(await page.text(), /<p>Page<\/p>/);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      /^sandbox allow-scripts allow-forms; default-src 'none'; script-src localhost:\d+\/pages\/page\/;/,
    );
    for (const path of [
      '/pages/page/../../etc/hostname',
      '/pages/page/%2e%2e/x',
      '/pages/page/.DS_Store',
      '/etc/hostname',
    ]) {
      assert.equal((await get(path)).status, 404, path);
    }
  });

  it('the tester speaks the protocol of the journey in a browser, logs it, and keeps the page in its sandbox', async () => {
    const browser = await openBrowser({ width: 1000, height: 700 });
    try {
      const page = await browser.context.newPage();
      await page.goto(tester.url);
      await page.locator('#log li', { hasText: 'A journey would refuse this: colour must be a text.' }).waitFor();
      await page.fill('#constants', '{"colour": "red"}');
      await page.click('#reload');
      const sent = page.locator('#log li', { hasText: '"colour": "red",' }).filter({ hasText: 'SEND' });
      await sent.waitFor();
      assert.match(await sent.innerText(), /"stolen": "SecurityError"/);
      await page.locator('#log li', { hasText: 'A journey would take this' }).waitFor();
      writeFileSync(join(folder, 'index.html'), '<!doctype html><p>Changed</p>');
      await page.frameLocator('#page').getByText('Changed').waitFor();
      assert.deepEqual(browser.outside, []);
    } finally {
      await browser.close();
    }
  });
});
