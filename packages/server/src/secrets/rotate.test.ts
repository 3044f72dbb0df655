import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../test/database.ts';
import { onBothEngines, type Places, testClock, testPlaces } from '../../test/harness.ts';
import type { Db, TenantDb } from '../db/db.ts';
import type { TenantId } from '../kernel/ids.ts';
import { addTenant, everyTenantId, listTenants } from '../tenants/tenants.repository.ts';
import { checkSeals } from './check-seals.ts';
import { addMasterKeyVersion, createMasterKeyFile, keepNewestMasterKey, openMasterKey } from './master-key.ts';
import { resealDataKeys, resealWithMasterKey, rotateTenantKey } from './rotate.ts';
import { sealedBy } from './sealing.ts';
import { findDataKey, findTenantKeys, listSystemSecrets, pageDataKeys } from './secrets.repository.ts';
import { openVault } from './vault.ts';

const PLAIN = Buffer.from('born on a Tuesday');
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** An installation with three tenants, two secrets, and sealed data in each. */
async function installation(places: Places) {
  const place = await places.create();
  const file = join(place.folder, 'master.key');
  createMasterKeyFile(file);
  const clock = testClock();
  const db = await openTestDb(place);
  const vault = openVault({ master: openMasterKey({ file }), clock });
  const tenants = await addTestTenants(db, 'one', 'two', 'three');
  const sealed = new Map<TenantId, Uint8Array>();
  for (const tenant of tenants) {
    await db.of(tenant).write((tx) => vault.createTenantKey(tx));
    sealed.set(tenant, await db.of(tenant).write((tx) => vault.sealFor(tx, 'alice', 'name', PLAIN)));
  }
  const secrets = new Map<string, string>();
  const read = async (by = vault) => {
    for (const name of ['pepper', 'signing-key:1']) {
      const [secret] = await by.systemSecret(db.system, name);
      assert.ok(secret);
      secrets.set(name, secrets.get(name) ?? hex(secret.key.export()));
      assert.equal(hex(secret.key.export()), secrets.get(name), name);
    }
  };
  await read();
  /** A server that starts now, with only the file and the database, opens everything. */
  const assertEverythingOpens = async () => {
    const fresh = openVault({ master: openMasterKey({ file }), clock });
    for (const [tenant, each] of sealed) {
      assert.deepEqual(await fresh.openFor(db.of(tenant), 'alice', 'name', each), PLAIN, tenant);
    }
    await read(fresh);
  };
  return { file, db, vault, tenants: [...tenants], assertEverythingOpens };
}

async function masterSealed({ db, tenants }: { db: Db; tenants: TenantId[] }): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for (const { name, sealed } of await listSystemSecrets(db.system)) all.set(name, hex(sealed));
  for (const tenant of tenants) {
    for (const { version, sealed } of await findTenantKeys(db.of(tenant))) all.set(`${tenant} ${version}`, hex(sealed));
  }
  return all;
}

const versionsOf = (sealed: Map<string, string>) =>
  [...sealed.values()].map((each) => sealedBy(Buffer.from(each, 'hex')));

/** Rolls back the transaction with this number, counted from one, like a process that dies in the middle. */
function dyingIn(transaction: number, db: TenantDb): TenantDb {
  let transactions = 0;
  return {
    ...db,
    write: (work) =>
      db.write(async (tx) => {
        transactions += 1;
        const result = await work(tx);
        if (transactions === transaction) throw new Error('killed');
        return result;
      }),
  };
}

