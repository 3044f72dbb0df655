import type { PersonalSeal, SystemDb, TenantReads, TenantTx } from '../db/db.ts';
import { boundedMap } from '../kernel/bounded-map.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { type DataKeys, type OpenedKey, openDataKeys } from './data-keys.ts';
import type { MasterKey } from './master-key.ts';
import { personalSeal } from './personal-seal.ts';
import { openChunks, type SealedSource, sealChunks, sealedSize } from './seal-chunks.ts';
import { contextOf, keyFrom, newKey, seal, sealedBy, unseal, type VersionedKey } from './sealing.ts';
import { addSystemSecret, findDataKey, findSystemSecrets, findTenantKeys } from './secrets.repository.ts';
import { CACHE_MS, MAX_CACHED_TENANTS, openTenantKeys } from './tenant-keys.ts';

/**
 * Envelope encryption: the master key seals each tenant's key, the tenant's key seals a data key for each subject, and
 * the data key seals the data. To erase a subject, only its data key must be destroyed.
 */
export type Vault = {
  /** The versions of a secret of the installation, the newest first. It is created at its first use. */
  systemSecret(db: SystemDb, name: string): Promise<VersionedKey[]>;
  /** Creates the tenant's first key, in the transaction that creates the tenant. */
  createTenantKey(tx: TenantTx): Promise<void>;
  /** Creates a new version of the tenant's key, which seals new data keys from now on. Resolves to its number. */
  rotateTenantKey(tx: TenantTx): Promise<number>;
  tenantKey(db: TenantReads, version?: number): Promise<VersionedKey>;
  /** `key` is that of `dataKeyColumn`, if the same transaction has read it. */
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
   * `openFor` for short texts that are read again and again: the last one of each subject is cached. Undefined if the
   * subject was destroyed since the text was read. `key` is that of `dataKeyColumn`, if it was read with the text.
   */
  openTextFor(
    db: TenantReads,
    subject: string,
    context: string,
    sealed: Uint8Array,
    key?: Uint8Array | null,
  ): Promise<string | undefined>;
  /** `openFor` for many values of one subject, whose key is read once. */
  unsealerFor(db: TenantReads, subject: string): Promise<(context: string, sealed: Uint8Array) => Buffer>;
  /** Seals long values after the commit of the transaction, which ensures that the key exists. */
  sealerFor(tx: TenantTx, subject: string, key?: Uint8Array | null): Promise<Sealer>;
  /** `sealerFor` with a key that was read before, which needs no transaction. */
  sealerWith(db: TenantReads, subject: string, key: Uint8Array): Promise<Sealer>;
  openerFor(db: TenantReads, subject: string, key?: Uint8Array | null): Promise<Opener>;
  /**
   * Seals personal data in rows, with one key for each tenant. Outside of a transaction it is undefined if the key does
   * not exist: then nothing was sealed with it.
   */
  personal(db: TenantReads): Promise<PersonalSeal | undefined>;
  /** Seals with the master key itself, for values outside the database that must also open with an older copy of it. */
  sealOutside(context: string, plain: Uint8Array): Uint8Array;
  openOutside(context: string, sealed: Uint8Array): Buffer;
  /** Destroys the key of the subject: after the commit, nobody can open what was sealed for it. */
  destroySubject(tx: TenantTx, subject: string): Promise<void>;
  /** `destroySubject` for many subjects, in one statement. */
  destroySubjects(tx: TenantTx, subjects: readonly string[]): Promise<void>;
};

export type Sealer = (context: string, plain: Uint8Array) => SealedBlob;
/** Each call to `chunks()` encrypts anew, with a fresh nonce. */
export type SealedBlob = { readonly size: number; chunks(): AsyncIterable<Uint8Array> };
/** Yields authenticated chunks, and throws at the first chunk that was changed. */
export type Opener = (context: string, sealed: SealedSource, plainSize: number) => AsyncGenerator<Buffer>;

const PERSONAL = 'personal';
const MAX_CACHED_TEXT = 2000;

export const systemSecretContext = (name: string, version: number) => contextOf('system-secret', name, version);
const outsideContext = (context: string) => contextOf('outside', context);
const dataContext = (tenantId: TenantId, subject: string, context: string) =>
  contextOf('data', tenantId, subject, context);
const chunksContext = (tenantId: TenantId, subject: string, context: string) =>
  contextOf('chunks', tenantId, subject, context);

