import type { KeyObject } from 'node:crypto';
import type { PersonalSeal, SystemDb, TenantReads, TenantTx } from '../db/db.ts';
import { boundedMap } from '../kernel/bounded-map.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { MasterKey } from './master-key.ts';
import { personalSeal } from './personal-seal.ts';
import { openChunks, type SealedSource, sealChunks, sealedSize } from './seal-chunks.ts';
import { contextOf, keyFrom, newKey, randomnessOf, seal, sealedBy, unseal, type VersionedKey } from './sealing.ts';
import {
  addDataKey,
  addSystemSecret,
  addTenantKey,
  destroyDataKeys,
  findDataKey,
  findSystemSecrets,
  findTenantKeys,
} from './secrets.repository.ts';

/**
 * Envelope encryption: the master key seals each tenant's key, the tenant's key seals a data key for each subject, the
 * data key seals the data. Destroying one data key erases one subject; nothing else has to be found.
 */
export type Vault = {
  /** A secret of the installation, made at its first use; the newest version first. */
  systemSecret(db: SystemDb, name: string): Promise<VersionedKey[]>;
  /** The tenant's first key, in the transaction that makes the tenant. */
  createTenantKey(tx: TenantTx): Promise<void>;
  /** Seals new data keys with a new version from now on. */
  rotateTenantKey(tx: TenantTx): Promise<number>;
  tenantKey(db: TenantReads, version?: number): Promise<VersionedKey>;
  /** `key` is that of `dataKeyColumn`, where it was read in the same transaction. */
  sealFor(
    tx: TenantTx,
    subject: string,
    context: string,
    plain: Uint8Array,
    key?: Uint8Array | null,
  ): Promise<Uint8Array>;
  openFor(
    db: TenantReads,
    subject: string,
    context: string,
    sealed: Uint8Array,
    key?: Uint8Array | null,
  ): Promise<Buffer>;
  /**
   * The same for short texts that are asked for again and again: one that was opened lately is remembered. Nothing if the
   * subject was destroyed since the text was read. `key` is that of `dataKeyColumn`, where it was read with the text.
   */
  openTextFor(
    db: TenantReads,
    subject: string,
    context: string,
    sealed: Uint8Array,
    key?: Uint8Array | null,
  ): Promise<string | undefined>;
  /** The same for many values of one subject, whose key is read once. */
  unsealerFor(db: TenantReads, subject: string): Promise<(context: string, sealed: Uint8Array) => Buffer>;
  /** For long values, which are sealed once the transaction that made sure of the key has committed. */
  sealerFor(tx: TenantTx, subject: string): Promise<Sealer>;
  openerFor(db: TenantReads, subject: string): Promise<Opener>;
  /**
   * For what rows hold about persons: one key for each tenant. Outside of a transaction nothing if it was never made, and so
   * nothing was ever sealed with it.
   */
  personal(db: TenantReads): Promise<PersonalSeal | undefined>;
  /** Seals with the master key itself: for values outside the database that must open beside an older copy of it. */
  sealOutside(context: string, plain: Uint8Array): Uint8Array;
  openOutside(context: string, sealed: Uint8Array): Buffer;
  /** Everything sealed for the subject is unreadable once this commits. */
  destroySubject(tx: TenantTx, subject: string): Promise<void>;
  /** The same for many subjects, in one statement. */
  destroySubjects(tx: TenantTx, subjects: readonly string[]): Promise<void>;
};

export type Sealer = (context: string, plain: Uint8Array) => SealedBlob;
/** Each call to `chunks()` encrypts anew, with a fresh nonce. */
export type SealedBlob = { readonly size: number; chunks(): AsyncIterable<Uint8Array> };
/** What it yields has been proven, chunk by chunk; it throws where the sealed value is not what was sealed. */
export type Opener = (context: string, sealed: SealedSource, plainSize: number) => AsyncGenerator<Buffer>;

const MAX_CACHED_TENANTS = 1000;
const PERSONAL = 'personal';
const CACHE_MS = 60_000;
const MAX_OPENED_KEYS = 20_000;
const MAX_LATELY = 2000;
const MAX_KEPT_TEXT = 2000;

/** A data key as it is used, and the text that it opened last. */
type OpenedKey = { sealed: Uint8Array; key: KeyObject; text?: OpenedText };
type OpenedText = { context: string; sealed: Uint8Array; plain: string; at: number };

