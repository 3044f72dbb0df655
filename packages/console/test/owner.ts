import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { axeFaults } from '../../journey/test/axe.ts';
import { startJourney } from '../../server/test/end-user.ts';
import type { Places } from '../../server/test/harness.ts';
import type { Tools } from './case-work.ts';
import { walk } from './drawn-person.ts';
import { keepScreen } from './keep-screen.ts';
import { type ConsoleStage, openConsoleStage, settled, still } from './stage.ts';

/** A server with an owner at its console, who sees test data. */
export type Owner = Tools & {
  /** Calls the API with a test key. */
  post(path: string, body?: object): Promise<Record<string, never> & { id: string }>;
  get(path: string): Promise<Record<string, never> & { content: Record<string, string>[] }>;
  /** Makes a verification that waits for a decision. */
  inReview(firstName: string, scenario?: string): Promise<string>;
  /** Lets another operator with this role join, at a page of their own. */
  join(role: string, name: string): Promise<Page>;
  close(): Promise<void>;
};

export async function openOwner(places: Places): Promise<Owner> {
  const stage = await openConsoleStage(places);
  const page = await stage.page();
  await join(page, await stage.firstOwnerUrl(), { name: 'Olga Owner', email: 'olga@acme.com' });
  const { app, testKey } = stage;
  const send = async (path: string, init: object, key = testKey) => {
    const answer = await app.call(path, { token: await app.token(key), ...init });
    assert.ok(answer.status < 300, `${path}: ${answer.text}`);
    return answer.body;
  };
  return {
    stage: () => stage,
    page: () => page,
    async open(path, heading) {
      await page.goto(`${stage.address}/console${path}`);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await settled(page);
    },
    async axe(look) {
      await still(page);
      return axeFaults(page, look);
    },
    keep: (name, of = page) => keepScreen(name, of),
    post: (path, body = {}) => send(path, { method: 'POST', body: JSON.stringify(body) }),
    get: (path) => send(path, {}),
    async inReview(firstName, scenario = 'face-mismatch') {
      const parameters = { _scenario: scenario, firstName, lastName: 'Byrne', dateOfBirth: '1974-08-12' };
      const { user, processInstanceId } = await startJourney(app, testKey, { parameters });
      await walk(user);
      // Cases are ordered by their time, so the clock advances.
      app.clock.advance(1000);
      return processInstanceId;
    },
    async join(role, name) {
      const email = `${name.replaceAll(' ', '.').toLowerCase()}@acme.com`;
      const init = { method: 'POST', body: JSON.stringify({ name, email, role }) };
      const { url } = await send('/api/operator-manager/operators', init, app.apiKey);
      const other = await stage.page();
      await join(other, url, { name });
      return other;
    },
    async close() {
      await stage.close();
      assert.deepEqual(stage.complaints, []);
    },
  };
}

async function join(page: Page, url: string, { name, email }: { name: string; email?: string }): Promise<void> {
  await page.goto(url);
  if (email) {
    await page.getByLabel('Your name').fill(name);
    await page.getByLabel('E-mail').fill(email);
  }
  await page.getByRole('button', { name: 'Make a passkey' }).click();
  await page.getByRole('heading', { name: new RegExp(`Good to see you, ${name}`) }).waitFor();
  await page.getByRole('radiogroup', { name: 'Environment' }).getByText('Test').click();
  await page.getByText('You are looking at test data.').waitFor();
}

export type { ConsoleStage };
