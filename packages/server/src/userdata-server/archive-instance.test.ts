import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { InstanceData } from '../process-manager/runtime/instance-data.ts';
import { type ArchiveDeps, archiveInstance } from './archive-instance.ts';

const instance = { id: 'i1', environment: 'live', created_at: 0, completed_at: null, redacted_at: null };
const flow = { done: {} };
const dataOf = (redacted_at: number | null) =>
  ({
    instance: { ...instance, redacted_at },
    flow,
    data: { documents: {}, faces: {}, forms: {} },
    checks: [],
    images: [],
    definition: { steps: [] },
  }) as unknown as InstanceData;

/** Begins an archive of an instance that becomes something else before the first entry was read. */
function archiveOf(after: InstanceData | undefined) {
  const deps = {
    versions: {},
    sign: { bytes: async () => ({ jws: 'header..signature' }) },
    findAny: async () => after,
    imageStream: async () => Readable.from([]),
    ...Object.fromEntries(['events', 'applicant', 'sessions', 'notes'].map((name) => [name, async () => []])),
  } as unknown as ArchiveDeps;
  const ensureAllowed = async () => undefined;
  return archiveInstance(deps, { tenantId: 'acme' } as never, { data: dataOf(null), now: 0, ensureAllowed });
}

describe('the archive of an instance that changes while it is sent', () => {
  it('100022: the archive of an instance breaks off if the instance was deleted after the archive began', async () => {
    await assert.rejects(buffer(archiveOf(undefined)), { code: 100022 });
  });

  it('100364: the archive of an instance breaks off if the instance was redacted after the archive began', async () => {
    await assert.rejects(buffer(archiveOf(dataOf(1))), { code: 100364 });
  });

  it('the archive of an instance is sent as a whole while the instance stays', async () => {
    assert.ok((await buffer(archiveOf(dataOf(null)))).length > 0);
  });
});
