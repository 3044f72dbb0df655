import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../kernel/ids.ts';
import type { Blobs } from './blobs.ts';
import { openFolder } from './folder.ts';

describe('blobs in a folder', () => {
  let folder: string;
  let blobs: Blobs;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'grove-blobs-'));
    blobs = openFolder(join(folder, 'blobs'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((each) => (each.isFile() ? [each.name] : []));

  it('gives back what was put, byte for byte, also when it is empty or put again', async () => {
    const key = newId(Date.now());
    for (const bytes of [Buffer.from([0, 255, 10, 13]), Buffer.alloc(0), Buffer.alloc(3_000_000, 7)]) {
      await blobs.put(key, bytes);
      assert.ok(bytes.equals(await blobs.get(key)));
    }
  });

  it('leaves nothing but the blob, which only its owner can read', async () => {
    const key = newId(Date.now());
    await blobs.put(key, Buffer.from('sealed'));
    assert.ok(files().every((name) => /^[0-9A-Z]{26}$/.test(name)));
    assert.equal(statSync(join(folder, 'blobs', key.slice(-2), key.slice(-4, -2), key)).mode & 0o077, 0);
  });

  it('deletes, and deletes again without a fault', async () => {
    const key = newId(Date.now());
    await blobs.put(key, Buffer.from('sealed'));
    await blobs.delete(key);
    await blobs.delete(key);
    await assert.rejects(blobs.get(key), { code: 'ENOENT' });
  });

  it('many at once do not disturb each other', async () => {
    const keys = Array.from({ length: 100 }, () => newId(Date.now()));
    await Promise.all(keys.map((key) => blobs.put(key, Buffer.from(key))));
    const read = await Promise.all(keys.map((key) => blobs.get(key)));
    assert.deepEqual(read.map(String), keys);
  });

  it('a write that fails leaves the old bytes and nothing beside them', async () => {
    const key = newId(Date.now());
    await blobs.put(key, Buffer.from('old'));
    const before = files().length;
    await assert.rejects(blobs.put(key, Symbol('no bytes') as never));
    assert.equal(String(await blobs.get(key)), 'old');
    assert.equal(files().length, before);
    writeFileSync(join(folder, 'in-the-way'), '');
    await assert.rejects(openFolder(join(folder, 'in-the-way')).put(key, Buffer.from('x')));
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
    it(`refuses ${JSON.stringify(key)}, which is no id`, async () => {
      await assert.rejects(blobs.put(key, Buffer.from('x')), /is an id/);
      await assert.rejects(blobs.get(key), /is an id/);
      await assert.rejects(blobs.delete(key), /is an id/);
    });
  }
});
