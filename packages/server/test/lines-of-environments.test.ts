import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TenantDb } from '../src/db/db.ts';
import { pageUsers } from '../src/identity-store/users/list-users.repository.ts';
import type { Context } from '../src/kernel/context.ts';
import type { Environment } from '../src/kernel/environment.ts';
import { ApiError } from '../src/kernel/errors.ts';
import { asTenantId } from '../src/kernel/ids.ts';
import { usageHandlers } from '../src/process-manager/usage/usage.ts';
import { runWhatIf } from '../src/process-manager/what-if/what-if.ts';
import { pageMembers } from '../src/watchlist-manager/members.repository.ts';

/**
 * Long requests of a tenant wait in one line for each environment, so that a test key does not use up the line of live
 * callers.
 */

const NOW = 1_800_000_000_000;
const BY_NAME = { orderBy: 'id', sorts: 0, size: 10, number: 0, offset: 0 };
const DEFINITION = { name: 'a-journey', steps: [{ id: 'decide', type: 'decision' }] };

type Work = (context: Context) => Promise<unknown>;
const WORKS: Readonly<Record<string, Work>> = {
  'a what-if run': (context) =>
    runWhatIf(context, { definition: DEFINITION, startDateTime: '2026-11-01T00:00:00Z' } as never),
  'figures of use': async (context) =>
    usageHandlers().get(context, { params: {}, query: {}, body: undefined } as never),
  'a search for users by a part of their names': ({ db, principal: { environment } }) =>
    pageUsers(db, { storeId: 's', environment, pattern: '%ada%', now: NOW } as never, BY_NAME),
  'a search for members by a part of their names': ({ db, principal: { environment } }) =>
    pageMembers(db, { listId: 'l', environment, pattern: '%ada%', now: NOW } as never, BY_NAME),
};

describe('long work of test callers', () => {
  for (const [name, work] of Object.entries(WORKS)) {
    it(`${name}: fills only the line of its own environment`, async () => {
      const { promise: answer, reject: loseDatabase } = Promise.withResolvers<never>();
      answer.catch(() => undefined);
      const reads: Record<Environment, number> = { live: 0, test: 0 };
      const begin = (environment: Environment) => {
        const read = () => {
          reads[environment] += 1;
          return answer;
        };
        const db = { tenantId: asTenantId('acme'), inTransaction: false, get: read, all: read, personal: read };
        const context = { db: db as unknown as TenantDb, tenantId: db.tenantId, principal: { environment }, now: NOW };
        return work(context as unknown as Context);
      };
      const tests = Array.from({ length: 30 }, () => begin('test'));
      // Only requests that find no place end before the database answers.
      const refusal = await Promise.race(tests.map((each) => each.catch((error: unknown) => error)));
      assert.equal(refusal instanceof ApiError && refusal.code, 100010);
      const live = begin('live');
      await new Promise((done) => setImmediate(done));
      assert.ok(reads.live > 0, 'a live caller begins at once');
      loseDatabase(new Error('the test is over'));
      await assert.rejects(live, /the test is over/);
      await Promise.allSettled(tests);
    });
  }
});
