import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DbError } from '../db/db.ts';
import { BlobError } from '../engines/blobs/blobs.ts';
import { ApiError } from '../kernel/errors.ts';
import { asTenantId } from '../kernel/ids.ts';
import { type JourneyKey, MAX_REFUSED_JOURNEYS, openRefusedRequests } from './refused-requests.ts';

const AWAY = new DbError('unavailable', new Error('away'));
const journey = (instanceId: string): JourneyKey => ({ tenantId: asTenantId('acme'), instanceId });

/** The step of `root` is one of a child instance, as in a sub-process. */
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

it('a request that the database refused is saved with the first request of the journey that it answers', async () => {
  const { note, save, saved } = recorded();
  await note(journey('root'), 5, AWAY);
  await note(journey('root'), 6, AWAY);
  assert.deepEqual(saved, []);
  await save(journey('root'));
  await save(journey('root'));
  assert.deepEqual(saved, [['child', 5]]);
});

it('a request that the bucket refused is saved at once', async () => {
  const { note, saved } = recorded();
  await note(journey('one'), 5, new BlobError('unavailable', 'away'));
  assert.deepEqual(saved, [['one', 5]]);
});

it('refusals that a client can cause are not remembered', async () => {
  const { note, save, saved } = recorded();
  for (const error of [new ApiError(100010), new ApiError(100007), new DbError('busy', undefined), new Error('bug')]) {
    await note(journey('one'), 5, error);
  }
  await save(journey('one'));
  assert.deepEqual(saved, []);
});

it('a request is remembered while the database is away again, and dropped if it can never be saved', async () => {
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

it('the requests of other journeys are saved as well, and their number is bounded', async () => {
  const { note, save, saved } = recorded();
  for (let count = 0; count < MAX_REFUSED_JOURNEYS + 5; count++) await note(journey(`journey ${count}`), count, AWAY);
  await save(journey('another'));
  while (saved.length < MAX_REFUSED_JOURNEYS) await new Promise((turn) => setImmediate(turn));
  await save(journey(`journey ${MAX_REFUSED_JOURNEYS}`));
  assert.equal(saved.length, MAX_REFUSED_JOURNEYS);
});
