import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { type Frame, frameParts, readFrames } from './frames.ts';

const bytesOf = (words: object, bytes?: Uint8Array) => Buffer.concat(frameParts(words, bytes));

async function read(bytes: Buffer, { part = 5, maxBytes = 1000 } = {}): Promise<Frame[]> {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += part) parts.push(bytes.subarray(at, at + part));
  return Array.fromAsync(readFrames(Readable.from(parts), maxBytes));
}

describe('frames over a pipe', () => {
  it('frames over a pipe arrive unchanged, whatever the size of the pieces in which they arrive', async () => {
    const frames: Frame[] = [
      { words: { ready: true }, bytes: Buffer.alloc(0) },
      { words: { type: 'ü' }, bytes: Buffer.from([0, 1, 2, 255]) },
      { words: {}, bytes: Buffer.alloc(900, 7) },
    ];
    const all = Buffer.concat(frames.map(({ words, bytes }) => bytesOf(words, bytes)));
    for (const part of [1, 3, 8, 100, 10_000]) assert.deepEqual(await read(all, { part }), frames);
  });

  it('frames over a pipe are refused if they are longer than allowed, before memory is reserved for them', async () => {
    await assert.rejects(read(bytesOf({}, Buffer.alloc(1001))), /too long/);
    await assert.rejects(read(bytesOf({ words: 'x'.repeat(2000) })), /too long/);
    await assert.rejects(read(Buffer.alloc(8, 255)), /too long/);
  });

  it('frames over a pipe are refused if they end in the middle, or are not frames', async () => {
    await assert.rejects(read(bytesOf({}, Buffer.alloc(10)).subarray(0, -1)), /within a frame/);
    await assert.rejects(read(Buffer.alloc(3)), /within a frame/);
    await assert.rejects(read(Buffer.concat([Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]), Buffer.from('{x')])), SyntaxError);
    assert.deepEqual(await read(Buffer.alloc(0)), []);
  });
});
