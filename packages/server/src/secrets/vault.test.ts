import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../test/database.ts';
import { onBothEngines, type TestPlace, testClock } from '../../test/harness.ts';
import type { Db } from '../db/db.ts';
import { MINUTE } from '../kernel/clock.ts';
import { asTenantId, type TenantId } from '../kernel/ids.ts';
import { addTenant } from '../tenants/tenants.repository.ts';
import { dataKeyContext } from './data-keys.ts';
import { openMasterKey } from './master-key.ts';
import { seal, sealedBy, unseal } from './sealing.ts';
import { findDataKey } from './secrets.repository.ts';
import { openVault, type Vault } from './vault.ts';

const MASTER = openMasterKey({ env: `1:${Buffer.alloc(32, 1).toString('base64')}` });
const OTHER_MASTER = openMasterKey({ env: `1:${Buffer.alloc(32, 2).toString('base64')}` });
const PLAIN = Buffer.from('born on a Tuesday');

onBothEngines('the vault', (_engine, places) => {
  const clock = testClock();
  let place: TestPlace;
  let db: Db;
  let vault: Vault;
  let acme: TenantId;
  let other: TenantId;
  before(async () => {
    place = await places.create();
    db = await openTestDb(place);
    vault = openVault({ master: MASTER, clock });
    [acme, other] = await addTestTenants(db, 'acme', 'other');
    for (const tenant of [acme, other]) await db.of(tenant).write((tx) => vault.createTenantKey(tx));
  });
  after(() => db.close());

  const sealFor = (tenant: TenantId, subject: string, context: string, plain = PLAIN, by = vault) =>
    db.of(tenant).write((tx) => by.sealFor(tx, subject, context, plain));
  const openFor = (tenant: TenantId, subject: string, context: string, sealed: Uint8Array, by = vault) =>
    by.openFor(db.of(tenant), subject, context, sealed);

  /** Gives a subject the data key of another, sealed as its own. This is only possible with the tenant keys. */
  const shareDataKey = async (from: string, { tenant, subject }: { tenant: TenantId; subject: string }) => {
    const stored = await findDataKey(db.of(acme), from);
    assert.ok(stored);
    const { key: opener } = await vault.tenantKey(db.of(acme), sealedBy(stored));
    const shared = unseal(opener, dataKeyContext(acme, from), stored);
    await sealFor(tenant, subject, 'name');
    const resealed = seal(await vault.tenantKey(db.of(tenant)), dataKeyContext(tenant, subject), shared);
    const replace = { text: 'UPDATE data_keys SET sealed = $3 WHERE tenant_id = $1 AND subject = $2' };
    await db.of(tenant).write((tx) => tx.run(replace, [tenant, subject, resealed]));
  };

  describe('data', () => {
    it('sealed data opens for its tenant, subject and context, also after a restart', async () => {
      const sealed = await sealFor(acme, 'alice', 'name');
      assert.deepEqual(await openFor(acme, 'alice', 'name', sealed), PLAIN);
      assert.deepEqual(await openFor(acme, 'alice', 'name', sealed, openVault({ master: MASTER, clock })), PLAIN);
    });

    it('sealed data does not open for another tenant, subject or context', async () => {
      const sealed = await sealFor(acme, 'bob', 'name');
      await sealFor(acme, 'carol', 'name');
      await sealFor(other, 'bob', 'name');
      await assert.rejects(openFor(acme, 'carol', 'name', sealed));
      await assert.rejects(openFor(acme, 'bob', 'address', sealed));
      await assert.rejects(openFor(other, 'bob', 'name', sealed));
      await assert.rejects(openFor(acme, 'nobody', 'name', sealed));
    });

    it('sealed data does not open with another master key', async () => {
      const sealed = await sealFor(acme, 'dave', 'name');
      await assert.rejects(openFor(acme, 'dave', 'name', sealed, openVault({ master: OTHER_MASTER, clock })));
    });

    it('sealed data does not open with a data key that was moved to another subject or tenant', async () => {
      const sealed = await sealFor(acme, 'erin', 'name');
      await sealFor(other, 'erin', 'name');
      const key = await findDataKey(db.of(acme), 'erin');
      assert.ok(key);
      const move = { text: 'UPDATE data_keys SET sealed = $3 WHERE tenant_id = $1 AND subject = $2' };
      await sealFor(acme, 'frank', 'name');
      await db.of(acme).write((tx) => tx.run(move, [acme, 'frank', key]));
      await db.of(other).write((tx) => tx.run(move, [other, 'erin', key]));
      await assert.rejects(openFor(acme, 'frank', 'name', sealed));
      await assert.rejects(openFor(other, 'erin', 'name', sealed));
    });

    it('sealed data does not open for another subject or tenant even where both have the same data key', async () => {
      const sealed = await sealFor(acme, 'walter', 'name');
      await shareDataKey('walter', { tenant: acme, subject: 'victor' });
      await shareDataKey('walter', { tenant: other, subject: 'walter' });
      for (const [tenant, subject] of [
        [acme, 'victor'],
        [other, 'walter'],
      ] as const) {
        await assert.rejects(openFor(tenant, subject, 'name', sealed), /unable to authenticate data/);
        await assert.rejects(vault.openTextFor(db.of(tenant), subject, 'name', sealed), /unable to authenticate data/);
        const unsealer = await vault.unsealerFor(db.of(tenant), subject);
        assert.throws(() => unsealer('name', sealed), /unable to authenticate data/);
        assert.deepEqual(await openFor(tenant, subject, 'name', await sealFor(tenant, subject, 'name')), PLAIN);
      }
    });

    it('sealed data of one new subject, sealed by many at once, opens for all of them', async () => {
      const vaults = Array.from({ length: 8 }, () => openVault({ master: MASTER, clock }));
      const sealed = await Promise.all(
        vaults.map((by, at) => sealFor(acme, 'grace', `${at}`, Buffer.from(`${at}`), by)),
      );
      for (const [at, each] of sealed.entries())
        assert.equal(String(await openFor(acme, 'grace', `${at}`, each)), `${at}`);
    });
  });

  describe('long data', () => {
    const bytesOf = async (chunks: AsyncIterable<Uint8Array>) => {
      const all: Uint8Array[] = [];
      for await (const each of chunks) all.push(each);
      return Buffer.concat(all);
    };
    const sealLong = async (tenant: TenantId, subject: string, context: string) => {
      const seal = await db.of(tenant).write((tx) => vault.sealerFor(tx, subject));
      const sealed = seal(context, PLAIN);
      const bytes = await bytesOf(sealed.chunks());
      assert.equal(bytes.length, sealed.size);
      return bytes;
    };
    const openLong = async (tenant: TenantId, subject: string, context: string, sealed: Buffer) => {
      const open = await vault.openerFor(db.of(tenant), subject);
      return bytesOf(open(context, { read: async () => sealed }, PLAIN.length));
    };

    it('long sealed data is sealed after the transaction and opens for its tenant, subject and context alone', async () => {
      const sealed = await sealLong(acme, 'sybil', 'face');
      await sealLong(acme, 'trent', 'face');
      await sealLong(other, 'sybil', 'face');
      assert.deepEqual(await openLong(acme, 'sybil', 'face', sealed), PLAIN);
      await assert.rejects(openLong(acme, 'trent', 'face', sealed));
      await assert.rejects(openLong(acme, 'sybil', 'name', sealed));
      await assert.rejects(openLong(other, 'sybil', 'face', sealed));
      await assert.rejects(openFor(acme, 'sybil', 'face', sealed));
    });

    it('long sealed data does not open for another subject or tenant even where both have the same data key', async () => {
      const sealed = await sealLong(acme, 'xavier', 'face');
      await shareDataKey('xavier', { tenant: acme, subject: 'yolanda' });
      await shareDataKey('xavier', { tenant: other, subject: 'xavier' });
      await assert.rejects(openLong(acme, 'yolanda', 'face', sealed), /unable to authenticate data/);
      await assert.rejects(openLong(other, 'xavier', 'face', sealed), /unable to authenticate data/);
    });

    it('long sealed data is unreadable once its subject is destroyed', async () => {
      const sealed = await sealLong(acme, 'uma', 'face');
      await db.of(acme).write((tx) => vault.destroySubject(tx, 'uma'));
      await assert.rejects(openLong(acme, 'uma', 'face', sealed), /the data key of uma was destroyed/);
    });
  });

  describe('a cached text of the vault', () => {
    const open = (subject: string, context: string, sealed: Uint8Array, tenant = acme) =>
      vault.openTextFor(db.of(tenant), subject, context, sealed);

    it('a cached text of the vault is that of the requested value, only in its place', async () => {
      const one = await sealFor(acme, 'kim', 'name', Buffer.from('Kim'));
      const another = await sealFor(acme, 'kim', 'name', Buffer.from('Kimberly ß'));
      const place = await sealFor(acme, 'kim', 'place', Buffer.from('Oslo'));
      for (let round = 0; round < 2; round++) {
        assert.equal(await open('kim', 'name', one), 'Kim');
        assert.equal(await open('kim', 'name', one), 'Kim');
        assert.equal(await open('kim', 'name', another), 'Kimberly ß');
        assert.equal(await open('kim', 'place', place), 'Oslo');
        await assert.rejects(open('kim', 'place', one));
        assert.equal(await open('kim', 'name', one, other), undefined);
      }
    });

    it('a cached text of the vault is gone with its subject, also if another server has destroyed it', async () => {
      for (const by of [vault, openVault({ master: MASTER, clock })]) {
        const sealed = await sealFor(acme, 'lena', 'name');
        assert.equal(await open('lena', 'name', sealed), PLAIN.toString());
        await db.of(acme).write((tx) => by.destroySubject(tx, 'lena'));
        assert.equal(await open('lena', 'name', sealed), undefined);
      }
    });
  });

  describe('destroying a subject', () => {
    it('the destruction of a subject makes all its data unreadable for good, and nobody else’s', async () => {
      const name = await sealFor(acme, 'heidi', 'name');
      const face = await sealFor(acme, 'heidi', 'face');
      const neighbour = await sealFor(acme, 'heidi2', 'name');
      const namesake = await sealFor(other, 'heidi', 'name');
      await db.of(acme).write((tx) => vault.destroySubject(tx, 'heidi'));
      await assert.rejects(openFor(acme, 'heidi', 'name', name), /the data key of heidi was destroyed/);
      await assert.rejects(openFor(acme, 'heidi', 'face', face));
      assert.deepEqual(await openFor(acme, 'heidi2', 'name', neighbour), PLAIN);
      assert.deepEqual(await openFor(other, 'heidi', 'name', namesake), PLAIN);

      const anew = await sealFor(acme, 'heidi', 'name');
      assert.deepEqual(await openFor(acme, 'heidi', 'name', anew), PLAIN);
      await assert.rejects(openFor(acme, 'heidi', 'name', name));
    });

    it('the destruction of a subject takes effect only at its commit', async () => {
      const sealed = await sealFor(acme, 'ivan', 'name');
      const failed = db.of(acme).write(async (tx) => {
        await vault.destroySubject(tx, 'ivan');
        await assert.rejects(vault.openFor(tx, 'ivan', 'name', sealed));
        throw new Error('as planned');
      });
      await assert.rejects(failed, /as planned/);
      assert.deepEqual(await openFor(acme, 'ivan', 'name', sealed), PLAIN);
    });
  });

  describe('a tenant key', () => {
    it('a tenant key that was rolled back is never used, whichever server creates the next: data sealed then opens after a restart', async () => {
      for (const [id, second] of [
        ['phantom', vault],
        ['phantom2', openVault({ master: MASTER, clock })],
      ] as const) {
        const tenant = asTenantId(id);
        const make = (by: Vault, fails: boolean) =>
          db.of(tenant).write(async (tx) => {
            await addTenant(tx, { id, name: id, status: 'ACTIVE', created_at: 0 });
            await by.createTenantKey(tx);
            const { key } = await by.tenantKey(tx);
            await by.sealFor(tx, 'judy', 'name', PLAIN);
            if (fails) throw new Error('as planned');
            return key;
          });
        await assert.rejects(make(vault, true), /as planned/);
        const key = await make(second, false);
        assert.ok((await vault.tenantKey(db.of(tenant))).key.equals(key));
        const sealed = await sealFor(tenant, 'kim', 'face');

        await db.close();
        db = await openTestDb(place);
        assert.deepEqual(await openFor(tenant, 'kim', 'face', sealed, openVault({ master: MASTER, clock })), PLAIN);
      }
    });

    it('a tenant key of a rotation that was rolled back is never used either', async () => {
      await vault.tenantKey(db.of(acme));
      const failed = db.of(acme).write(async (tx) => {
        await vault.rotateTenantKey(tx);
        await vault.sealFor(tx, 'mallory', 'name', PLAIN);
        throw new Error('as planned');
      });
      await assert.rejects(failed, /as planned/);
      assert.equal((await vault.tenantKey(db.of(acme))).version, 1);
      const sealed = await sealFor(acme, 'niaj', 'name');
      assert.deepEqual(await openFor(acme, 'niaj', 'name', sealed, openVault({ master: MASTER, clock })), PLAIN);
    });

    it('a tenant key does not open for another tenant, or as another version', async () => {
      const [thief] = await addTestTenants(db, 'thief');
      const { sealed } = (await db
        .of(acme)
        .get<{ sealed: Uint8Array }>({ text: 'SELECT sealed FROM tenant_keys WHERE tenant_id = $1 AND version = 1' }, [
          acme,
        ])) as { sealed: Uint8Array };
      const add = { text: 'INSERT INTO tenant_keys (tenant_id, version, sealed, created_at) VALUES ($1, $2, $3, 0)' };
      await db.of(thief).write((tx) => tx.run(add, [thief, 1, sealed]));
      await assert.rejects(vault.tenantKey(db.of(thief)), /unable to authenticate data/);
      await db.of(acme).write((tx) => tx.run(add, [acme, 9, sealed]));
      await assert.rejects(
        openVault({ master: MASTER, clock }).tenantKey(db.of(acme), 9),
        /unable to authenticate data/,
      );
      const remove = { text: 'DELETE FROM tenant_keys WHERE tenant_id = $1 AND version = 9' };
      await db.of(acme).write((tx) => tx.run(remove, [acme]));
    });

    it('a tenant key cannot be created twice, and a tenant without one has its own error', async () => {
      await assert.rejects(
        db.of(acme).write((tx) => vault.createTenantKey(tx)),
        /there already/,
      );
      const [keyless] = await addTestTenants(db, 'keyless');
      await assert.rejects(sealFor(keyless, 'olivia', 'name'), /tenant keyless has no key/);
    });

    it('a tenant key that another node rotated is used here within a minute, and opens at once', async () => {
      const node = openVault({ master: MASTER, clock });
      const before = await sealFor(acme, 'peggy', 'name');
      assert.equal(await db.of(acme).write((tx) => node.rotateTenantKey(tx)), 2);
      const theirs = await sealFor(acme, 'quentin', 'name', PLAIN, node);
      assert.deepEqual(await openFor(acme, 'quentin', 'name', theirs), PLAIN);
      assert.deepEqual(await openFor(acme, 'peggy', 'name', before, node), PLAIN);

      clock.advance(MINUTE);
      await sealFor(acme, 'rupert', 'name');
      const key = await findDataKey(db.of(acme), 'rupert');
      assert.equal(key && sealedBy(key), 2);
    });
  });

  describe('data outside of the database', () => {
    it('data sealed outside of the database opens only in its place, and not as anything else that the master key seals', async () => {
      const sealed = vault.sealOutside('erasures', PLAIN);
      assert.deepEqual(vault.openOutside('erasures', sealed), PLAIN);
      assert.throws(() => vault.openOutside('receipts', sealed), /unable to authenticate data/);
      await vault.systemSecret(db.system, 'inside');
      const inside = await db.system.get<{ sealed: Uint8Array }>(
        { text: "SELECT sealed FROM system_secrets WHERE name = 'inside'" },
        [],
      );
      assert.ok(inside);
      assert.throws(() => vault.openOutside('inside', inside.sealed), /unable to authenticate data/);
    });
  });

  describe('a secret of the installation', () => {
    it('a secret of the installation is created once, by the first server, and is the same for all from then on', async () => {
      const vaults = Array.from({ length: 8 }, () => openVault({ master: MASTER, clock }));
      const secrets = await Promise.all(vaults.map((each) => each.systemSecret(db.system, 'pepper')));
      const texts = new Set(
        secrets.map((versions) =>
          versions.map(({ version, key }) => `${version} ${key.export().toString('hex')}`).join(),
        ),
      );
      assert.equal(texts.size, 1);
      assert.match([...texts].join(), /^1 [0-9a-f]{64}$/);
    });

    it('a secret of the installation is independent of one with another name', async () => {
      const [one] = await vault.systemSecret(db.system, 'one');
      const [two] = await vault.systemSecret(db.system, 'two');
      assert.ok(one && two && !one.key.equals(two.key));
    });

    it('a secret of the installation does not open under another name or as another version, nor as the key of a tenant', async () => {
      const [mine] = await vault.systemSecret(db.system, 'of one name');
      assert.ok(mine);
      const copy = (name: string, version: number) => ({
        text: `INSERT INTO system_secrets (name, version, sealed, created_at)
          SELECT '${name}', ${version}, sealed, 0 FROM system_secrets WHERE name = 'of one name' AND version = 1`,
      });
      await db.system.write((tx) => tx.run(copy('of another name', 1), []));
      await assert.rejects(vault.systemSecret(db.system, 'of another name'), /unable to authenticate data/);
      await db.system.write((tx) => tx.run(copy('of one name', 2), []));
      await assert.rejects(vault.systemSecret(db.system, 'of one name'), /unable to authenticate data/);
      const [stranger] = await addTestTenants(db, 'stranger');
      const asTenantKey = {
        text: `INSERT INTO tenant_keys (tenant_id, version, sealed, created_at)
          SELECT $1, 1, sealed, 0 FROM system_secrets WHERE name = 'of one name' AND version = 1`,
      };
      await db.of(stranger).write((tx) => tx.run(asTenantKey, [stranger]));
      await assert.rejects(vault.tenantKey(db.of(stranger)), /unable to authenticate data/);
    });

    it('a secret of the installation does not open with another master key', async () => {
      await vault.systemSecret(db.system, 'mine');
      await assert.rejects(openVault({ master: OTHER_MASTER, clock }).systemSecret(db.system, 'mine'));
    });
  });
});
