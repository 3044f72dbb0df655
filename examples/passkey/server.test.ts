import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { authority, toPem } from '../../packages/server/test/authenticator/authority.ts';
import { der, sequence } from '../../packages/server/test/authenticator/write-der.ts';
import { openBrowser, type TestBrowser } from '../../packages/server/test/browser.ts';
import { openTestApp, type TestApp, testPlaces } from '../../packages/server/test/harness.ts';
import { passkeyServer, prepare } from './server.ts';

/** The page of the guide in a real Chromium, with the authenticator that Chromium has for tests. */
const RP_ID = 'shop.idv.test';
const HOST = `login.${RP_ID}`;

function certificate() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const names = { '2.5.29.17': { value: sequence(der(0x82, Buffer.from(HOST))) } };
  const made = authority().issue({ key: publicKey, subject: { '2.5.4.3': HOST }, extensions: names });
  const spki = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  return { cert: toPem(made), key: privateKey.export({ type: 'pkcs8', format: 'pem' }), spki };
}

type Opened = { page: Page; cdp: CDPSession; authenticatorId: string; server: Server };

describe('the passkey page', () => {
  const places = testPlaces();
  const tls = certificate();
  let grove: TestApp;
  let browser: TestBrowser;
  const stops: (() => void)[] = [];
  before(async () => {
    grove = await openTestApp(await places.create());
    browser = await openBrowser({
      width: 800,
      height: 600,
      // A real host name over TLS, with a certificate that this browser takes for good although nobody signed it.
      flags: [`--host-resolver-rules=MAP *.idv.test 127.0.0.1`, `--ignore-certificate-errors-spki-list=${tls.spki}`],
    });
  });
  after(async () => {
    await browser?.close();
    for (const stop of stops) stop();
    await grove?.stop();
  });

  /** The page with an authenticator, on a host name of the relying party. */
  const open = async (rpId: string, host: string): Promise<Opened> => {
    await prepare(grove.client, rpId);
    const serve = passkeyServer(grove.client, rpId);
    // Another page of the same server, which shows ours in a frame.
    const listener: RequestListener = (request, response) => {
      if (request.url !== '/frame') return void serve(request, response);
      const { port } = server.address() as AddressInfo;
      const allow = 'publickey-credentials-get *';
      response.setHeader('Content-Type', 'text/html');
      response.end(`<!doctype html><iframe allow="${allow}" src="https://${HOST}:${port}/"></iframe>`);
    };
    const server: Server = host === 'localhost' ? createHttp(listener) : createHttps(tls, listener);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    stops.push(() => {
      server.close();
      server.closeAllConnections();
    });
    const page = await browser.context.newPage();
    const scheme = host === 'localhost' ? 'http' : 'https';
    await page.goto(`${scheme}://${host}:${(server.address() as AddressInfo).port}`);
    const cdp = await browser.context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return { page, cdp, authenticatorId, server };
  };

  const said = async (page: Page, act: () => Promise<void>): Promise<string> => {
    await page.evaluate(() => {
      (document.querySelector('output') as HTMLOutputElement).value = '';
    });
    await act();
    await page.waitForFunction(() => (document.querySelector('output') as HTMLOutputElement).value !== '');
    return page.locator('output').innerText();
  };
  const register = (page: Page, name: string) =>
    said(page, async () => {
      await page.getByLabel('Your name').fill(name);
      await page.getByRole('button', { name: 'Register' }).click();
    });
  const login = (page: Page) => said(page, () => page.getByRole('button', { name: 'Log in' }).click());

  it('the passkey page registers and logs in on a host name over TLS; a cloned authenticator is refused with 372', async () => {
    const { page, cdp, authenticatorId } = await open(RP_ID, HOST);
    assert.equal(await register(page, 'Ada'), 'Hello, Ada');
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    const [stolen] = credentials;
    assert.ok(stolen && credentials.length === 1);
    for (const _ of [1, 2]) assert.equal(await login(page), 'Hello, Ada');
    await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: stolen.credentialId });
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...stolen, signCount: 0 } });
    assert.match(await login(page), /cloned authenticator/);
    const { content } = await grove.client.users.listAuthentications({
      storeName: 'passkey-example',
      user: { extId: 'Ada' },
    });
    assert.deepEqual(content.map(({ code }) => code ?? 200).toSorted(), [200, 200, 372]);
  });

  it('the passkey page says so where a name is taken, and where the user is not verified', async () => {
    const { page, cdp, authenticatorId } = await open(RP_ID, HOST);
    assert.match(await register(page, 'Ada'), /external id is already in use/);
    assert.equal(await register(page, 'Bo'), 'Hello, Bo');
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    assert.match(await register(page, 'Cy'), /cancelled on the client/);
  });

  it('the passkey page in a frame of a page that nobody listed is refused with 100200, and works where that page is listed', async () => {
    const { page, server } = await open(RP_ID, HOST);
    const { port } = server.address() as AddressInfo;
    assert.equal(await register(page, 'Eve'), 'Hello, Eve');
    const framed = page.frameLocator('iframe');
    const topOrigin = `https://other.idv.test:${port}`;
    for (const [topOrigins, answer] of [
      [[], /not allowed to embed it/],
      [[topOrigin], /Hello, Eve/],
    ] as const) {
      const body = { topOrigins: [...topOrigins] };
      await grove.client.passkeys.updateConfig({ storeName: 'passkey-example', rpId: RP_ID, body });
      await page.goto(`${topOrigin}/frame`);
      await framed.getByRole('button', { name: 'Log in' }).click();
      const output = framed.locator('output');
      await output.filter({ hasText: /./ }).waitFor();
      assert.match(await output.innerText(), answer);
    }
  });

  it('the passkey page is the one that the guide shows, and has at most 52 lines', () => {
    const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
    const shown = read('./index.html');
    assert.ok(read('../../docs/identity-store.md').includes(shown));
    assert.ok(shown.trimEnd().split('\n').length <= 52);
  });

  it('the passkey page works on localhost without TLS, as a developer begins', async () => {
    const { page } = await open('localhost', 'localhost');
    assert.equal(await register(page, 'Dee'), 'Hello, Dee');
    assert.equal(await login(page), 'Hello, Dee');
  });
});
