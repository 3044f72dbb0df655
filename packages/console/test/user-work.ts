import assert from 'node:assert/strict';
import { it } from 'node:test';
import { catalogue, type ErrorCode } from '@grove/contract';
import { relyingParty } from '../../server/test/authenticator/relying-party.ts';
import { openPushProviders } from '../../server/test/push-providers.ts';
import { uafAuthenticator } from '../../server/test/uaf/authenticator.ts';
import { CONFIG, RP } from '../../server/test/uaf/relying-party.ts';
import { hintsEn } from '../src/texts/hints/en.ts';
import { checkScreen, type Tools } from './case-work.ts';

/** Tests what operators do for a user of an identity store. */
export function testStoreUsers(tools: Tools): void {
  const { stage, open } = tools;

  it('a user of a store is shown with devices, keys and failures, is locked, unlocked and messaged, and a key is removed', async (t) => {
    const page = tools.page();
    const providers = await openPushProviders();
    t.after(() => providers.close());
    const rp = await relyingParty(stage().app, { apiKey: stage().testKey });
    await rp.must('/appkeyConfig', CONFIG);
    await rp.must('/pushNotificationPolicy', { rpId: RP, ...providers.settings });
    const { device, userId } = await rp.register((await rp.user({ extId: 'noor' })).id);
    for (const [deviceId, preferred] of [
      ['old phone', false],
      ['new phone', true],
    ] as const) {
      const started = await rp.must(`/users/${userId}/appkeys/relyingParties/${RP}/registrations/standard`);
      const response = uafAuthenticator().register(started.uafProtocolMessage);
      const push = { pushProvider: 'FCM', pushToken: `token of the ${deviceId}` };
      await rp.must(
        '/appkeys/registrations',
        { sessionId: started.sessionId, response, deviceId, preferred, ...push },
        200,
      );
    }
    const address = `/stores/${encodeURIComponent(rp.storeName)}/users/${userId}`;
    // A user is found by the external id, and by the id of Grove.
    await open(`/stores/${encodeURIComponent(rp.storeName)}?extId=no%25`, /./);
    await page.getByRole('link', { name: 'noor', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove filter: External id' }).click();
    await page.getByRole('searchbox', { name: /^External id/ }).fill(userId.toLowerCase());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'noor' }).waitFor();
    await open(address, /noor/);
    const keys = page.getByRole('region', { name: 'Devices, keys and codes' });
    await keys.getByRole('row', { name: /^Device new phone Preferred/ }).waitFor();

    // The provider no longer knows the push token of a device: the operator sees it after the next message.
    providers.answers.FCM = (token) =>
      token.includes('old')
        ? { status: 404, body: { error: { details: [{ errorCode: 'UNREGISTERED' }] } } }
        : undefined;
    await page.getByRole('button', { name: 'Send a push notification' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a push notification' });
    await dialog.getByLabel('To').selectOption('ALL');
    await dialog.getByLabel('Title').fill('Acme');
    await dialog.getByLabel('Message').fill('Please call us');
    await checkScreen(tools, 'send-push');
    await dialog.getByRole('button', { name: 'Send a push notification' }).click();
    await page.getByText('Sent to 2 devices.').waitFor();
    const marked = keys.getByRole('row', { name: /^Device old phone Cannot be reached/ });
    for (let looks = 0; (await marked.count()) === 0; looks += 1) {
      assert.ok(looks < 100, 'the device is marked');
      await stage().app.app.jobs.runDue();
      await open(address, /noor/);
    }
    await checkScreen(tools, 'store-user-keys');
    await keys.getByRole('button', { name: 'Prefer no device' }).click();
    await keys.getByRole('row', { name: /^Device new phone(?! Preferred)/ }).waitFor();
    await keys.getByText('Preferred').waitFor({ state: 'detached' });

    // Somebody guesses: the lock is shown as soon as the page is opened, and a button removes it.
    const wrong = { signature: (signature: Buffer) => Buffer.from(signature).reverse() };
    for (let tries = 0; tries < 5; tries += 1) await rp.login(device, userId, wrong);
    await open(address, /noor/);
    await page.getByText(/^Locked after too many failures: PASSKEY/).waitFor();
    await page.getByRole('row', { name: /^PASSKEY 5 failures Locked/ }).waitFor();
    // Each refusal explains its code.
    const refusal = page.locator('td[data-title=Result]').filter({ hasText: 'Failed' }).first();
    const [, code = '', meaning] = /^Failed (\d+)\s+(.+)$/.exec(await refusal.innerText()) ?? [];
    assert.equal(meaning, catalogue[Number(code) as ErrorCode].message);
    await checkScreen(tools, 'store-user-locked');
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText(/^Locked after too many failures/).waitFor({ state: 'detached' });
    assert.equal((await rp.login(device, userId)).status, 200);

    // The events of this user, by kind and by day.
    await page.getByRole('main').getByRole('link', { name: 'Event queries' }).click();
    await page.getByRole('heading', { level: 1, name: 'Event queries' }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: hintsEn.userId, exact: true }).inputValue(), userId);
    await page.getByRole('combobox', { name: hintsEn.type, exact: true }).fill('failed');
    await page.getByRole('option', { name: 'Sign-in failed', exact: true }).click();
    await page.getByLabel('At most').fill('2');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText(/^Done · 2 entries/).waitFor();
    const more = page.getByRole('button', { name: 'More', exact: true });
    await more.click();
    await page.getByText(/^Done · 4 entries/).waitFor();
    await more.click();
    await page.getByText(/^Done · 5 entries/).waitFor();
    await more.waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('row', { name: /Sign-in failed/ }).count(), 5);
    await checkScreen(tools, 'events-of-user');
    await page.getByLabel('From').fill('2000-01-01');
    await page.getByLabel('Until', { exact: true }).fill('2000-01-02');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText(/^Done · 0 entries/).waitFor();
    await open(address, /noor/);

    const passkey = keys.getByRole('row', { name: /^Passkey/ });
    await passkey.getByRole('button', { name: 'Delete' }).click();
    const confirm = page.getByRole('dialog');
    const field = confirm.getByRole('textbox');
    await field.fill((await confirm.locator('label').innerText()).trim());
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await passkey.waitFor({ state: 'detached' });
    assert.equal((await rp.startAuthentication(userId)).status, 404, 'there is no passkey any more');
  });
}
