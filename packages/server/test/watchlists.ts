import assert from 'node:assert/strict';
import type { Answer, TestApp } from './harness.ts';

/** Watchlists of an application, used by a caller of the API. */
export const WATCHLISTS = '/api/watchlist-manager/facewatchlists';
export const NO_LIST = '01JZ4MCW8A0C2E4G6J8M0P2R4T';

// biome-ignore lint/suspicious/noExplicitAny: an answer may be anything; the tests say what it should be.
type Body = any;

export type TestWatchlists = {
  send(path: string, body?: object, token?: string, headers?: Record<string, string>): Promise<Answer>;
  remove(path: string, token?: string): Promise<Answer>;
  newList(more?: object, token?: string): Promise<string>;
  /** A member of a list of values. */
  add(listId: string, value: string, more?: object): Promise<Answer>;
  added(listId: string, value: string, more?: object): Promise<Body>;
  addRaw(listId: string, bytes: Uint8Array): Promise<Answer>;
  /** The ids of the candidates. */
  matched(listId: string, value: string): Promise<string[]>;
};

let lists = 0;

export function testWatchlists(grove: () => TestApp): TestWatchlists {
  const send: TestWatchlists['send'] = (path, body = {}, token, headers) =>
    grove().call(`${WATCHLISTS}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      ...(token && { token }),
      ...(headers && { headers }),
    });
  const add: TestWatchlists['add'] = (listId, value, more = {}) =>
    send(`/${listId}/watchlist-members`, { value, ...more });
  return {
    send,
    add,
    remove: (path, token) => grove().call(`${WATCHLISTS}${path}`, { method: 'DELETE', ...(token && { token }) }),
    async newList(more = {}, token) {
      lists += 1;
      const { status, body, text } = await send('', { name: `list ${lists}`, type: 'DOCUMENT_NUMBER', ...more }, token);
      assert.equal(status, 201, text);
      return body.id;
    },
    async added(listId, value, more = {}) {
      const { status, body, text } = await add(listId, value, more);
      assert.equal(status, 201, text);
      return body;
    },
    addRaw: (listId, bytes) =>
      grove().call(`${WATCHLISTS}/${listId}/watchlist-member-images`, {
        method: 'POST',
        body: new Uint8Array(bytes),
        headers: { 'Content-Type': 'image/png' },
      }),
    async matched(listId, value) {
      const { status, body, text } = await send(`/${listId}/match`, { value });
      assert.equal(status, 200, text);
      return body.candidates.map(({ memberId }: { memberId: string }) => memberId);
    },
  };
}