export const systemSecretContext = (name: string, version: number) => contextOf('system-secret', name, version);
export const tenantKeyContext = (tenantId: TenantId, version: number) => contextOf('tenant-key', tenantId, version);
export const dataKeyContext = (tenantId: TenantId, subject: string) => contextOf('data-key', tenantId, subject);
const outsideContext = (context: string) => contextOf('outside', context);
const dataContext = (tenantId: TenantId, subject: string, context: string) =>
  contextOf('data', tenantId, subject, context);
const chunksContext = (tenantId: TenantId, subject: string, context: string) =>
  contextOf('chunks', tenantId, subject, context);

export function openVault({ master, clock }: { master: MasterKey; clock: Clock }): Vault {
  const tenants = boundedMap<TenantId, { at: number; keys: Map<number, VersionedKey> }>(MAX_CACHED_TENANTS);
  const opened = boundedMap<string, OpenedKey>(MAX_OPENED_KEYS);
  const lately = doorkeeper(MAX_LATELY);
  const persons = boundedMap<TenantId, PersonalSeal>(MAX_CACHED_TENANTS);

  const loadTenantKeys = async (db: TenantReads): Promise<Map<number, VersionedKey>> => {
    const keys = new Map<number, VersionedKey>();
    for (const { version, sealed } of await findTenantKeys(db)) {
      const opened = unseal(master.key(sealedBy(sealed)).key, tenantKeyContext(db.tenantId, version), sealed);
      keys.set(version, { version, key: keyFrom(opened) });
    }
    const remember = () => tenants.set(db.tenantId, { at: clock.now(), keys });
    // A key that a transaction made and then rolled back must never be remembered: what it seals could not be opened.
    if (db.inTransaction) (db as TenantTx).afterCommit(remember);
    else remember();
    return keys;
  };

  const tenantKey = async (db: TenantReads, version?: number): Promise<VersionedKey> => {
    const cached = tenants.get(db.tenantId);
    const fresh = cached && Math.abs(clock.now() - cached.at) < CACHE_MS;
    const cachedKey = fresh ? pick(cached.keys, version) : undefined;
    const key = cachedKey ?? pick(await loadTenantKeys(db), version);
    if (!key) throw new Error(`tenant ${db.tenantId} has no key${version ? ` of version ${version}` : ''}`);
    return key;
  };

  const addVersion = async (tx: TenantTx, version: number) => {
    const sealed = seal(master.current, tenantKeyContext(tx.tenantId, version), newKey().export());
    if (!(await addTenantKey(tx, { version, sealed }, clock.now()))) throw new Error('the tenant key is there already');
    tenants.delete(tx.tenantId);
  };

  /** The stored key is read every time, so one that was destroyed opens nothing; only its unsealing is spared. */
  const openDataKey = async (db: TenantReads, subject: string, sealed: Uint8Array): Promise<OpenedKey> => {
    const name = `${db.tenantId}/${subject}`;
    const cached = opened.get(name);
    if (cached && Buffer.compare(cached.sealed, sealed) === 0) return cached;
    const { key: tenantsKey } = await tenantKey(db, sealedBy(sealed));
    const key = keyFrom(unseal(tenantsKey, dataKeyContext(db.tenantId, subject), sealed));
    const entry = { sealed, key };
    // Many subjects are asked for once in a long while. To keep all of their keys would only make work for the collector.
    if (lately.seen(sealed)) opened.set(name, entry);
    return entry;
  };

  const dataKeyFor = async (tx: TenantTx, subject: string): Promise<OpenedKey> => {
    const existing = await findDataKey(tx, subject);
    if (existing) return openDataKey(tx, subject, existing);
    const sealedKey = seal(await tenantKey(tx), dataKeyContext(tx.tenantId, subject), newKey().export());
    await addDataKey(tx, subject, sealedKey, clock.now());
    // Another transaction may have been first: what is stored counts.
    const stored = await findDataKey(tx, subject);
    if (!stored) throw new Error('a data key that was just stored is gone');
    return openDataKey(tx, subject, stored);
  };

  const storedDataKey = async (db: TenantReads, subject: string): Promise<OpenedKey> => {
    const stored = await findDataKey(db, subject);
    if (!stored) throw new Error(`the data key of ${subject} was destroyed`);
    return openDataKey(db, subject, stored);
  };

  return {
    async systemSecret(db, name) {
      const rows = await findSystemSecrets(db, name);
      if (rows.length === 0) {
        const sealed = seal(master.current, systemSecretContext(name, 1), newKey().export());
        await db.write((tx) => addSystemSecret(tx, { name, version: 1, sealed, now: clock.now() }));
      }
      const stored = rows.length > 0 ? rows : await findSystemSecrets(db, name);
      return stored.map(({ version, sealed }) => ({
        version,
        key: keyFrom(unseal(master.key(sealedBy(sealed)).key, systemSecretContext(name, version), sealed)),
      }));
    },
    createTenantKey: (tx) => addVersion(tx, 1),
    async rotateTenantKey(tx) {
      const newest = (await findTenantKeys(tx))[0]?.version ?? 0;
      await addVersion(tx, newest + 1);
      return newest + 1;
    },
    tenantKey,
    async sealFor(tx, subject, context, plain, sealedKey) {
      const { key } = sealedKey ? await openDataKey(tx, subject, sealedKey) : await dataKeyFor(tx, subject);
      return seal({ version: 1, key }, dataContext(tx.tenantId, subject, context), plain);
    },
    async openFor(db, subject, context, sealed, storedKey) {
      const { key } = storedKey ? await openDataKey(db, subject, storedKey) : await storedDataKey(db, subject);
      return unseal(key, dataContext(db.tenantId, subject, context), sealed);
    },
    async openTextFor(db, subject, context, sealed, key) {
      const storedKey = key === undefined ? await findDataKey(db, subject) : key;
      if (!storedKey) return undefined;
      const entry = await openDataKey(db, subject, storedKey);
      const { text } = entry;
      const now = clock.now();
      const fresh = text && text.context === context && Math.abs(now - text.at) < CACHE_MS;
      if (fresh && Buffer.compare(text.sealed, sealed) === 0) return text.plain;
      const plain = unseal(entry.key, dataContext(db.tenantId, subject, context), sealed).toString('utf8');
      if (plain.length <= MAX_KEPT_TEXT) entry.text = { context, sealed, plain, at: now };
      return plain;
    },
    async unsealerFor(db, subject) {
      const { key } = await storedDataKey(db, subject);
      return (context, sealed) => unseal(key, dataContext(db.tenantId, subject, context), sealed);
    },
    async sealerFor(tx, subject) {
      const { key } = await dataKeyFor(tx, subject);
      return (context, plain) => ({
        size: sealedSize(plain.length),
        chunks: () => sealChunks(key, chunksContext(tx.tenantId, subject, context), plain),
      });
    },
    async openerFor(db, subject) {
      const { key } = await storedDataKey(db, subject);
      return (context, sealed, plainSize) =>
        openChunks(key, chunksContext(db.tenantId, subject, context), sealed, plainSize);
    },
    async personal(db) {
      const cached = persons.get(db.tenantId);
      if (cached) return cached;
      const stored = await findDataKey(db, PERSONAL);
      if (!stored && !db.inTransaction) return undefined;
      const { key } = stored ? await openDataKey(db, PERSONAL, stored) : await dataKeyFor(db as TenantTx, PERSONAL);
      const newSeal = personalSeal(db.tenantId, key);
      // A key that a transaction made and then rolled back must never be remembered.
      if (db.inTransaction) (db as TenantTx).afterCommit(() => persons.set(db.tenantId, newSeal));
      else persons.set(db.tenantId, newSeal);
      return newSeal;
    },
    sealOutside: (context, plain) => sealOutside(master, context, plain),
    openOutside: (context, sealed) => openOutside(master, context, sealed),
    destroySubject: (tx, subject) => destroySubjects(tx, [subject], opened),
    destroySubjects: (tx, subjects) => destroySubjects(tx, subjects, opened),
  };
}

