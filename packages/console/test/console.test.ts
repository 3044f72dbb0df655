import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type TOTP, URI } from 'otpauth';
import type { Page } from 'playwright-core';
import { IS_LONG } from '../../../scripts/long.ts';
import { type AxeLook, axeFaults } from '../../journey/test/axe.ts';
import { asTenantId } from '../../server/src/kernel/ids.ts';
import { startJourney } from '../../server/test/end-user.ts';
import { testPlaces } from '../../server/test/harness.ts';
import { CLIENT_SECRET, openTestProvider } from '../../server/test/oidc-provider.ts';
import { openReceiver } from '../../server/test/webhooks.ts';
import { pageZip } from '../../server/test/zips.ts';
import { DIST } from '../build.ts';
import { checkScreen, testCaseWork } from './case-work.ts';
import { documentOf, testDefinitionText, testLongDefinition, write } from './definition-work.ts';
import { walk } from './drawn-person.ts';
import { testExports } from './export-work.ts';
import { keepScreen } from './keep-screen.ts';
import { COLOURS } from './object-work.ts';
import { testRedaction } from './redact-work.ts';
import { testRoles } from './role-work.ts';
import { testScreens } from './screen-work.ts';
import { type ConsoleStage, DESKTOP, openConsoleStage, PHONE, resize, setPresence, settled, still } from './stage.ts';
import { testStoreUsers } from './user-work.ts';

/** `GROVE_REVIEW_CASES=60 node scripts/test.ts console/test` measures how many cases a minute a reviewer decides. */
const REVIEWED_CASES = Number(process.env.GROVE_REVIEW_CASES ?? 4);

/** The number of screens that are also checked in the dark; `npm run test:long` checks all. */
const IN_THE_DARK = 5;

function allPicturesLoaded(): boolean {
  const pictures = [...document.querySelectorAll<HTMLImageElement>('.viewer img')];
  return pictures.length > 0 && pictures.every(({ naturalWidth }) => naturalWidth > 0);
}

