import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { unzip } from '../../test/unzip.ts';
import { type Archive, writeArchive } from './write-archive.ts';

const IMAGE_BYTES = 1024 * 1024;

/** An archive of images that counts how many were read, and how many at once. */
function imagesOf(count: number) {
  const counts = { read: 0, reading: 0, most: 0 };
  const archive: Archive = {
    at: 1_700_000_000_000,
    entries: Array.from({ length: count }, (_, at) => ({
      path: `faces/face1/frame${at}.jpg`,
      contentType: 'image/jpeg',
      async open() {
        counts.read += 1;
        counts.reading += 1;
        counts.most = Math.max(counts.most, counts.reading);
        await turn();
        counts.reading -= 1;
        return Readable.from([Buffer.alloc(IMAGE_BYTES, at)]);
      },
    })),
    ensureAllowed: async () => undefined,
    manifest: (entries) => ({ entries }),
    sign: async () => 'header..signature',
  };
  return { archive, counts };
}

describe('the stream of an archive', () => {
  it('the stream of an archive reads one entry after another, and no further ahead than its reader', async () => {
    const { archive, counts } = imagesOf(50);
    const readable = writeArchive(archive);
    await once(readable, 'readable');
    for (let turns = 0; turns < 100; turns++) await turn();
    assert.ok(counts.read <= 3, `${counts.read} images were read for nobody`);
    const entries = await unzip(await buffer(readable));
    assert.deepEqual([counts.read, counts.most, entries.size], [50, 1, 52]);
  });

  it('the stream of an archive reads nothing more once its reader has disconnected', async () => {
    const { archive, counts } = imagesOf(50);
    const readable = writeArchive(archive);
    await once(readable, 'readable');
    readable.destroy();
    for (let turns = 0; turns < 100; turns++) await turn();
    assert.ok(counts.read <= 3, `${counts.read} images were read for nobody`);
  });

  it('the stream of an archive stops before the next entry for a caller who has lost the permission', async () => {
    const { archive, counts } = imagesOf(50);
    const fault = new Error('the permission was lost');
    const ensureAllowed = async () => {
      if (counts.read === 10) throw fault;
    };
    await assert.rejects(buffer(writeArchive({ ...archive, ensureAllowed })), fault);
    assert.equal(counts.read, 10);
  });

  it('the stream of an archive fails with the fault of an entry that cannot be read', async () => {
    const { archive } = imagesOf(2);
    const fault = new Error('the blob is gone');
    const failing = async function* () {
      yield Buffer.alloc(10);
      throw fault;
    };
    for (const open of [() => Promise.reject(fault), async () => Readable.from(failing())]) {
      const entries = [...archive.entries, { path: 'x.jpg', contentType: 'image/jpeg', open }];
      await assert.rejects(buffer(writeArchive({ ...archive, entries })), fault);
    }
  });
});
