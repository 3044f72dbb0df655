import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BEARER, openTestHttp } from '../../../test/http.ts';
import type { Db } from '../../db/db.ts';

const SORT = { sorted: false, unsorted: true, empty: true };
const TENANT = { headers: { authorization: BEARER } };

describe('the fast lane', () => {
  it('the fast lane gives the same answers as the server without it, headers included', async () => {
    const key = {
      id: '01M7EK55GPPBVSG5TAX910HKS7',
      name: 'grün',
      code: 'grv_live_x',
      status: 'ACTIVE',
      secretHash: 'canary',
    };
    const view = {
      type: 'PERMANENT',
      environment: 'live',
      permissions: [],
      permittedOperations: [],
      createdBy: 'x',
      createdDtm: '2026-11-15T00:00:00.000Z',
      lastUpdatedDtm: '2026-11-15T00:00:00.000Z',
      lastUpdatedBy: 'x',
    };
    const page = {
      content: [{ ...key, ...view }],
      totalElements: 1,
      totalPages: 1,
      number: 0,
      size: 10,
      numberOfElements: 1,
      first: true,
      last: true,
      empty: false,
      sort: SORT,
      pageable: { sort: SORT, pageSize: 10, pageNumber: 0, paged: true, unpaged: false, offset: 0 },
    };
    const handlers = {
      apiKeys: {
        get: () => ({ ...key, ...view }),
        list: () => page,
        delete: () => undefined,
        update: () => {
          throw new Error('a bug');
        },
      },
    };
    const tx = { write: (work: (tx: object) => unknown) => work({}) };
    const db = { of: () => tx } as unknown as Db;
    const [fast, slow] = [
      await openTestHttp({ handlers, db }),
      await openTestHttp({ handlers, db, environment: { GROVE_FAST_LANE: 'off' } }),
    ];
    try {
      const paths: [status: number, path: string, init?: RequestInit][] = [
        [200, `/api/arthr/apiKeys/${key.id}`],
        [200, '/api/arthr/apiKeys'],
        [204, `/api/arthr/apiKeys/${key.id}`, { method: 'DELETE' }],
        [500, `/api/arthr/apiKeys/${key.id}`, { method: 'POST', body: '{}' }],
        [400, '/api/arthr/apiKeys?size=none'],
        [404, '/nowhere'],
      ];
      for (const [status, path, init] of paths) {
        const [one, other] = [await answerOf(fast.baseUrl, path, init), await answerOf(slow.baseUrl, path, init)];
        assert.equal(one.status, status, path);
        assert.deepEqual(other, one, path);
        assert.ok(!one.text.includes('canary'), path);
      }
    } finally {
      await fast.stop();
      await slow.stop();
    }
  });
});

async function answerOf(baseUrl: string, path: string, init: RequestInit = {}) {
  const json = init.body ? { 'content-type': 'application/json' } : {};
  const response = await fetch(`${baseUrl}${path}`, { ...init, headers: { ...TENANT.headers, ...json } });
  const { date, 'x-request-id': requestId = '', ...headers } = Object.fromEntries(response.headers);
  assert.ok(date && requestId);
  // Node sets the headers of each connection itself.
  for (const name of ['connection', 'keep-alive', 'transfer-encoding']) delete headers[name];
  // The two servers have different ports, and each request has an id of its own.
  const text = (await response.text()).replaceAll(requestId, 'id').replaceAll(new URL(baseUrl).port, 'port');
  return { status: response.status, headers: { ...headers, 'content-length': '' }, text };
}
