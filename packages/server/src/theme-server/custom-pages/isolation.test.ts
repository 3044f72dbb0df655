import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openBrowser, type TestBrowser } from '../../../test/browser.ts';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';
import { JPEG, PNG } from '../../../test/images.ts';
import { pageZip } from '../../../test/zips.ts';

/** Everything that a page of a tenant could try in a real browser. */
const BASE = '/api/theme-server/customPages';

/**
 * The page of the journey is a routed response without a network address, so frames on this machine would count as its
 * local network.
 */
const FLAGS = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--disable-features=LocalNetworkAccessChecks',
];

/** Each attempt returns `yes` if it worked, or why it did not. */
const ATTACKS = `
const tried = {};
const attempt = async (name, work) => {
  try { const got = await Promise.race([work(), new Promise((_, fail) => setTimeout(() => fail(new Error('time')), 3000))]); tried[name] = got === undefined ? 'yes' : String(got); }
  catch (error) { tried[name] = 'no: ' + error.name; }
};
const image = (src) => new Promise((done, fail) => { const img = new Image(); img.onload = () => done(); img.onerror = () => fail(new Error('blocked')); img.src = src; });
const script = (src) => new Promise((done, fail) => { const s = document.createElement('script'); s.src = src; s.onload = () => done(); s.onerror = () => fail(new Error('blocked')); document.head.append(s); });
addEventListener('message', async ({ data }) => {
  if (data.command !== 'PROCESS') return;
  const { other, api } = data.variables.constants;
  await attempt('cookie', () => document.cookie);
  await attempt('setCookie', () => { document.cookie = 'a=b'; if (!document.cookie) throw new Error('none'); });
  await attempt('storage', () => { localStorage.setItem('a', 'b'); });
  await attempt('indexedDb', () => new Promise((done, fail) => { const r = indexedDB.open('a'); r.onsuccess = () => done(); r.onerror = () => fail(r.error); }));
  await attempt('camera', () => navigator.mediaDevices.getUserMedia({ video: true }).then(() => undefined));
  await attempt('location', () => new Promise((done, fail) => navigator.geolocation.getCurrentPosition(() => done(), fail)));
  await attempt('passkey', () => navigator.credentials.get({ publicKey: { challenge: new Uint8Array(32) } }).then(() => undefined));
  await attempt('serviceWorker', () => navigator.serviceWorker.register('app.js').then(() => undefined));
  await attempt('worker', () => new Promise((done, fail) => { const w = new Worker('app.js'); w.onerror = () => fail(new Error('blocked')); setTimeout(done, 500); }));
  await attempt('api', () => fetch(api).then(() => undefined));
  await attempt('ownFile', () => fetch('index.html').then(() => undefined));
  await attempt('beacon', () => new Promise((done, fail) => { document.addEventListener('securitypolicyviolation', () => fail(new Error('blocked'))); navigator.sendBeacon(api); setTimeout(done, 1000); }));
  await attempt('socket', () => new Promise((done, fail) => { const s = new WebSocket(api.replace('http', 'ws')); s.onopen = () => done(); s.onerror = () => fail(new Error('blocked')); }));
  await attempt('parent', () => parent.document.title);
  await attempt('top', () => { top.location.href = 'about:blank'; });
  await attempt('popup', () => { if (!open('about:blank')) throw new Error('blocked'); });
  await attempt('otherPage', () => image(other + 'logo.png'));
  await attempt('otherScript', () => script(other + 'app.js'));
  await attempt('apiScript', () => script(api));
  await attempt('inline', () => { const s = document.createElement('script'); s.textContent = 'window.inlined = true'; document.head.append(s); if (!window.inlined) throw new Error('blocked'); });
  await attempt('eval', () => { (0, eval)('1'); });
  await attempt('frame', () => new Promise((done, fail) => { const f = document.createElement('iframe'); f.src = other; document.addEventListener('securitypolicyviolation', () => fail(new Error('blocked'))); f.onload = () => done(); document.body.append(f); }));
  await attempt('ownImage', () => image('logo.png'));
  await attempt('ownScript', () => script('more.js'));
  await attempt('ownStyle', () => { if (getComputedStyle(document.body).color !== 'rgb(1, 2, 3)') throw new Error('none'); });
  parent.postMessage({ event: 'SEND', variables: { tried: JSON.stringify(tried), origin: self.origin } }, '*');
});
parent.postMessage({ event: 'READY' }, '*');
`;

