import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { SHARDS } from '../engines/blobs/blobs.ts';
import { openFolder } from '../engines/blobs/folder.ts';
import { DAY, dayOf, HOUR, systemClock } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';
import { openMasterKey } from '../secrets/master-key.ts';
import { openVault } from '../secrets/vault.ts';
import { LOG_KEPT_DAYS, logEntries, MAX_IDS_OF_ENTRY } from './log-entries.ts';
import { checkEntries, resealEntries } from './reseal-entries.ts';

const KEY = (fill: number) => `1:${Buffer.alloc(32, fill).toString('base64')}`;
const NOW = Date.UTC(2030, 0, 31, 23, 59);
const acme = asTenantId('acme');

describe('the list of erased data', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grove-erased-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const open = (name: string, fill = 1) => {
    const vault = openVault({ master: openMasterKey({ env: KEY(fill) }), clock: systemClock });
    return logEntries({ entries: openFolder(join(folder, name)), vault });
  };
  const idsOf = async (log: ReturnType<typeof open>, since: number, now = NOW) =>
    (await Array.fromAsync(log.since(since, now)))
      .flatMap((entry) => ('ids' in entry ? entry.ids : [entry.reason]))
      .sort();

  it('the list of erased data returns the entries since a time, and at most those of a few days before', async () => {
    const log = open('days');
    for (const days of [0, 1, 3, 10, 399]) {
      await log.add({ tenantId: acme, kind: 'user', ids: [`${days} days ago`] }, NOW - days * DAY);
    }
    assert.deepEqual(await idsOf(log, NOW - HOUR), ['0 days ago', '1 days ago']);
    assert.deepEqual(await idsOf(log, NOW - 5 * DAY), ['0 days ago', '1 days ago', '3 days ago']);
    assert.equal((await idsOf(log, 0)).length, 5);
    assert.deepEqual(await idsOf(log, NOW - HOUR, NOW + HOUR), ['0 days ago', '1 days ago']);
  });

  it('the list of erased data keeps the entries of a day for the documented time, and not longer', async () => {
    const log = open('kept');
    await log.add({ tenantId: acme, kind: 'user', ids: ['a'] }, NOW);
    await log.forget(NOW + LOG_KEPT_DAYS * DAY);
    assert.deepEqual(await idsOf(log, 0, NOW + LOG_KEPT_DAYS * DAY), ['a']);
    await log.forget(NOW + (LOG_KEPT_DAYS + 4) * DAY);
    assert.deepEqual(await idsOf(log, 0), []);
  });

  it('the list of erased data cannot be read or extended without the master key', async () => {
    await open('sealed').add({ tenantId: acme, kind: 'user', ids: ['mine'] }, NOW);
    await open('sealed', 2).add({ tenantId: acme, kind: 'user', ids: ['not mine'] }, NOW);
    const [mine, other] = (await idsOf(open('sealed'), NOW)).reverse();
    assert.equal(mine, 'mine');
    assert.match(other ?? '', /unable to authenticate/);
  });

  it('the list of erased data is sealed again by a rotation, with the newest version of the master key, if it has another version', async () => {
    const two = `2:${Buffer.alloc(32, 2).toString('base64')}`;
    const before = open('rotated');
    for (const days of [0, 10, LOG_KEPT_DAYS]) {
      await before.add({ tenantId: acme, kind: 'user', ids: [`${days} days`] }, NOW - days * DAY);
    }
    const place = openFolder(join(folder, 'rotated'));
    const both = openMasterKey({ env: `${two},${KEY(1)}` });
    const done = await resealEntries(place, both, NOW);
    assert.deepEqual(done, { entries: 3, resealed: 3, versions: new Set([1]), faults: [] });
    const newest = openMasterKey({ env: two });
    const vault = openVault({ master: newest, clock: systemClock });
    assert.deepEqual(await idsOf(logEntries({ entries: place, vault }), 0), ['0 days', '10 days', '400 days']);
    assert.equal((await resealEntries(place, newest, NOW)).resealed, 0);
    assert.equal((await idsOf(before, 0)).filter((each) => each.startsWith('Version 2 of the master key')).length, 3);
    assert.equal((await checkEntries(place, openMasterKey({ env: KEY(1) }), 0, NOW)).faults.length, 3);
  });

  it('the list of erased data can contain entries of the first releases, which recorded only instances', async () => {
    const vault = openVault({ master: openMasterKey({ env: KEY(1) }), clock: systemClock });
    const log = open('old');
    await log.add({ tenantId: acme, kind: 'user', ids: ['new'] }, NOW);
    const entries = openFolder(join(folder, 'old'));
    const [{ key = '' } = {}] = await Array.fromAsync(entries.list(SHARDS[dayOf(NOW) % SHARDS.length] as string));
    const old = JSON.stringify({ tenantId: acme, instanceIds: ['old'] });
    await entries.delete(key);
    await entries.put(key, vault.sealOutside(`erased:${key}`, Buffer.from(old)));
    assert.deepEqual(await Array.fromAsync(log.since(NOW, NOW)), [{ tenantId: acme, kind: 'instance', ids: ['old'] }]);
  });

  it('the list of erased data has at most as many ids in an entry as are searched for at once', async () => {
    const ids = Array.from({ length: MAX_IDS_OF_ENTRY + 1 }, String);
    await assert.rejects(open('long').add({ tenantId: acme, kind: 'user', ids }, NOW), /at most 100 ids/);
  });
});
