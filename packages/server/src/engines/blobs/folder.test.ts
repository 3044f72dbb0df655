import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { readWhole } from '../../../test/read-whole.ts';
import { newId } from '../../kernel/ids.ts';
import { type Blobs, SHARDS } from './blobs.ts';
import { openFolder } from './folder.ts';

const failing = () => {
  throw new Error('as planned');
};

describe('blobs in a folder', () => {
  let folder: string;
  let blobs: Blobs;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'grove-blobs-'));
    blobs = openFolder(join(folder, 'blobs'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const read = async (key: string) => readWhole(await blobs.get(key));
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((each) => (each.isFile() ? [each.name] : []));

  it('the store of blobs in a folder returns what was stored, byte for byte, also an empty blob or one stored again', async () => {
    const key = newId(Date.now());
    for (const bytes of [Buffer.from([0, 255, 10, 13]), Buffer.alloc(0), Buffer.alloc(3_000_000, 7)]) {
      await blobs.put(key, bytes);
      assert.ok(bytes.equals(await read(key)));
    }
  });

  it('the store of blobs in a folder returns a part of a blob, and nothing behind it', async () => {
    const key = newId(Date.now());
    const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => at % 251));
    await blobs.put(key, bytes);
    for (const [offset, size] of [
      [0, 10],
      [7, 1],
      [1000, 2_500_000],
      [2_999_999, 1],
    ] as const) {
      const part = await readWhole(await blobs.get(key, { offset, size }));
      assert.ok(part.equals(bytes.subarray(offset, offset + size)), `${offset} ${size}`);
    }
    assert.equal((await readWhole(await blobs.get(key, { offset: 3_000_000, size: 1 }))).length, 0);
  });

  it('the store of blobs in a folder leaves only the file of the blob, which only its owner can read', async () => {
    const key = newId(Date.now());
    await blobs.put(key, Buffer.from('sealed'));
    assert.ok(files().every((name) => /^[0-9A-Z]{26}$/.test(name)));
    assert.equal(statSync(join(folder, 'blobs', key.slice(-2), key.slice(-4, -2), key)).mode & 0o077, 0);
  });

  it('the store of blobs in a folder deletes a blob, and deletes it again without a fault', async () => {
    const key = newId(Date.now());
    await blobs.put(key, Buffer.from('sealed'));
    await blobs.delete(key);
    await blobs.delete(key);
    await assert.rejects(blobs.get(key), { name: 'BlobError', fault: 'missing' });
  });

  it('many blobs in a folder are stored and read at once without mixing', async () => {
    const keys = Array.from({ length: 100 }, () => newId(Date.now()));
    await Promise.all(keys.map((key) => blobs.put(key, Buffer.from(key))));
    assert.deepEqual((await Promise.all(keys.map(read))).map(String), keys);
  });

  it('readers of blobs in a folder get their own bytes, whoever else reads, has finished, or has left in the middle', async () => {
    const keys = Array.from({ length: 20 }, () => newId(Date.now()));
    const bytesOf = (key: string) => Buffer.alloc(500_000, key);
    await Promise.all(keys.map((key) => blobs.put(key, bytesOf(key))));
    const leave = async (key: string) => {
      const blob = await blobs.get(key);
      const portion = blob.read(200_000).catch((error: Error) => error.message);
      await Promise.all([blob.close(), blob.close()]);
      await assert.rejects(blob.read(1), /is closed/);
      return portion;
    };
    for (let round = 0; round < 3; round++) {
      const departures = Promise.all(keys.map(leave));
      for (const [at, whole] of (await Promise.all(keys.map(read))).entries()) {
        assert.ok(whole.equals(bytesOf(keys[at] as string)));
      }
      await departures;
    }
  });

  it('a write of a blob that fails keeps the old bytes, and leaves no other file', async () => {
    const key = newId(Date.now());
    await blobs.put(key, Buffer.from('old'));
    const before = files().length;
    const broken = { size: 9, chunks: () => Readable.from([Buffer.from('half')]).map(failing) };
    await assert.rejects(blobs.put(key, broken), /as planned/);
    await assert.rejects(blobs.put(key, { size: 9, chunks: () => Readable.from([Buffer.from('half')]) }), /has 4/);
    assert.equal(String(await read(key)), 'old');
    assert.equal(files().length, before);
    writeFileSync(join(folder, 'in-the-way'), '');
    await assert.rejects(openFolder(join(folder, 'in-the-way')).put(key, Buffer.from('x')), { fault: 'unavailable' });
  });

  it('the store of blobs in a folder lists by shard its blobs and partial files, but no foreign files', async () => {
    const key = newId(Date.now());
    await blobs.put(key, Buffer.from('x'));
    const place = join(folder, 'blobs', key.slice(-2), key.slice(-4, -2));
    writeFileSync(join(place, `${key}.0.part`), 'half');
    writeFileSync(join(place, 'README'), 'not ours');
    const keys: (string | undefined)[] = [];
    for (const shard of SHARDS) {
      for await (const each of blobs.list(shard)) {
        if (each.key === key) assert.equal(shard, key.slice(-2));
        if (each.key === undefined) await each.remove();
        assert.ok(Math.abs(each.storedAt - Date.now()) < 60_000);
        keys.push(each.key);
      }
    }
    assert.ok(keys.includes(key) && keys.includes(undefined));
    assert.ok(!existsSync(join(place, `${key}.0.part`)) && existsSync(join(place, 'README')));
    assert.ok(keys.every((each) => each === undefined || /^[0-9A-Z]{26}$/.test(each)));
  });

  it('the store of blobs in a folder creates its folder, and reports one that it cannot create', async () => {
    await openFolder(join(folder, 'not-yet')).check();
    await blobs.check();
    const inTheWay = join(folder, 'a-file', 'blobs');
    writeFileSync(join(folder, 'a-file'), '');
    await assert.rejects(openFolder(inTheWay).check(), { fault: 'unavailable' });
  });

  it('the store of blobs in a folder reports a full disk as "full", keeps its blobs, and works again once there is room', async (t) => {
    const small = join(folder, 'small');
    mkdirSync(small);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', small]).status === 0;
    if (!mounted) return t.skip('no small disk can be mounted here');
    try {
      const full = openFolder(small);
      const [first, second] = [newId(Date.now()), newId(Date.now())];
      await full.put(first, Buffer.alloc(150_000, 1));
      await assert.rejects(full.put(second, Buffer.alloc(150_000, 2)), { fault: 'full', status: 507 });
      await assert.rejects(full.put(first, Buffer.alloc(150_000, 2)), { fault: 'full' });
      assert.ok(Buffer.alloc(150_000, 1).equals(await readWhole(await full.get(first))));
      await assert.rejects(full.get(second), { fault: 'missing' });
      await full.delete(first);
      await full.put(second, Buffer.alloc(150_000, 2));
    } finally {
      spawnSync('umount', [small]);
    }
  });

  for (const key of [
    '',
    '.',
    '../x',
    'a/b',
    `${newId(0)}/..`,
    newId(0).toLowerCase(),
    `${newId(0)}\n`,
    `${newId(0)}x`,
  ]) {
    it(`the store of blobs in a folder refuses ${JSON.stringify(key)}, which is not an id`, async () => {
      await assert.rejects(blobs.put(key, Buffer.from('x')), /is an id/);
      await assert.rejects(blobs.get(key), /is an id/);
      await assert.rejects(blobs.delete(key), /is an id/);
    });
  }
});