const INDEX =
  '<!doctype html><link rel="stylesheet" href="a.css"><body><script src="app.js"></script><script src="extra.js" type="module"></script>';

for (const [title, environment] of [
  ['below the address of the tenant', {}],
  ['with a domain of their own', { GROVE_PAGES_DOMAIN: 'pages.localhost' }],
] as const) {
  describe(`custom pages in a browser, ${title}`, () => {
    const places = testPlaces();
    let grove: TestApp;
    let browser: TestBrowser;
    before(async () => {
      grove = await openTestApp(await places.create(), { environment });
      browser = await openBrowser({ width: 800, height: 600, flags: FLAGS });
    });
    after(async () => {
      await browser?.close();
      await grove?.stop();
    });

    const deployed = async (name: string, archive: Buffer, token: string) => {
      const init = { method: 'POST', body: new Uint8Array(archive), token };
      const headers = { 'Content-Type': 'application/zip' };
      const { body } = await grove.call(`${BASE}/${name}/versions`, { ...init, headers });
      await grove.call(`${BASE}/${body.id}/deploy`, { method: 'POST', token });
      return (await grove.call(`${BASE}/${body.id}`, { token })).body.url as string;
    };

    it('custom pages communicate with the journey, load their own files, and can access nothing else', async () => {
      const { apiKey } = await grove.app.tenants.create({ id: 'other' });
      const files = [{ name: 'app.js', content: 'window.stolen = 1' }];
      const other = await deployed(
        'other',
        pageZip([...files, { name: 'logo.png', content: Buffer.from(PNG) }]),
        await grove.token(apiKey),
      );
      const url = await deployed(
        'evil',
        pageZip(
          [
            { name: 'app.js', content: ATTACKS },
            { name: 'extra.js', content: 'window.module = 1' },
            { name: 'more.js', content: '' },
            { name: 'a.css', content: 'body { color: rgb(1, 2, 3) }' },
            { name: 'logo.png', content: Buffer.from(PNG) },
            { name: 'photo.jpg', content: Buffer.from(JPEG) },
          ],
          INDEX,
        ),
        await grove.token(),
      );
      const { port } = new URL(grove.baseUrl);
      const origin = `http://acme.fir.localhost:${port}`;
      const page = await browser.context.newPage();
      await browser.context.addCookies([{ name: 'journey', value: 'secret', url: origin }]);
      await browser.context.grantPermissions(['camera', 'geolocation'], { origin });
      // Plays the journey: at its origin, with its frame.
      const host = `<!doctype html><title>journey</title><script>
        addEventListener('message', ({ data, origin, source }) => {
          if (data.event === 'READY') source.postMessage({ command: 'PROCESS', variables: { constants: {
            other: ${JSON.stringify(other)}, api: ${JSON.stringify(`${origin}/api/arthr/apiKeys`)} } } }, '*');
          if (data.event === 'SEND') window.answer = { ...data.variables, from: origin };
        });
      </script><iframe sandbox="allow-scripts allow-forms" src=${JSON.stringify(url)}></iframe>`;
      await page.route(`${origin}/web/`, (route) => route.fulfill({ contentType: 'text/html', body: host }));
      await page.goto(`${origin}/web/`);
      await page.waitForFunction('window.answer', undefined, { timeout: 30_000 });
      const report = (await page.evaluate('window.answer')) as Record<string, string>;
      assert.deepEqual([report.origin, report.from], ['null', 'null']);
      const attempts = JSON.parse(report.tried as string) as Record<string, string>;
      const successes = Object.keys(attempts).filter((name) => !attempts[name]?.startsWith('no: '));
      assert.deepEqual(successes, ['ownImage', 'ownScript', 'ownStyle'], JSON.stringify(attempts, null, 1));
      assert.equal(await page.title(), 'journey');
      // The page has the same restrictions if it is opened directly.
      await page.goto(url);
      assert.equal(await page.evaluate(() => self.origin), 'null');
      assert.deepEqual(browser.outside, []);
    });
  });
}
