import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { writeItem } from './write-item.ts';

const IMAGE = randomBytes(1000);

function inChunks(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

describe('an item of user data as JSON', () => {
  it('an item of user data as JSON holds the whole image in base64, in whatever pieces it is read, and has the length that was said', async () => {
    for (const length of [0, 1, 2, 3, 4, 998, 999, 1000]) {
      const image = IMAGE.subarray(0, length);
      for (const size of [1, 2, 3, 4, 100, 2000]) {
        const written = writeItem('image/jpeg', Readable.from(inChunks(image, size)), length);
        const text = String(await buffer(written.json));
        assert.deepEqual(JSON.parse(text), { contentType: 'image/jpeg', data: image.toString('base64') });
        assert.equal(text.length, written.length);
      }
    }
  });

  it('an item of user data as JSON is sent while the image is read, so that a long one delays nobody', async () => {
    let read = 0;
    async function* endless() {
      for (;;) {
        read += IMAGE.length;
        yield IMAGE;
      }
    }
    const { json } = writeItem('image/jpeg', Readable.from(endless()), Number.MAX_SAFE_INTEGER);
    let sent = 0;
    for await (const piece of json) {
      sent += piece.length;
      assert.ok(read - sent < 200 * IMAGE.length, `${read} bytes were read and ${sent} characters were sent`);
      if (sent > 100 * IMAGE.length) break;
    }
    const readBefore = read;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(read, readBefore, 'nothing is read for a caller who has disconnected');
  });

  it('an item of user data as JSON has no beginning if the image cannot be read', async () => {
    const fault = new Error('the blob was changed');
    const image = new Readable({ read: () => image.destroy(fault) });
    const pieces: string[] = [];
    const reading = (async () => {
      for await (const piece of writeItem('image/jpeg', image, 10).json) pieces.push(piece);
    })();
    await assert.rejects(reading, fault);
    assert.deepEqual(pieces, []);
  });
});
