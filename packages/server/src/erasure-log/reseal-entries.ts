import type { Blobs } from '../engines/blobs/blobs.ts';
import type { MasterKey } from '../secrets/master-key.ts';
import { sealedBy } from '../secrets/sealing.ts';
import { openOutside, sealOutside } from '../secrets/vault.ts';
import { contextOf, storedEntries } from './log-entries.ts';

/** The versions of the master key that sealed the entries of the erasure log, and the entries that it does not open. */
export type EntrySeals = { entries: number; resealed: number; versions: Set<number>; faults: string[] };

type EntryStore = Pick<Blobs, 'put' | 'get' | 'list'>;

/** Opens every entry since a moment. */
export function checkEntries(store: EntryStore, master: MasterKey, at: number, now: number): Promise<EntrySeals> {
  return eachEntry({ store, master, at, now }, async () => false);
}

/**
 * Seals every entry with the newest version of the master key. It replaces one entry after another, so it can be stopped
 * anywhere and run again.
 */
export function resealEntries(store: EntryStore, master: MasterKey, now: number): Promise<EntrySeals> {
  return eachEntry({ store, master, at: 0, now }, async (key, plain) => {
    await store.put(key, sealOutside(master, contextOf(key), plain));
    return true;
  });
}

type Pass = { store: EntryStore; master: MasterKey; at: number; now: number };

async function eachEntry(
  { store, master, at, now }: Pass,
  reseal: (key: string, plain: Uint8Array) => Promise<boolean>,
): Promise<EntrySeals> {
  const seals: EntrySeals = { entries: 0, resealed: 0, versions: new Set(), faults: [] };
  for await (const { key, content } of storedEntries(store, at, now)) {
    seals.entries += 1;
    let plain: Buffer;
    try {
      seals.versions.add(sealedBy(content));
      plain = openOutside(master, contextOf(key), content);
    } catch (error) {
      seals.faults.push(`erased/${key} (${(error as Error).message})`);
      continue;
    }
    if (sealedBy(content) === master.current.version) continue;
    if (await reseal(key, plain)) seals.resealed += 1;
  }
  return seals;
}