/** `opened`: keys that are in use here are forgotten after the commit. */
function destroySubjects(
  tx: TenantTx,
  subjects: readonly string[],
  opened: { delete(name: string): void },
): Promise<void> {
  tx.afterCommit(() => {
    for (const subject of subjects) opened.delete(`${tx.tenantId}/${subject}`);
  });
  return destroyDataKeys(tx, subjects);
}

export function sealOutside(master: MasterKey, context: string, plain: Uint8Array): Uint8Array {
  return seal(master.current, outsideContext(context), plain);
}

export function openOutside(master: MasterKey, context: string, sealed: Uint8Array): Buffer {
  return unseal(master.key(sealedBy(sealed)).key, outsideContext(context), sealed);
}

/**
 * Remembers which sealed keys were seen lately, by what is random in them: each has one place and is forgotten when
 * another comes to it. False the first time.
 */
function doorkeeper(places: number): { seen(sealed: Uint8Array): boolean } {
  const marks = new Uint32Array(places);
  return {
    seen(sealed) {
      const { mark, spread } = randomnessOf(sealed);
      const index = spread % places;
      const wasSeen = marks[index] === mark;
      marks[index] = mark;
      return wasSeen;
    },
  };
}

function pick(keys: Map<number, VersionedKey>, version?: number): VersionedKey | undefined {
  return keys.get(version ?? Math.max(...keys.keys()));
}
