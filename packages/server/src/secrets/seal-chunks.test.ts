import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { CHUNK_BYTES, MAX_PORTION_BYTES, openChunks, sealChunks, sealedSize } from './seal-chunks.ts';
import { newKey } from './sealing.ts';

const KEY = newKey();
const CONTEXT = 'the place';
const TAG = 16;
const HEADER = 33;

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const each of chunks) all.push(each);
  return Buffer.concat(all);
}

/** Returns the bytes like a store: in memory that is used again for each read. */
function sourceOf(bytes: Buffer) {
  const memory = Buffer.alloc(MAX_PORTION_BYTES);
  let at = 0;
  return {
    async read(size: number) {
      assert.ok(size <= MAX_PORTION_BYTES);
      const copied = bytes.copy(memory.fill(0), 0, at, at + size);
      at += copied;
      return memory.subarray(0, copied);
    },
  };
}

const seal = (plain: Uint8Array, context = CONTEXT) => bytesOf(sealChunks(KEY, context, plain));
const open = (sealed: Buffer, size: number, { key = KEY, context = CONTEXT } = {}) =>
  bytesOf(openChunks(key, context, sourceOf(sealed), size));

describe('data that is sealed in chunks', () => {
  for (const size of [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES, 5 * CHUNK_BYTES + 7]) {
    it(`data that is sealed in chunks opens unchanged, has the declared length, and does not open with another length: ${size} bytes`, async () => {
      const plain = randomBytes(size);
      const sealed = await seal(plain);
      assert.equal(sealed.length, sealedSize(size));
      assert.ok(plain.equals(await open(sealed, size)));
      for (const other of [size - 1, size + 1, size + CHUNK_BYTES, 0]) {
        if (other >= 0 && other !== size) await assert.rejects(open(sealed, other));
      }
    });
  }

  it('data that is sealed in chunks differs each time', async () => {
    assert.notDeepEqual(await seal(Buffer.from('one')), await seal(Buffer.from('one')));
  });

  it('data that is sealed in chunks does not open with another key or in another place', async () => {
    const sealed = await seal(Buffer.from('mine'));
    assert.equal(String(await open(sealed, 4)), 'mine');
    await assert.rejects(open(sealed, 4, { key: newKey() }));
    await assert.rejects(open(sealed, 4, { context: 'another place' }));
  });

  const plain = randomBytes(3 * CHUNK_BYTES);
  const chunk = (sealed: Buffer, number: number) =>
    sealed.subarray(HEADER + number * (CHUNK_BYTES + TAG), HEADER + (number + 1) * (CHUNK_BYTES + TAG));
  const changes: Record<string, (sealed: Buffer) => Buffer> = {
    'a bit of the format': (sealed) => withBit(sealed, 0),
    'a bit of the salt': (sealed) => withBit(sealed, 20),
    'a bit of the first chunk': (sealed) => withBit(sealed, HEADER + 5),
    'a bit of the last tag': (sealed) => withBit(sealed, sealed.length - 1),
    'its last byte missing': (sealed) => sealed.subarray(0, -1),
    'its last chunk missing': (sealed) => sealed.subarray(0, HEADER + 2 * (CHUNK_BYTES + TAG)),
    'all chunks missing': (sealed) => sealed.subarray(0, HEADER),
    'nothing left': () => Buffer.alloc(0),
    'a byte more': (sealed) => Buffer.concat([sealed, Buffer.alloc(1)]),
    'a chunk twice': (sealed) => Buffer.concat([sealed.subarray(0, HEADER), chunk(sealed, 0), sealed.subarray(HEADER)]),
    'two chunks exchanged': (sealed) =>
      Buffer.concat([sealed.subarray(0, HEADER), chunk(sealed, 1), chunk(sealed, 0), chunk(sealed, 2)]),
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`data that is sealed in chunks does not open with ${what}`, async () => {
      await assert.rejects(open(change(await seal(plain)), plain.length));
    });
  }

  it('data that is sealed in chunks does not open if it was cut at the end of a chunk, even if the stored size agrees', async () => {
    const cut = (await seal(plain)).subarray(0, HEADER + 2 * (CHUNK_BYTES + TAG));
    assert.equal(cut.length, sealedSize(2 * CHUNK_BYTES));
    await assert.rejects(open(cut, 2 * CHUNK_BYTES));
  });

  it('data that is sealed in chunks yields the chunks before a changed one, and nothing of that one', async () => {
    const sealed = await seal(plain);
    const chunks: Buffer[] = [];
    await assert.rejects(async () => {
      const source = sourceOf(withBit(sealed, sealed.length - 20));
      for await (const each of openChunks(KEY, CONTEXT, source, plain.length)) {
        chunks.push(each);
      }
    });
    assert.ok(Buffer.concat(chunks).equals(plain.subarray(0, 2 * CHUNK_BYTES)));
  });
});

function withBit(sealed: Buffer, at: number): Buffer {
  const changed = Buffer.from(sealed);
  changed[at] = (changed[at] as number) ^ 1;
  return changed;
}
