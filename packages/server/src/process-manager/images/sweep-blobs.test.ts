import assert from 'node:assert/strict';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { openFolder } from '../../engines/blobs/folder.ts';
import type { JobContext } from '../../jobs/define-job.ts';
import { HOUR } from '../../kernel/clock.ts';
import { asTenantId, newId } from '../../kernel/ids.ts';
import { everyTenantId } from '../../tenants/tenants.repository.ts';
import { sweepBlobsJob } from './sweep-blobs.ts';

onBothEngines('the sweep of blobs', (_engine, places) => {
  let grove: TestApp;
  before(async () => {
    grove = await openTestApp(await places.create());
  });
  after(() => grove.stop());

  const pathOf = (key: string) => join(grove.config.blobFolder, key.slice(-2), key.slice(-4, -2), key);
  const put = (key: string, hoursOld: number) => {
    mkdirSync(dirname(pathOf(key)), { recursive: true });
    writeFileSync(pathOf(key), 'sealed');
    const at = (Date.now() - hoursOld * HOUR) / 1000;
    utimesSync(pathOf(key), at, at);
    return key;
  };
  /** Runs the job hour after hour, as its schedule does, until it has covered every part of the store. */
  const sweep = async (changes: Partial<JobContext> = {}) => {
    const { db } = grove.app;
    const job = sweepBlobsJob({
      db,
      blobs: openFolder(grove.config.blobFolder),
      everyTenantId: () => everyTenantId(db.system),
    });
    const now = Date.now();
    for (let hour = 0; hour < 22; hour++) {
      // The hour advances, but the age of the stored blobs does not.
      const context = { signal: new AbortController().signal, ...changes, now: now - hour * HOUR } as JobContext;
      await job.run({}, context);
    }
  };

  it('the sweep of blobs deletes a blob that no row of any tenant names, a day after it was stored, and no other', async () => {
    const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' });
    const { user } = await startJourney(grove, apiKey);
    await user.finish();
    const rows = await grove.app.db
      .of(asTenantId('acme'))
      .all<{ blob_key: string }>({ text: 'SELECT blob_key FROM instance_images WHERE tenant_id = $1' }, ['acme']);
    assert.equal(rows.length, 4);
    await grove.app.tenants.create({ id: 'other' });
    const knownKeys = rows.map(({ blob_key }) => put(blob_key, 100));
    const lostKeys = Array.from({ length: 300 }, () => put(newId(Date.now() - 72 * HOUR), 72));
    const young = Array.from({ length: 10 }, () => put(newId(Date.now()), 1));
    // Blobs that a server uploaded while its clock was ahead.
    const dated = Array.from({ length: 10 }, () => put(newId(Date.now()), 72));
    const half = `${pathOf(lostKeys[0] as string)}.0.part`;
    put(`${lostKeys[0]}`, 72);
    writeFileSync(half, 'half');
    utimesSync(half, 0, 0);

    const stopped = AbortSignal.abort();
    await assert.rejects(sweep({ signal: stopped }));
    await assert.rejects(sweep({ clockFault: 'the clock is ahead' }), /nothing was removed: the clock is ahead/);
    await sweep();
    assert.deepEqual(
      [knownKeys, lostKeys, young, dated].map((keys) => keys.filter((key) => existsSync(pathOf(key))).length),
      [4, 0, 10, 10],
    );
    assert.ok(!existsSync(half));
  });

  it('the sweep of blobs is scheduled by the application', async () => {
    await grove.app.jobs.tend();
    const jobs = await grove.app.db.system.all<{ kind: string }>({ text: 'SELECT kind FROM jobs' }, []);
    assert.equal(jobs.filter(({ kind }) => kind === 'process-manager.sweep-blobs').length, 1);
  });
});
