import assert from 'node:assert/strict';
import { type Answer, openTestApp, type TestApp, type TestPlace } from './harness.ts';

/** An application with an identity store, and several kinds of callers. */
export type TestIdentity = TestApp & {
  /** Calls below `/api/identity-store`, as JSON. */
  send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown, token?: string): Promise<Answer>;
  /** A token of the same tenant's test environment, and one of another tenant. */
  inTest: string;
  ofOther: string;
  /** Tokens expire with the clock: this gets a new one for the first caller after the clock was moved. */
  renew(): Promise<void>;
  /** Creates a store with that configuration, and returns its address. */
  store(name: string, configuration?: object): Promise<string>;
  /** Creates a user of the store at that address, and returns the answer. */
  user(store: string, input?: object): Promise<Answer['body']>;
  /** Starts a query over events and waits for its first page. */
  query(filter: object, token?: string): Promise<{ id: string; body: Answer['body'] }>;
  /** Runs jobs until the condition holds: the application runs them too. */
  until(isSo: () => Promise<boolean>): Promise<void>;
  /** Every event of the store, the oldest first. */
  events(storeName: string): Promise<Answer['body'][]>;
};

const MAX_TRIES = 1000;

export async function openTestIdentity(place: TestPlace): Promise<TestIdentity> {
  const grove = await openTestApp(place);
  const { app, token } = grove;
  let own = await token();
  const test = await app.tenants.createApiKey(grove.tenantId, { name: 'Of tests', environment: 'test' });
  const other = await app.tenants.create({ id: 'other' });
  const send: TestIdentity['send'] = (method, path, body, token = own) =>
    grove.call(`/api/identity-store${path}`, {
      method,
      token: token,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const until = async (isSo: () => Promise<boolean>) => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      await app.jobs.runDue();
      if (await isSo()) return;
      await new Promise((turn) => setTimeout(turn, 10));
    }
    assert.fail('it did not come to be so');
  };
  const query: TestIdentity['query'] = async (filter, callerToken) => {
    const started = await send('POST', '/events/queries/start', filter, callerToken);
    assert.equal(started.status, 201, started.text);
    const id = started.body.executionId as string;
    let body: Answer['body'];
    await until(async () => {
      ({ body } = await send('GET', `/events/queries/${id}/result`, undefined, callerToken));
      return body.status === 'SUCCEEDED';
    });
    return { id, body };
  };
  return {
    ...grove,
    send,
    inTest: await token(test.apiKey),
    ofOther: await token(other.apiKey),
    async renew() {
      own = await token();
    },
    async store(name, configuration = {}) {
      const created = await send('POST', '/stores', { name, configuration });
      assert.equal(created.status, 201, created.text);
      return `/stores/${encodeURIComponent(name)}`;
    },
    async user(store, input = {}) {
      const created = await send('POST', `${store}/users`, input);
      assert.equal(created.status, 201, created.text);
      return created.body;
    },
    query,
    until,
    async events(storeName) {
      const { body } = await query({ size: 1000 });
      const mine = body.results.filter((event: { storeName: string }) => event.storeName === storeName);
      return mine.toReversed();
    },
  };
}

/** The addresses of a user: by its id, and by its external id. */
export function addressesOf(store: string, user: { id: string; extId: string }, tail = ''): [string, string] {
  return [`${store}/users/${user.id}${tail}`, `${store}/users/${encodeURIComponent(user.extId)}${tail}/ext`];
}
