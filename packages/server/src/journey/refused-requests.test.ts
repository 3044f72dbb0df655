import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type EndUser, startJourney } from '../../test/end-user.ts';
import { openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';
import { DbError } from '../db/db.ts';
import { BlobError } from '../engines/blobs/blobs.ts';
import { ApiError } from '../kernel/errors.ts';
import { asTenantId } from '../kernel/ids.ts';
import { type JourneyKey, MAX_REFUSED_JOURNEYS, openRefusedRequests } from './refused-requests.ts';
import { sessionReader } from './sessions.ts';

/** Much longer than saving all of them one after another takes. */
const MAX_TURNS = 100 * MAX_REFUSED_JOURNEYS;
const AWAY = new DbError('unavailable', new Error('away'));
const journey = (instanceId: string): JourneyKey => ({ tenantId: asTenantId('acme'), instanceId });

/** The step of `root` belongs to a child instance, as in a subprocess. */
function recorded() {
  const saved: [string, number][] = [];
  const faults: unknown[] = [];
  const fault: { error?: unknown } = {};
  const tenant = { write: async (work: (tx: never) => Promise<void>) => work(undefined as never) };
  const requests = openRefusedRequests({
    db: { of: () => tenant } as never,
    processes: {
      drive: {
        async look(_db: unknown, instanceId: string) {
          if (fault.error) throw fault.error;
          return { instance: { id: instanceId === 'root' ? 'child' : instanceId } };
        },
      } as never,
      challenges: { noteRefusal: async (_tx, instanceId, at) => void saved.push([instanceId, at]) },
    },
    onError: (_what, error) => faults.push(error),
  });
  return { ...requests, saved, faults, fault };
}

it('a request that the database refused is recorded with the first later request of the journey that succeeds', async () => {
  const { note, save, saved } = recorded();
  await note(journey('root'), 5, AWAY);
  await note(journey('root'), 6, AWAY);
  assert.deepEqual(saved, []);
  await save(journey('root'));
  await save(journey('root'));
  assert.deepEqual(saved, [['child', 5]]);
});

it('a request that the bucket refused is recorded at once', async () => {
  const { note, saved } = recorded();
  await note(journey('one'), 5, new BlobError('unavailable', 'away'));
  assert.deepEqual(saved, [['one', 5]]);
});

it('refusals that a client can cause are not recorded', async () => {
  const { note, save, saved } = recorded();
  for (const error of [new ApiError(100010), new ApiError(100007), new DbError('busy', undefined), new Error('bug')]) {
    await note(journey('one'), 5, error);
  }
  await save(journey('one'));
  assert.deepEqual(saved, []);
});

it('a refused request is remembered while the database is unavailable again, and dropped if it can never be recorded', async () => {
  const { note, save, saved, faults, fault } = recorded();
  await note(journey('one'), 5, AWAY);
  fault.error = AWAY;
  await assert.rejects(save(journey('one')), /unavailable/);
  fault.error = undefined;
  await save(journey('one'));
  assert.deepEqual(saved, [['one', 5]]);
  await note(journey('two'), 7, AWAY);
  fault.error = new Error('unreadable');
  await save(journey('two'));
  fault.error = undefined;
  await save(journey('two'));
  assert.deepEqual([saved.length, faults.length], [1, 1]);
});

it('the refused requests of other journeys are recorded as well, and their number is limited', async () => {
  const { note, save, saved } = recorded();
  for (let count = 0; count < MAX_REFUSED_JOURNEYS + 5; count++) await note(journey(`journey ${count}`), count, AWAY);
  await save(journey('another'));
  for (let turns = 0; turns < MAX_TURNS && saved.length < MAX_REFUSED_JOURNEYS; turns++) {
    await new Promise((turn) => setImmediate(turn));
  }
  await save(journey(`journey ${MAX_REFUSED_JOURNEYS}`));
  assert.equal(saved.length, MAX_REFUSED_JOURNEYS);
});

/** Every request of a journey reads its session first, so this read meets an outage of the database. */
describe('the session of a journey', () => {
  const places = testPlaces();
  let app: TestApp;
  let user: EndUser;
  before(async () => {
    app = await openTestApp(await places.create());
    const { apiKey } = await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' });
    ({ user } = await startJourney(app, apiKey));
  });
  after(() => app.stop());

  /** The requests that are remembered and saved when the session is read from that database. */
  const readSession = async (db: unknown) => {
    const calls: string[] = [];
    const read = sessionReader(
      { db: db as never, clock: app.clock, tenants: { ensureActive: async () => undefined } as never },
      {
        note: async ({ instanceId }, _at, error) => void calls.push(`note ${instanceId} ${(error as DbError).fault}`),
        save: async ({ instanceId }) => void calls.push(`save ${instanceId}`),
      },
    );
    const cookieValue = user.cookie.slice(user.cookie.indexOf('=') + 1);
    const fault = await read(user.processInstanceId, cookieValue).then(
      () => undefined,
      (error: unknown) => error,
    );
    return { calls, fault };
  };

  it('the session of a journey that the database cannot read is remembered, and the caller learns that the database is unavailable', async () => {
    const refuse = async () => Promise.reject(AWAY);
    const { calls, fault } = await readSession({ of: () => ({ all: refuse, get: refuse }) });
    assert.equal(fault, AWAY);
    assert.deepEqual(calls, [`note ${user.processInstanceId} unavailable`]);
  });

  it('the session of a journey is read and then earlier refused requests are recorded', async () => {
    const { calls, fault } = await readSession(app.app.db);
    assert.deepEqual([fault, calls], [undefined, [`save ${user.processInstanceId}`]]);
  });
});
