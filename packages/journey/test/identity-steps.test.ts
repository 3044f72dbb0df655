import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type TOTP, URI } from 'otpauth';
import type { Page } from 'playwright-core';
import { testPlaces } from '../../server/test/harness.ts';
import { openStage, type Stage } from './stage.ts';

const heading = (page: Page, text: string | RegExp) => page.getByRole('heading', { level: 1, name: text }).waitFor();
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

/** Chromium's virtual authenticator, in place of a fingerprint reader. */
const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

const STORE = { store: 'people' };
const ADD = { id: 'add', type: 'addUser', ...STORE };
const TOTP_STEP = { ...STORE, policy: 'app' };

describe('the steps of identity stores in a browser', () => {
  const places = testPlaces();
  let stage: Stage;
  let token: string;
  let rpId: string;

  before(async () => {
    stage = await openStage(places);
    token = await stage.app.token(stage.testKey);
    // The pages are Grove's own, so the relying party is the domain of Grove.
    const { url } = await stage.link({ steps: [{ id: 'hello', type: 'consent' }] });
    rpId = new URL(url).hostname;
    await post('/stores', { name: 'people' });
    await post('/stores/people/passkeyConfig', { rpId });
    await post('/stores/people/totpPolicy', { name: 'app', issuer: 'Example' });
  });
  after(() => stage.close());

  const post = async (path: string, body: object) => {
    const answer = await stage.app.call(`/api/identity-store${path}`, {
      method: 'POST',
      token,
      body: JSON.stringify(body),
    });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const open = async (page: Page, steps: object[], userExtId?: string) => {
    const { url } = await stage.link({ steps, parameters: userExtId === undefined ? {} : { userExtId } });
    await page.goto(url);
    await heading(page, 'Let’s verify your identity');
    await press(page, 'Start');
  };

  it('a passkey is made in one journey and used in the next; an end user who closes the dialog may try again', async () => {
    const page = await stage.page();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
    await open(page, [ADD, { id: 'make', type: 'passkeyRegistration', ...STORE, rpId }], 'ada');
    await heading(page, 'Create your passkey');
    await press(page, 'Create a passkey');
    await heading(page, 'All done, thank you');
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    assert.deepEqual(
      credentials.map((credential) => credential.rpId),
      [rpId],
    );

    await open(page, [{ id: 'use', type: 'passkeyAuthentication', ...STORE, rpId }], 'ada');
    await heading(page, 'Sign in with your passkey');
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
    await press(page, 'Use my passkey');
    await page.getByText('That was stopped, or it took too long').waitFor();
    for (const credential of credentials) {
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
    }
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await press(page, 'Try again');
    await heading(page, 'All done, thank you');
    await page.context().close();
  });

  /** Imitates conditional requests, whether or not this Chromium has the list and the password store for them. */
  const noteConditional = (page: Page) =>
    page.addInitScript(() => {
      const requests: string[] = [];
      Object.assign(window, { asked: requests });
      const known = PublicKeyCredential as unknown as Record<string, unknown>;
      known.isConditionalMediationAvailable = async () => true;
      known.getClientCapabilities = async () => ({ conditionalCreate: true });
      const { credentials } = navigator;
      for (const name of ['get', 'create'] as const) {
        const ask = credentials[name].bind(credentials) as (options: object) => Promise<Credential | null>;
        credentials[name] = ((options: { mediation?: string; signal?: AbortSignal }) => {
          requests.push(`${name} ${options.mediation ?? 'dialog'}`);
          const { mediation, ...plain } = options;
          const { choose } = window as unknown as { choose?: boolean };
          if (mediation !== 'conditional' || choose) return ask(plain);
          // Nobody chooses: the request waits until it is aborted.
          return new Promise((_, reject) =>
            options.signal?.addEventListener('abort', () => reject(options.signal?.reason)),
          );
        }) as never;
      }
    });
  const requestsOf = (page: Page) => page.evaluate(() => (window as unknown as { asked: string[] }).asked);

  it('a journey without a user takes a passkey from the list of a field, or by the button', async () => {
    const page = await stage.page();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
    await noteConditional(page);
    await open(page, [ADD, { id: 'make', type: 'passkeyRegistration', ...STORE, rpId }], 'joan');
    await press(page, 'Create a passkey');
    await heading(page, 'All done, thank you');
    assert.deepEqual(
      await requestsOf(page),
      ['create dialog'],
      'nobody has logged in, so the browser is not asked to make one',
    );
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    const use = [{ id: 'use', type: 'passkeyAuthentication', ...STORE, rpId, anyUser: true }];

    await open(page, use);
    const field = page.getByLabel('Choose your passkey');
    await field.waitFor();
    assert.equal(await field.getAttribute('autocomplete'), 'username webauthn');
    await page.waitForFunction(() => (window as unknown as { asked: string[] }).asked.length === 1);
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
    await press(page, 'Use my passkey');
    await page.getByText('That was stopped, or it took too long').waitFor();
    await page.waitForFunction(() => (window as unknown as { asked: string[] }).asked.length === 3);
    assert.deepEqual(await requestsOf(page), ['get conditional', 'get dialog', 'get conditional']);
    for (const credential of credentials) {
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
    }
    await field.press('Enter');
    await heading(page, 'All done, thank you');

    await page.addInitScript(() => Object.assign(window, { choose: true }));
    await open(page, use);
    await heading(page, 'All done, thank you');
    assert.deepEqual(await requestsOf(page), ['get conditional'], 'nothing was pressed');
    await page.context().close();
  });

  it('after a login the browser may make a passkey by itself, where the policy allows it', async () => {
    const registrationPolicies = { upgrade: { conditionalCreateAllowed: true } };
    await post(`/stores/people/passkeyConfig/${rpId}`, { registrationPolicies });
    const page = await stage.page();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
    await noteConditional(page);
    await page.addInitScript(() => Object.assign(window, { choose: true }));
    await open(page, [ADD, { id: 'code', type: 'totpRegistration', ...TOTP_STEP }], 'mary');
    const secret = (await page.locator('code.secret').textContent()) ?? '';
    const app = URI.parse(`otpauth://totp/Example:mary?secret=${secret}&issuer=Example`) as TOTP;
    const type = async () => {
      await page.getByLabel('Code of 6 digits').fill(app.generate({ timestamp: stage.app.clock.now() }));
      await press(page, 'Continue');
    };
    await type();
    await heading(page, 'All done, thank you');
    stage.app.clock.advance(30_000);
    const make = { id: 'make', type: 'passkeyRegistration', ...STORE, rpId, policy: 'upgrade' };
    await open(page, [{ id: 'use', type: 'totpAuthentication', ...TOTP_STEP }, make], 'mary');
    await heading(page, 'Enter your code');
    await type();
    await heading(page, 'All done, thank you');
    assert.deepEqual(await requestsOf(page), ['create conditional']);
    await page.context().close();
  });

  it('an authenticator app is set up in one journey and used in the next; a wrong code can be typed again', async () => {
    const page = await stage.page();
    await open(page, [ADD, { id: 'make', type: 'totpRegistration', ...TOTP_STEP }], 'grace');
    await heading(page, 'Set up your authenticator app');
    const secret = (await page.locator('code.secret').textContent()) ?? '';
    const app = URI.parse(`otpauth://totp/Example:grace?secret=${secret}&issuer=Example`) as TOTP;
    const code = () => app.generate({ timestamp: stage.app.clock.now() });
    const wrong = () => String((Number(code()) + 1) % 1_000_000).padStart(6, '0');
    const type = async (typed: string) => {
      await page.getByLabel('Code of 6 digits').fill(typed);
      await press(page, 'Continue');
    };
    await type(code());
    await heading(page, 'All done, thank you');
    stage.app.clock.advance(30_000);

    await open(page, [{ id: 'use', type: 'totpAuthentication', ...TOTP_STEP }], 'grace');
    await heading(page, 'Enter your code');
    await type(wrong());
    await page.getByText('That code was not right').waitFor();
    await type(code());
    await heading(page, 'All done, thank you');
    await page.context().close();
  });

  it('a locked user is not told the reason', async () => {
    const ada = await post('/stores/people/users', { extId: 'locked' });
    await post(`/stores/people/users/${ada.id}/lock`, {});
    const page = await stage.page();
    await open(page, [{ id: 'use', type: 'totpAuthentication', ...TOTP_STEP }], 'locked');
    await heading(page, 'That was not possible');
    assert.ok(!/lock/i.test((await page.textContent('main')) ?? ''));
    await page.context().close();
    assert.deepEqual(stage.complaints, []);
  });
});
