import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { InstanceData } from '../../process-manager/runtime/instance-data.ts';
import { type ArchivePersonDeps, archivePerson } from './archive-person.ts';
import { openPersonRequests } from './person-requests.ts';

const instance = { id: 'i1', created_at: 0, redacted_at: null };
const data = { instance, images: [], definition: { steps: [] } } as unknown as InstanceData;
const row = { id: 'r1', environment: 'live', reference: null, created_at: 0 };
const items = [
  { kind: 'user', item_id: 'u1', erased: 0 },
  { kind: 'processInstance', item_id: 'i1', erased: 0 },
];

/** The stored data of the person, and what the archive reads of it. */
function storeOf() {
  const stored = { user: true, instance: true };
  const deps = {
    versions: {},
    sign: { bytes: async () => ({ jws: 'header..signature' }) },
    sources: [{ kind: 'user', show: async () => (stored.user ? { id: 'u1' } : undefined) }],
    findAny: async () => (stored.instance ? data : undefined),
    imageStream: async () => Readable.from([]),
    ...Object.fromEntries(['events', 'applicant', 'sessions', 'notes'].map((name) => [name, async () => []])),
  } as unknown as ArchivePersonDeps;
  return { stored, deps };
}

describe('the archive of a person', () => {
  it('the archive of a person contains nothing that was erased after its download began', async () => {
    for (const kind of ['user', 'instance'] as const) {
      const { stored, deps } = storeOf();
      // This runs when the archive has begun and no entry was read yet.
      const ensureAllowed = async () => {
        stored[kind] = false;
      };
      const archive = { row, items, now: 0, ensureAllowed } as never;
      const readable = await archivePerson(deps, { tenantId: 'acme' } as never, archive);
      await assert.rejects(buffer(readable), { code: 100022 });
    }
  });

  it('7: the archive of a person stops for a caller who has lost the permission', async () => {
    const { deps } = storeOf();
    const askedFor: string[] = [];
    const mayStillCall = async (_principal: unknown, permission: string) => {
      askedFor.push(permission);
      return false;
    };
    const ready = { ...row, action: 'FIND', state: 'DONE' };
    const db = { get: async () => ready, all: async () => items, tenantId: 'acme' };
    const audit = { noteRead: () => undefined };
    const { archive } = openPersonRequests({ ...deps, audit, mayStillCall } as never).handlers.personRequests;
    const context = { db, now: 0, principal: { environment: 'live' } };
    const answer = await archive(context as never, { params: { personRequestId: 'r1' } } as never);
    await assert.rejects(buffer((answer as unknown as { body: Readable }).body), { code: 7 });
    assert.deepEqual(askedFor, ['PersonRequests:archive']);
  });
});