onBothEngines('the rotation of keys', (_engine, places) => {
  describe('the rotation of the master key', () => {
    it('a rotation of the master key seals everything again, so that the old version can be removed', async (t) => {
      const grove = await installation(places);
      t.after(() => grove.db.close());
      assert.equal(addMasterKeyVersion(grove.file), 2);
      await grove.assertEverythingOpens();
      const done = await resealWithMasterKey(grove.db, openMasterKey({ file: grove.file }), grove.tenants);
      assert.deepEqual(done, { systemSecrets: 2, tenantKeys: 3 });
      assert.deepEqual(versionsOf(await masterSealed(grove)), [2, 2, 2, 2, 2]);
      await grove.assertEverythingOpens();
      keepNewestMasterKey(grove.file, 0);
      await grove.assertEverythingOpens();
    });

    it('a rotation of the master key is required before the old version is removed, and the error says so', async (t) => {
      const grove = await installation(places);
      t.after(() => grove.db.close());
      addMasterKeyVersion(grove.file);
      keepNewestMasterKey(grove.file, 0);
      await assert.rejects(grove.assertEverythingOpens(), /Version 1 of the master key is needed and not given/);
    });

    it('a rotation of the master key that was interrupted continues, and seals nothing twice', async (t) => {
      const grove = await installation(places);
      t.after(() => grove.db.close());
      addMasterKeyVersion(grove.file);
      const master = openMasterKey({ file: grove.file });
      const dying: Db = {
        ...grove.db,
        of: (tenant) => (tenant === 'two' ? dyingIn(1, grove.db.of(tenant)) : grove.db.of(tenant)),
      };
      await assert.rejects(resealWithMasterKey(dying, master, grove.tenants), /killed/);
      const halfway = await masterSealed(grove);
      assert.deepEqual(versionsOf(halfway).sort(), [1, 1, 2, 2, 2]);
      await grove.assertEverythingOpens();

      assert.deepEqual(await resealWithMasterKey(grove.db, master, grove.tenants), { systemSecrets: 0, tenantKeys: 2 });
      const done = await masterSealed(grove);
      for (const [name, sealed] of halfway) {
        assert.equal(done.get(name) === sealed, sealedBy(Buffer.from(sealed, 'hex')) === 2, name);
      }
      assert.deepEqual(await resealWithMasterKey(grove.db, master, grove.tenants), { systemSecrets: 0, tenantKeys: 0 });
      assert.deepEqual(await masterSealed(grove), done);
      keepNewestMasterKey(grove.file, 0);
      await grove.assertEverythingOpens();
    });
  });

  describe('the rotation of a tenant key', () => {
    // There is more than one page of them, so that a rotation can be interrupted between two transactions.
    const SUBJECTS = 600;
    const withSubjects = async () => {
      const grove = await installation(places);
      const [tenant] = grove.tenants as [TenantId];
      await grove.vault.tenantKey(grove.db.of(tenant));
      const sealed = await grove.db.of(tenant).write(async (tx) => {
        const all = new Map<string, Uint8Array>();
        for (let at = 0; at < SUBJECTS; at++) all.set(`s${at}`, await grove.vault.sealFor(tx, `s${at}`, 'name', PLAIN));
        return all;
      });
      const db = grove.db.of(tenant);
      const assertOpens = async () => {
        await grove.assertEverythingOpens();
        const fresh = openVault({ master: openMasterKey({ file: grove.file }), clock: testClock() });
        const some = [...sealed].filter((_, at) => at % 7 === 0);
        for (const [subject, each] of some) assert.deepEqual(await fresh.openFor(db, subject, 'name', each), PLAIN);
      };
      return { ...grove, db, system: grove.db, sealed, assertOpens };
    };
    const dataKeys = async (db: TenantDb) => {
      const all = new Map<string, string>();
      for (
        let page = await pageDataKeys(db, { after: '' });
        page.length > 0;
        page = await pageDataKeys(db, { after: page.at(-1)?.subject ?? '' })
      ) {
        for (const { subject, sealed } of page) all.set(subject, hex(sealed));
      }
      return all;
    };

    it('a rotation of a tenant key seals every data key with the new version, and changes neither data nor another tenant', async (t) => {
      const grove = await withSubjects();
      t.after(() => grove.system.close());
      assert.deepEqual(await rotateTenantKey(grove.db, grove.vault), { version: 2, dataKeys: SUBJECTS + 1 });
      const keys = await dataKeys(grove.db);
      assert.equal(keys.size, SUBJECTS + 1);
      assert.deepEqual(new Set(versionsOf(keys)), new Set([2]));
      const neighbour = await findDataKey(grove.system.of(grove.tenants[1] as TenantId), 'alice');
      assert.equal(neighbour && sealedBy(neighbour), 1);
      await grove.assertOpens();
    });

    it('a rotation of a tenant key that was interrupted is finished without another version, and seals nothing twice', async (t) => {
      const grove = await withSubjects();
      t.after(() => grove.system.close());
      // The first transaction creates the version, the second seals a page, the third fails after sealing another.
      await assert.rejects(rotateTenantKey(dyingIn(3, grove.db), grove.vault), /killed/);
      const halfway = await dataKeys(grove.db);
      const sealedAlready = versionsOf(halfway).filter((version) => version === 2).length;
      assert.ok(sealedAlready > 0 && sealedAlready < SUBJECTS, `${sealedAlready}`);
      await grove.assertOpens();

      assert.equal(await resealDataKeys(grove.db, grove.vault, 2), SUBJECTS + 1 - sealedAlready);
      const done = await dataKeys(grove.db);
      assert.deepEqual(new Set(versionsOf(done)), new Set([2]));
      for (const [subject, sealed] of halfway) {
        assert.equal(done.get(subject) === sealed, sealedBy(Buffer.from(sealed, 'hex')) === 2, subject);
      }
      assert.equal(await resealDataKeys(grove.db, grove.vault, 2), 0);
      assert.deepEqual(await dataKeys(grove.db), done);
      assert.equal((await findTenantKeys(grove.db)).length, 2);
      await grove.assertOpens();
    });

    it('a rotation of a tenant key does not restore a subject that was destroyed', async (t) => {
      const grove = await installation(places);
      t.after(() => grove.db.close());
      const db = grove.db.of(grove.tenants[0] as TenantId);
      const sealed = await db.write((tx) => grove.vault.sealFor(tx, 'bob', 'name', PLAIN));
      await db.write((tx) => grove.vault.destroySubject(tx, 'bob'));
      await rotateTenantKey(db, grove.vault);
      await assert.rejects(grove.vault.openFor(db, 'bob', 'name', sealed), /destroyed/);
    });
  });
});