/** One server, one browser, one owner: from the link of the first start to a decided case, and every screen checked. */
describe('the console', () => {
  const places = testPlaces();
  let stage: ConsoleStage;
  let page: Page;
  before(async () => {
    stage = await openConsoleStage(places);
    page = await stage.page();
  });
  after(async () => {
    await stage.close();
    assert.deepEqual(stage.complaints, []);
  });

  const inReview = async (firstName: string) => {
    const started = await startJourney(stage.app, stage.testKey, {
      parameters: { _scenario: 'face-mismatch', firstName, lastName: 'Byrne' },
    });
    await walk(started.user);
    // Cases are ordered by their time, so the clock advances.
    stage.app.clock.advance(1000);
    return started.processInstanceId;
  };
  const open = async (path: string, heading: RegExp) => {
    await page.goto(`${stage.address}/console${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await settled(page);
  };
  /** Opens a screen without loading the application again. */
  const go = async (path: string, heading: RegExp) => {
    await page.evaluate((to) => history.pushState({}, '', to), `/console${path}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await settled(page);
  };
  const axe = async (look?: AxeLook) => {
    await still(page);
    return axeFaults(page, look);
  };
  const keep = (name: string, of = page) => keepScreen(name, of);
  const chooseTest = () => page.getByRole('radiogroup', { name: 'Environment' }).getByText('Test').click();

  it('the link of the first start makes an owner, who is signed in', async () => {
    await page.goto(await stage.firstOwnerUrl());
    await page.getByRole('heading', { name: /Welcome to acme/ }).waitFor();
    await page.getByText(/^You become the first owner\./).waitFor();
    assert.deepEqual(await axe(), []);
    await keep('join');
    await page.getByLabel('Your name').fill('Olga Owner');
    await page.getByLabel('E-mail').fill('olga@acme.com');
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByRole('heading', { name: /Good to see you, Olga Owner/ }).waitFor();
    assert.ok(!page.url().includes('invite='));
  });

  it('a newcomer does a test verification in the phone of the console and decides it, without a terminal', async () => {
    const steps = page.getByRole('region', { name: 'Set up' });
    await steps.getByRole('link', { name: 'Begin: Do a test verification' }).click();
    await page.getByRole('heading', { level: 1, name: 'Try it' }).waitFor();
    await page.getByRole('button', { name: 'Start a test verification' }).click();
    const phone = page.frameLocator('iframe.phone');
    const tap = (name: string) => phone.getByRole('button', { name }).click();
    await tap('Start');
    await keep('try');
    assert.deepEqual(await axe(), []);
    await tap('I agree');
    await phone.getByLabel('Passport').check();
    await tap('Continue');
    await tap('Use a sample passport');
    await tap('Use a sample selfie');
    await page.getByRole('link', { name: 'Decide this case' }).click();
    // No name was given, so that of the document is shown.
    await page.getByRole('heading', { level: 1, name: 'ANNA MARIA ERIKSSON' }).waitFor();
    await page.locator('.viewer .sample').first().waitFor();
    await keep('try-case');
    // A consent and the kind of document are shown in words.
    await page.getByRole('row', { name: 'Agreed Yes' }).waitFor();
    await page.getByText(/^Passport · /).waitFor();
    await page.getByLabel('Reason').fill('I have tried it');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('No case is waiting for a decision.').waitFor();
    await open('/', /Good to see you/);
    const done = await steps.getByRole('listitem').allInnerTexts();
    assert.match(done[0] ?? '', /Do a test verification\s+\(done\)/);
    assert.match(done[1] ?? '', /Decide your first case\s+\(done\)/);
    await keep('first-steps');
  });

  it('the console frames no live journey, and no other origin frames a test journey', async () => {
    const live = await startJourney(stage.app, stage.app.apiKey, {});
    const token = await stage.app.token(stage.testKey);
    const list = await stage.app.call('/api/process-manager/processInstances?size=1', { token });
    const ancestors = (processInstanceId: string, origin: string) =>
      page.evaluate(
        async (address) => {
          const policy = (await fetch(address)).headers.get('content-security-policy') ?? '';
          return /frame-ancestors ([^;]+)/.exec(policy)?.[1];
        },
        `/web/?pi=${processInstanceId}&embed=${encodeURIComponent(origin)}`,
      );
    const testId = list.body.content[0].id;
    assert.equal(await ancestors(testId, stage.address), stage.address);
    assert.equal(await ancestors(testId, stage.address.replace('acme', 'other')), "'none'");
    assert.equal(await ancestors(live.processInstanceId, stage.address), "'none'");
  });

  it('a reviewer decides cases by keyboard, and the decision has their name', async () => {
    const ids = [await inReview('Ada'), await inReview('Grace')];
    await chooseTest();
    await open('/', /Good to see you/);
    await page.getByRole('link', { name: 'Review the next case' }).click();
    await page.getByRole('heading', { level: 1, name: /Ada Byrne/ }).waitFor();
    await page.locator('.viewer img').first().waitFor();
    await page.waitForFunction(allPicturesLoaded);
    await keep('case');
    assert.deepEqual(await axe(), []);
    // Another verification has the same document, and the findings are drawn over the picture.
    const links = page.getByRole('region', { name: 'Also seen in' });
    await links.getByRole('link', { name: 'Grace Byrne' }).waitFor();
    assert.match(await links.innerText(), /Same document number/);
    await page.getByRole('button', { name: 'doc1 · front', exact: true }).click();
    await page.locator('.viewer .mark-outline').waitFor({ state: 'attached' });
    await keep('case-marks');
    await page.locator('.viewer .mark-zone').waitFor({ state: 'attached' });
    await page.getByRole('switch', { name: 'What the machine saw' }).press('Space');
    await page.locator('.viewer .mark-outline').waitFor({ state: 'detached' });
    // The result of a check, and what would change it.
    assert.match(
      await page.locator('.check', { hasText: 'Portrait and selfie' }).innerText(),
      /It passes from a score of 0\.5 on; it is 0\.\d+ away/,
    );
    // The print and the zone have different date formats, which is no difference.
    const birth = await page.getByRole('row', { name: /Date of birth/ }).innerText();
    assert.match(birth, /12 AUG 1974\s+Correct\s+Machine-readable: 1974-08-12\s*$/);
    const notes = page.getByRole('region', { name: 'Notes' });
    await notes.getByRole('textbox', { name: 'Write a note for colleagues' }).fill('Look at the hologram');
    await notes.getByRole('combobox', { name: 'Mention' }).click();
    await page.getByRole('listbox').getByRole('option', { name: 'Olga Owner' }).click();
    await notes.getByRole('button', { name: 'Add note' }).click();
    await notes.getByText('@Olga Owner').waitFor();
    await keep('case-notes');
    await resize(page, PHONE);
    await still(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, 'the case fits a phone');
    await keep('case-phone');
    await resize(page, DESKTOP);
    await page.getByText(/Claimed by you until/).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts explained' }).waitFor();
    assert.deepEqual(await axe(), []);
    await page.keyboard.press('Escape');
    // A decision needs a reason: the key leads to its field.
    await page.keyboard.press('a');
    await page.keyboard.type('The same person, an older photograph');
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await page.getByRole('heading', { level: 1, name: /Grace Byrne/ }).waitFor();
    const token = await stage.app.token(stage.testKey);
    const { body } = await stage.app.call(`/api/process-manager/processInstances/${ids[0]}`, { token });
    assert.deepEqual(body.review, {
      status: 'APPROVED',
      comment: 'The same person, an older photograph',
      reviewer: 'Olga Owner (olga@acme.com)',
    });
    const events = await stage.app.call(`/api/process-manager/auditEvents?processInstanceId=${ids[0]}&size=100`, {
      token,
    });
    const actions = events.body.content.map(({ action, actor }: { action: string; actor: string }) => [action, actor]);
    assert.ok(actions.some(([action]: string[]) => action === 'userData.itemRead'));
    for (const [action, actor] of actions) assert.equal(actor, 'Olga Owner (olga@acme.com)', action);
  });

  it('an API key is made, its secret is shown once, and it is deleted by typing its name', async () => {
    await open('/keys', /API keys/);
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('From the console');
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy the key now' });
    await dialog.waitFor();
    assert.match(await dialog.locator('pre').innerText(), /^grv_/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /From the console/ });
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByLabel('From the console').fill('From the console');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
  });

  const SCREENS_OF = [
    ['/', /Good to see you/, 'home'],
    ['/reviews', /Reviews/, 'reviews'],
    ['/reviews?view=closed', /Reviews/, 'reviews-closed'],
    ['/instances', /Verifications/, 'instances'],
    ['/instances/exports', /Exports/, 'exports-empty'],
    ['/tokens', /Start links/, 'tokens'],
    ['/try', /Try it/, 'try-empty'],
    ['/definitions', /Definitions/, 'definitions'],
    ['/definitions/new', /New definition/, 'definition'],
    ['/keys', /API keys/, 'keys'],
    ['/secrets', /Secrets/, 'secrets'],
    ['/webhooks', /Webhooks/, 'webhooks'],
    ['/audit', /Audit trail/, 'audit'],
    ['/operators', /People/, 'operators'],
    ['/usage', /Usage/, 'usage'],
    ['/what-if', /What if/, 'what-if'],
    ['/watchlists', /Watchlists/, 'watchlists'],
    ['/stores', /Identity stores/, 'stores'],
    ['/stores/customers', /customers/, 'store'],
    ['/themes', /Themes/, 'themes'],
    ['/themes/brand', /brand/, 'theme'],
    ['/pages', /Custom pages/, 'pages'],
    ['/events', /Event queries/, 'events'],
    ['/settings', /Settings/, 'settings'],
    ['/account', /Your account/, 'account'],
  ] as const;

  const make = async (path: string, body: object) => {
    const token = await stage.app.token(stage.testKey);
    const made = await stage.app.call(path, { method: 'POST', token, body: JSON.stringify(body) });
    assert.ok(made.status < 300, made.text);
    return made.body;
  };

  it('the screens show a list, a store, a user and a theme that were created by the API', async () => {
    await make('/api/identity-store/stores', { name: 'customers' });
    const user = await make('/api/identity-store/stores/customers/users', { extId: 'ada' });
    await make('/api/theme-server/themes', { name: 'brand', palette: COLOURS });
    const list = await make('/api/watchlist-manager/facewatchlists', { name: 'Blocked', type: 'EMAIL' });
    await open(`/watchlists/${list.id}`, /Blocked/);
    await page.getByRole('button', { name: 'Add' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add' });
    await dialog.getByLabel('E-mail addresses').fill('eve@example.com');
    await dialog.getByLabel('Reason').fill('Sold passports');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('row', { name: /Sold passports/ }).waitFor();
    await page.getByLabel('E-mail addresses').fill('EVE@example.com');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText(/1 candidate/).waitFor();
    await page.getByRole('cell', { name: 'Score 1' }).waitFor();
    assert.deepEqual(await axe(), []);
    await keep('watchlist');
    await open(`/stores/customers/users/${user.id}`, /ada/);
    await page.getByRole('button', { name: 'Lock' }).click();
    await page.getByText('This user is locked and cannot sign in.').waitFor();
    assert.deepEqual(await axe(), []);
    await keep('store-user');
  });

  it('a version is evaluated on past verifications, and usage counts them', async () => {
    const token = await stage.app.token(stage.testKey);
    const path = '/api/process-manager/processDefinitions?name=document-and-selfie';
    const { id } = (await stage.app.call(path, { token })).body.content[0];
    await open(`/what-if?definition=${id}`, /What if/);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('3 replayed; 0 would have another outcome.').waitFor();
    await keep('what-if-done');
    // The same version as a shadow: new verifications are evaluated by it, and it decides nothing.
    await page.getByRole('button', { name: 'Start the chosen version as a shadow' }).click();
    const shadow = page.getByRole('region', { name: 'Shadow versions' });
    await shadow.getByRole('button', { name: 'Show' }).click();
    await shadow.getByText('0 replayed; 0 would have another outcome.').waitFor();
    assert.deepEqual(await axe(), []);
    await keep('shadow-versions');
    await shadow.getByRole('button', { name: 'End' }).click();
    await shadow.getByText('Nothing here yet').waitFor();
    await open('/usage', /Usage/);
    const row = page.getByRole('region', { name: 'By definition' }).getByRole('row', { name: /document-and-selfie/ });
    const cells = await row.getByRole('cell').allInnerTexts();
    const { total } = (await stage.app.call('/api/process-manager/usage', { token })).body;
    assert.deepEqual(cells.slice(1, 5).map(Number), [total.created, total.accepted, total.declined, total.inReview]);
  });

  it('“Ask again” tells the person the reason and the reviewer’s message, and its link opens the step', async () => {
    const id = await inReview('Linus');
    await open(`/reviews/${id}`, /Linus Byrne/);
    const askAgain = page.getByRole('button', { name: 'Ask again' });
    await askAgain.click();
    await page.getByLabel('Why, for the end user').selectOption('faceUnclear');
    await page.getByLabel('Message to the end user').fill('Please take off your hat.');
    assert.ok(await askAgain.isDisabled(), 'no request without a step');
    await page.getByRole('checkbox', { name: 'selfie' }).check();
    await keep('ask-again');
    assert.deepEqual(await axe(), []);
    await askAgain.click();
    // A request needs a reason for colleagues: the button leads to its field.
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA');
    await page.keyboard.type('The hat hides the face');
    await askAgain.click();
    const dialog = page.getByRole('dialog', { name: 'Ask again' });
    await dialog.waitFor();
    await still(page);
    assert.deepEqual(await axe(), []);
    await keep('ask-again-link');
    const person = await stage.page({ viewport: { width: 390, height: 664 } });
    await person.goto(await dialog.locator('pre, code').first().innerText());
    await person.getByText('Your face could not be seen clearly').waitFor();
    await person.getByText('Please take off your hat.').waitFor();
    await person.context().close();
    // A message can be sent instead of the link.
    const { length } = stage.mails.mails;
    await dialog.getByLabel('E-mail').fill('linus@example.com');
    await dialog.getByRole('button', { name: 'Send by e-mail' }).click();
    await page.getByText(/^Sent to l/).waitFor();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual((await stage.mails.arrived(length + 1)).to, ['linus@example.com']);
    const token = await stage.app.token(stage.testKey);
    const { body } = await stage.app.call(`/api/process-manager/processInstances/${id}`, { token });
    assert.equal(body.status, 'ACTIVE', 'the case waits for the person');
  });

  it('a reviewer decides case after case by keyboard, with pictures loaded and every view audited', async (t) => {
    const token = await stage.app.token(stage.testKey);
    const waiting = async () => (await stage.app.call('/api/process-manager/reviews', { token })).body.totalElements;
    const waitedBefore = await waiting();
    const ids: string[] = [];
    for (let made = 0; made < REVIEWED_CASES; made += 1) ids.push(await inReview(`Nr${made}`));
    await open('/', /Good to see you/);
    await page.getByRole('link', { name: 'Review the next case' }).press('Enter');
    const heading = page.getByRole('heading', { level: 1 });
    await page.getByRole('heading', { level: 1, name: /Byrne/ }).waitFor();
    const startMs = performance.now();
    for (let decided = 0; decided < REVIEWED_CASES; decided += 1) {
      const name = await heading.innerText();
      await page.waitForFunction(allPicturesLoaded);
      await page.keyboard.press('1');
      await page.keyboard.press(decided % 2 === 0 ? 'a' : 'd');
      await page.waitForFunction((before) => document.querySelector('h1')?.textContent !== before, name);
    }
    const perMinute = Math.round((60_000 * REVIEWED_CASES) / (performance.now() - startMs));
    t.diagnostic(`${REVIEWED_CASES} cases, ${perMinute} a minute`);
    // A timing in the suite would measure the load of the machine, so it counts only in a measurement of many cases.
    if (process.env.GROVE_REVIEW_CASES) assert.ok(perMinute >= 20, `${perMinute} cases a minute`);
    for (const id of ids.slice(0, -waitedBefore)) {
      const path = `/api/process-manager/auditEvents?processInstanceId=${id}&size=100`;
      const { body } = await stage.app.call(path, { token });
      const actions = body.content.map(({ action }: { action: string }) => action);
      for (const action of ['userData.itemRead', 'review.claimed']) assert.ok(actions.includes(action), action);
    }
    assert.equal(await waiting(), waitedBefore, 'as many were decided as were added');
  });

  it('a reviewer who decides before the case is claimed and the next one is known is led to that one', async () => {
    const [first, second] = [await inReview('Swift'), await inReview('Later')];
    const slow = /\/reviews(\?.*assigned=UNCLAIMED|\/[^/]+\/claim$)/;
    const decided = Promise.withResolvers<void>();
    await page.route(slow, async (route) => {
      await decided.promise;
      await route.continue();
    });
    await page.goto(`${stage.address}/console/reviews/${first}`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.keyboard.press('1');
    const [approval] = await Promise.all([page.waitForResponse(/\/approve$/), page.keyboard.press('a')]);
    assert.equal(approval.status(), 200);
    decided.resolve();
    await page.getByRole('heading', { level: 1, name: 'Later Byrne' }).waitFor();
    await page.unroute(slow);
    const token = await stage.app.token(stage.testKey);
    const path = `/api/process-manager/reviews/${second}/approve`;
    await stage.app.call(path, { method: 'POST', token, body: JSON.stringify({ comment: 'seen' }) });
  });

  it('Ctrl-K jumps to a verification by name', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Jump to' }).fill('Grace');
    await page.getByRole('option', { name: /Grace Byrne/ }).waitFor();
    await keep('palette');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Grace Byrne' }).waitFor();
    // Keys and users are found as well, users also by their id.
    const jumpTo = async (words: string, option: RegExp, heading: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Jump to' }).fill(words);
      await page.getByRole('option', { name: option }).click();
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    };
    await jumpTo('ada', /^ada customers/, 'ada');
    const id = page.url().split('/').at(-1) ?? '';
    await jumpTo('test', /^test API keys/, 'API keys');
    assert.equal(new URL(page.url()).searchParams.get('name'), 'test');
    await jumpTo(id.toLowerCase(), /^ada customers/, 'ada');
  });

  it('each number of the first screen is that of its linked list, and times show UTC on hover', async () => {
    // A browser whose clock equals the server's.
    const other = await stage.page();
    await other.clock.setFixedTime(stage.app.clock.now());
    await other.context().addCookies(await page.context().cookies());
    await other.goto(`${stage.address}/console/`);
    await other.getByRole('radiogroup', { name: 'Environment' }).getByText('Test').click();
    await other.getByText('You are looking at test data.').waitFor();
    await settled(other);
    for (const name of ['Accepted', 'Declined']) {
      const link = other.getByRole('link', { name: new RegExp(`^${name}, today: [1-9]`) });
      const total = Number((await link.getAttribute('aria-label'))?.split(': ')[1]);
      await link.click();
      await other.getByRole('heading', { level: 1, name: 'Verifications' }).waitFor();
      await other.getByText(`${total} entr`).waitFor();
      await other.goBack();
    }
    await other.getByRole('link', { name: /^Waiting for review: / }).click();
    await other.getByRole('heading', { level: 1, name: 'Reviews' }).waitFor();
    const time = other.getByRole('table').locator('time').first();
    const at = (await time.getAttribute('datetime')) ?? '';
    assert.equal(await time.getAttribute('title'), `${at.slice(0, 19).replace('T', ' ')} UTC`);
    await other.context().close();
  });

  it('a case is assigned to a colleague, found among those of its definition, and cancelled', async () => {
    const id = await inReview('Nadia');
    await open(`/reviews/${id}`, /Nadia Byrne/);
    await page.getByRole('combobox', { name: 'Assign to…' }).selectOption({ label: 'Olga Owner' });
    await page.getByText('Assigned to Olga Owner (olga@acme.com)').waitFor();
    await keep('assigned');
    await open('/reviews?view=mine', /Reviews/);
    await page.getByRole('table').getByText('Nadia Byrne').waitFor();
    await page.getByRole('searchbox', { name: 'Definition' }).fill('age-check');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing matches these filters').waitFor();
    await keep('reviews-of-definition');
    await page.getByRole('button', { name: 'Remove filter: Definition' }).click();
    await page.getByRole('table').getByText('Nadia Byrne').waitFor();
    await open(`/instances/${id}`, /Nadia Byrne/);
    await page.getByRole('button', { name: 'Cancel verification' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel verification' });
    await dialog.getByText('This cannot be undone.').waitFor();
    assert.deepEqual(await axe(), []);
    await keep('cancel');
    await dialog.getByRole('button', { name: 'Cancel verification' }).click();
    await page.getByText('Abandoned', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel verification' }).waitFor({ state: 'detached' });
  });

  it('the audit trail shows who changed which value, and from where; it is filtered by the name of the person', async () => {
    const body = JSON.stringify({ redirectOrigins: ['https://shop.example'], reviewReasons: [] });
    const token = await stage.app.token(stage.testKey);
    await stage.app.call('/api/process-manager/settings', { method: 'POST', token, body });
    await open('/audit?action=processSettings.updated', /Audit trail/);
    const row = page.getByRole('row', { name: /processSettings\.updated/ }).first();
    const text = await row.innerText();
    assert.match(
      text,
      /API Key: test[\s\S]*redirectOrigins\s*\+ "https:\/\/shop\.example"\s*Members of the request: reviewReasons/,
    );
    assert.match(text, /127\.0\.0\.1/);
    await keep('audit-change');
    await open('/audit', /Audit trail/);
    await page.getByRole('combobox', { name: 'Person' }).fill('Olga');
    await page.getByRole('option', { name: 'Olga Owner' }).click();
    await page.getByRole('button', { name: 'Remove filter: Person' }).waitFor();
    await page.waitForURL(/operatorId=/);
    await page.getByRole('table').getByText('Olga Owner').first().waitFor();
    await settled(page);
    const actors = await page.getByRole('table').locator('td[data-title=Who]').allInnerTexts();
    assert.deepEqual([...new Set(actors)], ['Olga Owner (olga@acme.com)']);
    const settings = { redirectOrigins: [] };
    const back = { method: 'POST', token, body: JSON.stringify(settings) };
    await stage.app.call('/api/process-manager/settings', back);
  });

  it('closed reviews are filtered in the address, and a list is saved as CSV', async () => {
    await open('/reviews?view=closed&verdict=REJECTED', /Reviews/);
    const verdicts = async () =>
      page
        .getByRole('table')
        .getByText(/^(Approved|Declined)$/)
        .allInnerTexts();
    assert.deepEqual([...new Set(await verdicts())], ['Declined']);
    await page.getByRole('button', { name: 'Remove filter: Verdict' }).click();
    await page.getByRole('table').getByText('Approved').first().waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8').split('\r\n');
    assert.match(lines[0] ?? '', /^"Person","Verdict","Reason"/);
    assert.ok(lines.length > 3);
  });

  const tools = { stage: () => stage, page: () => page, open, axe, keep };
  testCaseWork(tools);
  testRoles(tools);
  testExports(tools);
  testRedaction(tools);
  testStoreUsers(tools);
  testLongDefinition(tools);
  testDefinitionText(tools);
  testScreens(tools);

  it('the tenant’s own reasons are offered to reviewers, and the keys can be switched off', async () => {
    await open('/settings', /Settings/);
    await page
      .getByRole('region', { name: 'Server' })
      .getByText(/Grove \d/)
      .waitFor();
    await page.getByRole('combobox', { name: 'Reasons for reviewers' }).fill('Known to the branch');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const id = await inReview('Rosa');
    await open(`/reviews/${id}`, /Rosa Byrne/);
    await page.getByRole('button', { name: '1 · Known to the branch' }).waitFor();
    await page.getByRole('switch', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('1');
    assert.equal(await page.getByRole('textbox', { name: /^Reason/ }).inputValue(), '');
    await page.getByRole('switch', { name: 'Keyboard shortcuts' }).click();
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('1');
    assert.equal(await page.getByRole('textbox', { name: /^Reason/ }).inputValue(), 'Known to the branch');
    await page.keyboard.press('a');
    await page.getByText('Approved', { exact: true }).first().waitFor();
  });

  it('a delivery shows the request and the response, and a failed one is sent again under its id', async () => {
    const receiver = await openReceiver((_request, answer) => void answer.writeHead(500).end('unknown field: name'));
    const webhook = { name: 'crm', uri: receiver.uri, events: ['*'], retryIntervalsMs: [] };
    const { id } = await make('/api/notification-service/webhooks', webhook);
    await open(`/webhooks/${id}`, /crm/);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await receiver.arrived(1);
    await page.getByRole('row', { name: /webhook.test/ }).waitFor();
    await page.reload();
    const row = page.getByRole('row', { name: /webhook.test.*Failed/ });
    await row.getByRole('button', { name: 'Show' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delivery' });
    await dialog.getByText('unknown field: name').waitFor();
    await still(page);
    assert.deepEqual(await axe(), []);
    await keep('delivery');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Resend failed deliveries' }).click();
    await page.getByRole('dialog').getByLabel('What failed within the last').selectOption('1');
    await page.getByRole('dialog').getByRole('button').last().click();
    await receiver.arrived(2);
    const [first, second] = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(first, second);
    await receiver.close();
  });

  it('a relying party is added and changed; an inconsistent one is refused with a reason', async () => {
    await open('/stores/customers', /customers/);
    await page.getByRole('button', { name: 'Add passkey party' }).click();
    const dialog = page.getByRole('dialog');
    const config = dialog.getByLabel('Configuration');
    await config.fill('{"rpId": "example.com", "rpName": "Shop", "restrictedOrigins": ["https://evil.example"]}');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('alert')
      .getByText(/evil\.example|origin/i)
      .first()
      .waitFor();
    await config.fill('{"rpId": "example.com", "rpName": "Shop", "restrictedOrigins": ["https://www.example.com"]}');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row', { name: /example\.com/ });
    await row.getByRole('button', { name: 'Edit' }).click();
    const edited = page.getByRole('dialog', { name: 'example.com' });
    await edited.getByLabel('Configuration').fill('{"rpName": "Shop of Ada"}');
    await edited.getByRole('button', { name: 'Save' }).click();
    await row.getByText(/Shop of Ada/).waitFor();
  });

  it('a custom page is uploaded, shown in a sandboxed frame, deployed and withdrawn', async () => {
    await open('/pages', /Custom pages/);
    await page.getByRole('button', { name: 'New page' }).click();
    const dialog = page.getByRole('dialog', { name: 'New page' });
    await dialog.getByLabel('Name').fill('welcome');
    const zip = pageZip([], '<!doctype html><title>Welcome</title><h1>Hello</h1>');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: 'Choose a zip file' }).click(),
    ]);
    await chooser.setFiles({ name: 'welcome.zip', mimeType: 'application/zip', buffer: zip });
    await dialog.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('heading', { level: 1, name: 'welcome' }).waitFor();
    const row = page.getByRole('row', { name: /welcome v1/ });
    await row.getByRole('button', { name: 'Preview' }).click();
    const frame = page.locator('iframe.phone');
    await page.frameLocator('iframe.phone').getByRole('heading', { name: 'Hello' }).waitFor();
    assert.equal(await frame.getAttribute('sandbox'), 'allow-scripts allow-forms');
    assert.deepEqual(await axe(), []);
    await keep('custom-page');
    await row.getByRole('button', { name: 'Deploy' }).click();
    await row.getByRole('button', { name: 'Withdraw' }).click();
    await row.getByText('Archived').waitFor();

    // Its files are edited as texts; saving creates the next version.
    await row.getByRole('link', { name: 'Edit the files' }).click();
    await page.getByRole('heading', { level: 1, name: 'Files of welcome' }).waitFor();
    const source = page.getByRole('textbox', { name: 'index.html' });
    await source.getByText('<h1>Hello</h1>').waitFor();
    const save = page.getByRole('button', { name: 'Save as the next version' });
    assert.ok(await save.isDisabled(), 'nothing was changed yet');
    await write(
      source,
      '<!doctype html><title>Welcome</title><link rel="stylesheet" href="look.css"><h1>Good day</h1>',
    );
    await page.getByRole('textbox', { name: 'New file' }).fill('look.css');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await write(page.getByRole('textbox', { name: 'look.css' }), 'h1 { color: #0b5e4a; }');
    await checkScreen(tools, 'page-source');
    await save.click();
    const next = page.getByRole('row', { name: /welcome v2/ });
    await next.getByRole('button', { name: 'Preview' }).click();
    const greeting = page.frameLocator('iframe.phone').getByRole('heading', { name: 'Good day' });
    await greeting.waitFor();
    assert.equal(await greeting.evaluate((element) => getComputedStyle(element).color), 'rgb(11, 94, 74)');
    // An invalid page is refused, and the input stays.
    await next.getByRole('link', { name: 'Edit the files' }).click();
    await page.getByRole('textbox', { name: 'New file' }).fill('run.exe');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('This file is not a text. It stays as it is.').waitFor();
    await save.click();
    await page
      .getByRole('alert')
      .getByText(/run\.exe/)
      .waitFor();
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Custom pages' }).click();
    await page.getByRole('row', { name: /welcome v2/ }).waitFor();
  });

  it('a definition is built in the outline by keyboard, and a change is undone', async () => {
    await open('/definitions/new', /New definition/);
    const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    await page.getByRole('combobox', { name: 'Add a step' }).fill('consent');
    await page
      .getByRole('option', { name: /consent/i })
      .first()
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
    await steps.filter({ hasText: '3. consent' }).getByRole('button', { name: 'Up' }).press('Enter');
    await steps.filter({ hasText: '2. consent' }).waitFor();
    await page.getByText('No faults.').waitFor();
    assert.deepEqual(await axe(), []);
    await keep('outline');
    await steps.filter({ hasText: 'decide' }).getByRole('button', { name: 'Remove' }).press('Enter');
    await page.getByText('This cannot be deployed yet').waitFor();
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByText('No faults.').waitFor();
    // The second click of a double click falls on the step that takes the place of the removed one.
    const numSteps = await steps.count();
    await steps.nth(1).getByRole('button', { name: 'Remove' }).dblclick();
    assert.equal(await steps.count(), numSteps - 1);
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByText('No faults.').waitFor();
    // The canvas says the same, and is used by keyboard, too.
    await page.getByText('Canvas', { exact: true }).click();
    const node = (name: RegExp) => page.getByRole('listbox', { name: 'Steps' }).getByRole('option', { name });
    await node(/1\. document/).press('ArrowDown');
    await node(/2\. consent/)
      .and(page.locator('[aria-selected=true]'))
      .waitFor();
    await page.keyboard.press('Alt+ArrowDown');
    await node(/3\. consent/).waitFor();
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await node(/2\. consent/).waitFor();
    assert.deepEqual(await axe(), []);
    await keep('canvas');
    await resize(page, PHONE);
    await still(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, 'the canvas fits a phone');
    await resize(page, DESKTOP);
    await page.getByText('Document', { exact: true }).click();
    const types = (await documentOf(page)).steps.map(({ type }) => type);
    assert.deepEqual(types, ['document', 'consent', 'face', 'decision']);
    page.once('dialog', (dialog) => dialog.accept());
  });

  it('a form is built with fields, rules and words in two languages, and shown by the journey itself', async () => {
    await open('/definitions/new', /New definition/);
    await page.getByRole('combobox', { name: 'Add a step' }).fill('form');
    await page.getByRole('option', { name: 'form', exact: true }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const fields = page.getByRole('list', { name: 'Fields' }).getByRole('listitem');
    const phone = page.frameLocator('iframe.phone');
    await phone.getByLabel('First name').waitFor();
    await page.getByRole('button', { name: 'Add a field' }).click();
    const second = fields.nth(1);
    await second.getByLabel('Name in the data').fill('pet');
    await second.getByLabel('Kind').selectOption('choice');
    await second.getByLabel('Label (en)').fill('Your pet');
    await second.getByLabel('Options').fill('cat');
    await page.keyboard.press('Enter');
    // Key by key: what is shown beside it must not take the focus away.
    await second.getByLabel('Words for “cat” (en)').pressSequentially('A cat', { delay: 50 });
    assert.equal(await second.getByLabel('Words for “cat” (en)').inputValue(), 'A cat');
    await second.getByRole('button', { name: 'Up' }).press('Enter');
    await fields.filter({ hasText: '1. pet' }).waitFor();
    await phone.getByText('A cat').waitFor({ state: 'attached' });
    // The journey's own rules: the form says what is missing.
    await phone.getByRole('button', { name: 'Continue' }).click();
    await phone
      .getByRole('alert')
      .getByText(/First name/)
      .waitFor();
    await page.getByLabel('Language of the words').selectOption('de');
    await fields.nth(0).getByLabel('Label (de)').fill('Ihr Haustier');
    await phone.getByText('Ihr Haustier').waitFor();
    await phone.getByRole('button', { name: 'Weiter' }).waitFor();
    await page.getByText('Some words are missing in: de').waitFor();
    await still(page);
    assert.deepEqual(await axe(), []);
    await keep('form-builder');
    await resize(page, PHONE);
    await still(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, 'the builder fits a phone');
    await resize(page, DESKTOP);
    await page.getByText('No faults.').waitFor();
    await page.getByText('Document', { exact: true }).click();
    const form = (await documentOf(page)).steps.find(({ type }) => type === 'form');
    assert.ok(form);
    assert.deepEqual(form.schema, {
      type: 'object',
      required: ['pet', 'firstName'],
      properties: {
        pet: {
          type: 'string',
          enum: ['yes', 'no', 'cat'],
          labels: { cat: 'A cat' },
          title: { en: 'Your pet', de: 'Ihr Haustier' },
        },
        firstName: { type: 'string', maxLength: 200 },
      },
    });
    page.once('dialog', (dialog) => dialog.accept());
  });

  it('a condition is tried with values; a version with faults is not deployed and says which; a copy is compared', async () => {
    const steps = [
      { id: 'page', type: 'customPage', page: 'not-there', when: "params.country == 'DE'" },
      { id: 'decide', type: 'decision' },
    ];
    const { id } = await make('/api/process-manager/processDefinitions', { name: 'faulty', steps });
    await open(`/definitions/${id}`, /faulty v1/);
    await page
      .getByText(/not-there/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Deploy' }).click();
    await page
      .locator('.mantine-Notifications-notification')
      .getByText(/\/steps\/0\/page/)
      .waitFor();
    await page.getByRole('button', { name: 'Edit' }).first().click();
    await page.getByRole('button', { name: 'Try the condition' }).click();
    await page.getByRole('button', { name: 'Try the condition' }).click();
    await page.getByText('True: the step runs.').waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /Export/ }).click(),
    ]);
    assert.equal(JSON.parse(readFileSync(await file.path(), 'utf8')).name, 'faulty');
    await make('/api/process-manager/processDefinitions', { name: 'faulty', steps: steps.slice(1) });
    await page.reload();
    await page.getByRole('combobox', { name: /Compare/ }).click();
    await page.getByRole('option', { name: 'faulty v2' }).click();
    await page
      .getByRole('region', { name: /Compare/ })
      .getByText(/\+ .*"customPage"/)
      .waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: /copy|clone/i }).click();
    await page.getByRole('heading', { level: 1, name: 'New definition' }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'faulty-copy');
  });

  it('a draft that somebody else has stored meanwhile is not overwritten before one has seen the difference', async () => {
    const steps = [{ id: 'decide', type: 'decision' }];
    const { id } = await make('/api/process-manager/processDefinitions', { name: 'shared', steps });
    await open(`/definitions/${id}`, /shared v1/);
    stage.app.clock.advance(1000);
    await make(`/api/process-manager/processDefinitions/${id}`, { name: 'shared', description: 'theirs', steps });
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: /^id/ }).fill('mine');
    await page.getByRole('button', { name: 'Save' }).click();
    const stale = page.getByRole('alert');
    await stale.getByText(/saved another change meanwhile/).waitFor();
    assert.match(await stale.innerText(), /- {3}"description": "theirs"/);
    assert.deepEqual(await axe(), []);
    await keep('stale');
    await stale.getByRole('button', { name: 'Save mine over it' }).click();
    await stale.waitFor({ state: 'detached' });
    const token = await stage.app.token(stage.testKey);
    const { body } = await stage.app.call(`/api/process-manager/processDefinitions/${id}`, { token });
    assert.deepEqual([body.document.steps[0].id, body.document.description], ['mine', undefined]);
  });

  it('a start link is limited by its number of uses, and shown as a QR code', async () => {
    await open('/tokens', /Start links/);
    await page.getByRole('button', { name: 'New start link' }).click();
    const dialog = page.getByRole('dialog', { name: 'New start link' });
    await dialog.getByLabel('Name').first().fill('Front desk');
    await dialog.getByText('40 characters left').waitFor();
    await dialog.getByLabel('May be used').selectOption('MULTI_USE_COUNT_LIMITED');
    await dialog.getByLabel('How often').fill('3');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'detached' });
    await open('/tokens?name=Front%20desk', /Start links/);
    const row = page.getByRole('row', { name: /Front desk/ });
    assert.match(await row.innerText(), /0 \/ 3/);
    await row.getByRole('button', { name: 'QR code' }).click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    await still(page);
    assert.deepEqual(await axe(), []);
    await page.keyboard.press('Escape');
  });

  it('verifications are chosen and deleted together; what is left of one is its receipt', async () => {
    await open('/instances?q=Linus', /Verifications/);
    await page.getByRole('button', { name: 'Remove filter: Search' }).waitFor();
    const link = page.getByRole('link', { name: 'Linus Byrne' });
    const address = (await link.getAttribute('href')) ?? '';
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Delete 1 verification' }).click();
    await page.getByRole('dialog').getByLabel('1').fill('1');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await link.waitFor({ state: 'detached' });
    await page.goto(`${stage.address}${address}`);
    await page.getByRole('heading', { level: 1, name: 'This verification was erased' }).waitFor();
    await settled(page);
    assert.deepEqual(await axe(), []);
    await keep('tombstone');
  });

  it('a role of the own is made, changed and deleted', async () => {
    await open('/operators', /People/);
    await page.getByRole('button', { name: 'New role' }).click();
    const dialog = page.getByRole('dialog', { name: 'New role' });
    await dialog.getByRole('textbox', { name: /^Name/ }).fill('Front desk');
    await dialog.getByLabel('Permissions').fill('ProcessManager:listReviews');
    await page.getByRole('option', { name: 'ProcessManager:listReviews', exact: true }).click();
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row', { name: /Front desk/ });
    await row.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Description').fill('Sees what waits');
    await page.getByRole('dialog', { name: 'Edit Front desk' }).getByRole('button', { name: 'Save' }).click();
    await row.getByText('Sees what waits').waitFor();
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByLabel('Front desk').fill('Front desk');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('every screen has no fault of accessibility, light and dark, and fits a phone', async () => {
    const faults: string[] = [];
    const look = async (where: string, colours?: 'only') =>
      faults.push(...(await axe(colours && { colours })).map((fault) => `${where}: ${fault}`));
    const lookInTheDark = async (path: string, name: string) => {
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
      // Nothing but colours differs in the dark.
      await look(`${path}, dark`, 'only');
      await keep(`${name}-dark`);
      await page.emulateMedia({ colorScheme: 'light' });
    };
    await open('/', /Good to see you/);
    for (const [at, [path, heading, name]] of SCREENS_OF.entries()) {
      await go(path, heading);
      await look(`${path}, light`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > DESKTOP.width) faults.push(`${path} is ${width} px wide on a desktop`);
      await keep(name);
      if (IS_LONG || at < IN_THE_DARK) await lookInTheDark(path, name);
      await resize(page, PHONE);
      await page.getByRole('button', { name: 'Menu', exact: true }).waitFor();
      await still(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > 360) faults.push(`${path} is ${wide} px wide on a phone`);
      await keep(`${name}-phone`);
      await resize(page, DESKTOP);
    }
    assert.deepEqual(faults, []);
  });

  it('speaks German and Arabic, from right to left', async () => {
    await page.getByRole('radiogroup', { name: 'Language' }).getByText('AR').click();
    await page.getByRole('heading', { level: 1, name: 'حسابك' }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.dir), 'rtl');
    await open('/reviews', /المراجعات/);
    assert.deepEqual(await axe(), []);
    await keep('reviews-ar');
    await open('/usage', /الاستخدام/);
    await keep('usage-ar');
    await open('/themes/brand', /brand/);
    await keep('theme-ar');
    await open('/reviews', /المراجعات/);
    await page.getByRole('radiogroup', { name: 'اللغة' }).getByText('DE').click();
    await page.getByRole('heading', { level: 1, name: 'Prüfungen' }).waitFor();
    await page.getByRole('radiogroup', { name: 'Sprache' }).getByText('EN').click();
  });

  it('colours that cannot be read are not saved, and the preview is a page of the journey', async () => {
    await open('/themes/brand', /brand/);
    const phone = page.frameLocator('iframe.phone');
    await phone.getByLabel('First name').waitFor();
    const colour = (name: string) => page.getByRole('textbox', { name, exact: true });
    const background = () =>
      page
        .frames()
        .find((frame) => frame.url().endsWith('/web/preview'))
        ?.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--primary'));
    assert.equal(await background(), '#1f6b4f');
    const before = await colour('Text').inputValue();
    await colour('Text').fill('#eeeeee');
    await page
      .getByText(/cannot be read/)
      .first()
      .waitFor();
    assert.ok(await page.getByRole('button', { name: 'Save' }).first().isDisabled());
    await colour('Text').fill(before);
    await keep('theme-preview');
  });

  it('an operator of the installation makes, suspends and resumes a tenant; nobody else sees the screen', async () => {
    await page.goto(`${stage.address}/console/installation`);
    await page.getByRole('heading', { name: 'Your role does not include this' }).waitFor();
    const people = await stage.app.app.operators.list(asTenantId('acme'));
    const owner = people.find(({ name }) => name === 'Olga Owner');
    await stage.app.app.operators.setInstallation(asTenantId('acme'), owner?.id ?? '', true);
    await open('/installation', /Installation/);
    await page.getByRole('button', { name: 'New tenant' }).click();
    const dialog = page.getByRole('dialog', { name: 'New tenant' });
    await dialog.getByLabel('Id').fill('globex');
    await dialog.getByLabel('Name').fill('Globex');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const link = page.getByRole('dialog', { name: 'Send this link' });
    assert.match(await link.locator('pre').innerText(), /globex\.fir\.localhost:\d+\/console\/#invite=/);
    await link.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /globex/ });
    await row.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('dialog').getByLabel('globex').fill('globex');
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await row.getByText('Suspended').waitFor();
    await still(page);
    assert.deepEqual(await axe(), []);
    await keep('installation');
    await row.getByRole('button', { name: 'Activate' }).click();
    await row.getByText('Active').waitFor();
    await stage.app.app.operators.setInstallation(asTenantId('acme'), owner?.id ?? '', false);
  });

  it('whoever is invited sees what the role permits, and nothing more', async () => {
    await open('/operators', /People/);
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite' });
    await dialog.getByLabel('Name').fill('Anna Auditor');
    await dialog.getByLabel('E-mail').fill('anna@acme.com');
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Auditor' }).click();
    await dialog.getByRole('button', { name: 'Invite' }).click();
    const link = await page.getByRole('dialog', { name: 'Send this link' }).locator('pre').innerText();
    const other = await stage.page();
    await other.goto(link);
    await other.getByRole('button', { name: 'Make a passkey' }).click();
    await other.getByRole('heading', { name: /Good to see you, Anna Auditor/ }).waitFor();
    const links = await other.getByRole('navigation').getByRole('link').allInnerTexts();
    assert.deepEqual(links, [
      'Home',
      'Reviews',
      'Verifications',
      'Start links',
      'Definitions',
      'Usage',
      'Themes',
      'Custom pages',
      'API keys',
      'Webhooks',
      'Secrets',
      'Audit trail',
      'People',
      'Settings',
    ]);
    await other.goto(`${stage.address}/console/keys`);
    await other.getByRole('heading', { name: 'API keys' }).waitFor();
    assert.equal(await other.getByRole('button', { name: 'New API key' }).count(), 0);
    await other.context().close();
    await page.getByRole('button', { name: 'Done' }).click();
  });

  it('somebody without a passkey signs in with a link by e-mail and an authenticator app', async () => {
    const token = await stage.app.token();
    const invited = { name: 'Tim Totp', email: 'tim@acme.com', role: 'Auditor' };
    const [method, body] = ['POST', JSON.stringify(invited)];
    assert.equal((await stage.app.call('/api/operator-manager/operators', { method, token, body })).status, 201);
    const person = await stage.page();
    await person.goto(`${stage.address}/console/`);
    const { length } = stage.mails.mails;
    await person.getByLabel('E-mail').fill('tim@acme.com');
    await person.getByRole('button', { name: 'Send me a link by e-mail' }).click();
    await person.getByText(/a link is on its way/).waitFor();
    const { text } = await stage.mails.arrived(length + 1);
    await person.goto(/http\S+#email=\S+/.exec(text)?.[0] ?? '');
    await person.getByText('First set up an authenticator app').waitFor();
    await still(person);
    assert.deepEqual(await axeFaults(person), []);
    await keep('email-link', person);
    const uri = (await person.getByRole('link', { name: 'Open the app on this device' }).getAttribute('href')) ?? '';
    const code = (at: number) => (URI.parse(uri) as TOTP).generate({ timestamp: at });
    await person.getByLabel('Code of your authenticator app').fill('000000');
    await person.getByRole('button', { name: 'Sign in', exact: true }).click();
    await person.getByText('That code was not accepted.').waitFor();
    await person.getByLabel('Code of your authenticator app').fill(code(stage.app.clock.now()));
    await person.getByRole('button', { name: 'Sign in', exact: true }).click();
    await person.getByRole('heading', { name: /Good to see you, Tim Totp/ }).waitFor();
    assert.ok(!person.url().includes('email='));
    // What is destructive is confirmed by a code; a while has gone by since the last one.
    stage.app.clock.advance(11 * 60_000);
    await person.goto(`${stage.address}/console/account`);
    await person.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = person.getByRole('dialog', { name: 'Confirm' });
    await dialog.getByLabel('Code of your authenticator app').fill(code(stage.app.clock.now()));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await person.getByText(/^Passkey 1/).waitFor();
    await person.context().close();
  });

  it('five wrong codes lock whoever tries them', async () => {
    const body = JSON.stringify({ name: 'Lou Locked', email: 'lou@acme.com', role: 'Auditor' });
    const invitation = { method: 'POST', token: await stage.app.token(), body };
    assert.equal((await stage.app.call('/api/operator-manager/operators', invitation)).status, 201);
    const person = await stage.page();
    await person.goto(`${stage.address}/console/`);
    const { length } = stage.mails.mails;
    await person.getByLabel('E-mail').fill('lou@acme.com');
    await person.getByRole('button', { name: 'Send me a link by e-mail' }).click();
    const { text } = await stage.mails.arrived(length + 1);
    await person.goto(/http\S+#email=\S+/.exec(text)?.[0] ?? '');
    const code = person.getByLabel('Code of your authenticator app');
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      await code.fill('000000');
      await person.getByRole('button', { name: 'Sign in', exact: true }).click();
      // The field is empty again once the attempt is over.
      await code.and(person.locator('[value=""]')).waitFor();
    }
    await code.fill('000000');
    await person.getByRole('button', { name: 'Sign in', exact: true }).click();
    await person.getByText(/Too many attempts failed/).waitFor();
    await person.context().close();
  });

  it('somebody signs in with an account of the company, as the owner has set it up', async () => {
    const provider = await openTestProvider(`${stage.address}/console/single-sign-on`);
    const { hostname, host } = new URL(provider.issuer);
    const secret = { name: 'sso', value: CLIENT_SECRET, hosts: [host] };
    const [token, body] = [await stage.app.token(), JSON.stringify(secret)];
    await stage.app.call('/api/process-manager/cloudSecrets', { method: 'POST', token, body });
    await open('/operators', /People/);
    await page.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog', { name: 'Single sign-on' });
    await dialog.getByLabel('Issuer').fill(provider.issuer);
    await dialog.getByLabel('Client ID').fill('grove');
    await dialog.getByLabel('Name of the secret').fill('sso');
    await dialog.getByRole('textbox', { name: /^Group/ }).fill('reviewers');
    await still(page);
    assert.deepEqual(await axeFaults(page), []);
    await keep('single-sign-on');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`People may sign in with their account at ${provider.issuer}`).waitFor();
    const person = await stage.page();
    provider.add({ sub: 'jane', name: 'Jane Doe', groups: ['reviewers'] });
    await person.context().addCookies([{ name: 'account', value: 'jane', domain: hostname, path: '/' }]);
    await person.goto(`${stage.address}/console/`);
    await person.getByRole('button', { name: 'Sign in with single sign-on' }).click();
    await person.getByRole('link', { name: 'Reviews' }).waitFor();
    assert.equal(new URL(person.url()).search, '', 'the answer of the provider is not left in the address');
    await person.context().close();
    await provider.close();
  });

  it('loads at most 180 kB of scripts, compressed, before a screen', () => {
    type Chunk = { file: string; imports?: string[] };
    const manifest = JSON.parse(readFileSync(`${DIST}/manifest.json`, 'utf8')) as Record<string, Chunk>;
    const files = new Set<string>();
    const add = (name: string) => {
      const { file, imports = [] } = manifest[name] as Chunk;
      if (files.has(file)) return;
      files.add(file);
      for (const each of imports) add(each);
    };
    add('index.html');
    const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(`${DIST}/${file}`)).length, 0);
    assert.ok(bytes > 50_000 && bytes <= 180_000, `${bytes} bytes`);
  });

  it('holds no secret in the page, and signing out ends the session', async () => {
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    const policies = await Promise.all(
      [1, 2].map(async () => (await fetch(`${stage.app.baseUrl}/console/`)).headers.get('content-security-policy')),
    );
    assert.match(policies[0] ?? '', /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{22}';/);
    assert.doesNotMatch(policies[0] ?? '', /unsafe/);
    assert.notEqual(policies[0], policies[1]);
    const [cookie] = await page.context().cookies();
    assert.ok(cookie?.httpOnly && cookie.sameSite === 'Strict');
    assert.ok(!stored.includes(cookie.value.slice(27)));
    // A browser that offers passkeys in a field would sign in by itself.
    await offerInField(page, false);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Grove' }).waitFor();
    assert.deepEqual(await axe(), []);
    await keep('sign-in');
    await page.context().addCookies([cookie]);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to Grove' }).waitFor();
    assert.equal(await page.getByLabel('E-mail').getAttribute('autocomplete'), 'username webauthn');
  });

  it('the offer of passkeys in the field does not interrupt whoever has pressed the button', async () => {
    await offerInField(page, true);
    // The offer is held up until the passkey is asked for by the button.
    const held = Promise.withResolvers<void>();
    let starts = 0;
    await page.route('**/signIn/start', async (route) => {
      starts += 1;
      if (starts === 1) await held.promise;
      await route.continue();
    });
    const answer = () => page.waitForResponse('**/signIn/start');
    await page.reload();
    const button = page.getByRole('button', { name: 'Sign in with a passkey' });
    await setPresence(page, false);
    await Promise.all([answer(), button.click()]);
    await Promise.all([answer(), held.resolve()]);
    await settled(page);
    assert.deepEqual([starts, await page.getByRole('alert').count()], [2, 0]);
    assert.deepEqual(await page.evaluate(() => (window as { offered?: true }).offered), undefined);
    await page.unroute('**/signIn/start');
    await setPresence(page, true);
    await offerInField(page, false);
    await page.reload();
    await button.click();
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
  });
});

/** Whether the browser has conditional requests. What it offers in a field is never chosen. */
async function offerInField(page: Page, isOffered: boolean): Promise<void> {
  const change = (isKnown: boolean) => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => isKnown;
    const { get } = CredentialsContainer.prototype;
    CredentialsContainer.prototype.get = function (options) {
      if (options?.mediation !== 'conditional') return get.call(this, options);
      Object.assign(window, { offered: true });
      return new Promise((_, reject) =>
        options.signal?.addEventListener('abort', () => reject(options.signal?.reason)),
      );
    };
  };
  await page.addInitScript(change, isOffered);
  await page.evaluate(change, isOffered);
}