export function openVault({ master, clock }: { master: MasterKey; clock: Clock }): Vault {
  const tenantKeys = openTenantKeys({ master, clock });
  const dataKeys = openDataKeys(tenantKeys, clock);
  return {
    systemSecret: (db, name) => systemSecret(master, clock, db, name),
    createTenantKey: (tx) => tenantKeys.add(tx, 1),
    async rotateTenantKey(tx) {
      const newest = (await findTenantKeys(tx))[0]?.version ?? 0;
      await tenantKeys.add(tx, newest + 1);
      return newest + 1;
    },
    tenantKey: tenantKeys.get,
    async sealFor(tx, subject, context, plain, sealedKey) {
      const { key } = await dataKeys.ensure(tx, subject, sealedKey);
      return seal({ version: 1, key }, dataContext(tx.tenantId, subject, context), plain);
    },
    async openFor(db, subject, context, sealed, storedKey) {
      const { key } = storedKey ? await dataKeys.open(db, subject, storedKey) : await dataKeys.get(db, subject);
      return unseal(key, dataContext(db.tenantId, subject, context), sealed);
    },
    async openTextFor(db, subject, context, sealed, key) {
      const storedKey = key === undefined ? await findDataKey(db, subject) : key;
      if (!storedKey) return undefined;
      const entry = await dataKeys.open(db, subject, storedKey);
      const { text } = entry;
      const now = clock.now();
      const fresh = text && text.context === context && Math.abs(now - text.at) < CACHE_MS;
      if (fresh && Buffer.compare(text.sealed, sealed) === 0) return text.plain;
      const plain = unseal(entry.key, dataContext(db.tenantId, subject, context), sealed).toString('utf8');
      if (plain.length <= MAX_CACHED_TEXT) entry.text = { context, sealed, plain, at: now };
      return plain;
    },
    async unsealerFor(db, subject) {
      const { key } = await dataKeys.get(db, subject);
      return (context, sealed) => unseal(key, dataContext(db.tenantId, subject, context), sealed);
    },
    async sealerFor(tx, subject, sealedKey) {
      return sealerOf(tx, subject, await dataKeys.ensure(tx, subject, sealedKey));
    },
    async sealerWith(db, subject, sealedKey) {
      return sealerOf(db, subject, await dataKeys.open(db, subject, sealedKey));
    },
    async openerFor(db, subject, storedKey) {
      const { key } = storedKey ? await dataKeys.open(db, subject, storedKey) : await dataKeys.get(db, subject);
      return (context, sealed, plainSize) =>
        openChunks(key, chunksContext(db.tenantId, subject, context), sealed, plainSize);
    },
    personal: personalSeals(dataKeys),
    sealOutside: (context, plain) => sealOutside(master, context, plain),
    openOutside: (context, sealed) => openOutside(master, context, sealed),
    destroySubject: (tx, subject) => dataKeys.destroy(tx, [subject]),
    destroySubjects: dataKeys.destroy,
  };
}

function sealerOf({ tenantId }: TenantReads, subject: string, { key }: OpenedKey): Sealer {
  return (context, plain) => ({
    size: sealedSize(plain.length),
    chunks: () => sealChunks(key, chunksContext(tenantId, subject, context), plain),
  });
}

async function systemSecret(master: MasterKey, clock: Clock, db: SystemDb, name: string): Promise<VersionedKey[]> {
  const rows = await findSystemSecrets(db, { name });
  if (rows.length === 0) {
    const sealed = seal(master.current, systemSecretContext(name, 1), newKey().export());
    await db.write((tx) => addSystemSecret(tx, { name, version: 1, sealed, created_at: clock.now() }));
  }
  const stored = rows.length > 0 ? rows : await findSystemSecrets(db, { name });
  return stored.map(({ version, sealed }) => ({
    version,
    key: keyFrom(unseal(master.key(sealedBy(sealed)).key, systemSecretContext(name, version), sealed)),
  }));
}

/** The seals of tenants for personal data in rows. */
function personalSeals(dataKeys: DataKeys): Vault['personal'] {
  const seals = boundedMap<TenantId, PersonalSeal>(MAX_CACHED_TENANTS);
  return async (db) => {
    const cached = seals.get(db.tenantId);
    if (cached) return cached;
    const stored = await findDataKey(db, PERSONAL);
    if (!stored && !db.inTransaction) return undefined;
    const { key } = stored
      ? await dataKeys.open(db, PERSONAL, stored)
      : await dataKeys.ensure(db as TenantTx, PERSONAL);
    const newSeal = personalSeal(db.tenantId, key);
    // A key is cached only after the commit: if the transaction is rolled back, the key does not exist.
    if (db.inTransaction) (db as TenantTx).afterCommit(() => seals.set(db.tenantId, newSeal));
    else seals.set(db.tenantId, newSeal);
    return newSeal;
  };
}

export function sealOutside(master: MasterKey, context: string, plain: Uint8Array): Uint8Array {
  return seal(master.current, outsideContext(context), plain);
}

export function openOutside(master: MasterKey, context: string, sealed: Uint8Array): Buffer {
  return unseal(master.key(sealedBy(sealed)).key, outsideContext(context), sealed);
}