describe('the rotation of the master key with very many tenants', () => {
  const places = testPlaces('sqlite');

  it('a rotation of the master key reaches tenants after the ten-thousandth, and so do the list and the check', async (t) => {
    const { db, file, vault } = await installation(places);
    t.after(() => db.close());
    await db.system.write(async (tx) => {
      for (let at = 1; at <= 10_000; at++) {
        const id = `before-${String(at).padStart(5, '0')}`;
        await addTenant(tx, { id, name: id, status: 'ACTIVE', created_at: 0 });
      }
    });
    // These come last in the order of the ids, and only they have keys, so that the test need not seal ten thousand.
    const last = await addTestTenants(db, 'zebra-1', 'zebra-2');
    for (const tenant of last) await db.of(tenant).write((tx) => vault.createTenantKey(tx));
    assert.equal((await listTenants(db.system)).length, 10_005);

    addMasterKeyVersion(file);
    const master = openMasterKey({ file });
    const done = await resealWithMasterKey(db, master, everyTenantId(db.system));
    assert.deepEqual(done, { systemSecrets: 2, tenantKeys: 5 });
    for (const tenant of last) {
      assert.deepEqual(
        (await findTenantKeys(db.of(tenant))).map(({ sealed }) => sealedBy(sealed)),
        [2],
      );
    }
    const seals = await checkSeals(db, master, everyTenantId(db.system));
    assert.deepEqual(seals, { sealed: 7, versions: new Set([2]), faults: [] });
  });
});
