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

const KEY = (fill: number) => `1:${Buffer.alloc(32, fill).toString('base64')}`;
const NOW = Date.UTC(2030, 0, 31, 23, 59);
const acme = asTenantId('acme');

describe('the list of what was erased', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grove-erased-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const faults: string[] = [];
  const open = (name: string, fill = 1) => {
    const vault = openVault({ master: openMasterKey({ env: KEY(fill) }), clock: systemClock });
    return logEntries({ entries: openFolder(join(folder, name)), vault, onError: (what) => void faults.push(what) });
  };
  const idsOf = async (log: ReturnType<typeof open>, since: number, now = NOW) =>
    (await Array.fromAsync(log.since(since, now))).flatMap(({ ids }) => ids).sort();

  it('gives what was noted since a moment, and what is older only if it is a few days older', async () => {
    const log = open('days');
    for (const days of [0, 1, 3, 10, 399]) {
      await log.add({ tenantId: acme, kind: 'user', ids: [`${days} days ago`] }, NOW - days * DAY);
    }
    assert.deepEqual(await idsOf(log, NOW - HOUR), ['0 days ago', '1 days ago']);
    assert.deepEqual(await idsOf(log, NOW - 5 * DAY), ['0 days ago', '1 days ago', '3 days ago']);
    assert.equal((await idsOf(log, 0)).length, 5);
    assert.deepEqual(await idsOf(log, NOW - HOUR, NOW + HOUR), ['0 days ago', '1 days ago']);
  });

  it('keeps a day for as long as it says and no longer', async () => {
    const log = open('kept');
    await log.add({ tenantId: acme, kind: 'user', ids: ['a'] }, NOW);
    await log.forget(NOW + LOG_KEPT_DAYS * DAY);
    assert.deepEqual(await idsOf(log, 0, NOW + LOG_KEPT_DAYS * DAY), ['a']);
    await log.forget(NOW + (LOG_KEPT_DAYS + 4) * DAY);
    assert.deepEqual(await idsOf(log, 0), []);
  });

  it('cannot be read or added to without the master key', async () => {
    await open('sealed').add({ tenantId: acme, kind: 'user', ids: ['mine'] }, NOW);
    await open('sealed', 2).add({ tenantId: acme, kind: 'user', ids: ['not mine'] }, NOW);
    assert.deepEqual(await idsOf(open('sealed'), NOW), ['mine']);
    assert.equal(faults.length, 1);
  });

  it('reads what the first releases wrote, which knew instances alone', async () => {
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

  it('takes no more ids in an entry than are looked for at once', async () => {
    const ids = Array.from({ length: MAX_IDS_OF_ENTRY + 1 }, String);
    await assert.rejects(open('long').add({ tenantId: acme, kind: 'user', ids }, NOW), /at most 100 ids/);
  });
});
