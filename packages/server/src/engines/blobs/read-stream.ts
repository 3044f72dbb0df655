import type { Readable } from 'node:stream';
import type { BlobReader } from './blobs.ts';

/** Reads a stream in portions of the requested size, whatever the size of its chunks. */
export function readStream(stream: Readable): BlobReader {
  const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let rest: Uint8Array = new Uint8Array();
  return {
    async read(bytes) {
      const parts: Uint8Array[] = [];
      for (let missing = bytes; missing > 0; ) {
        if (rest.length === 0) {
          const { value, done } = await pieces.next();
          if (done) break;
          rest = value;
        }
        const piece = rest.subarray(0, missing);
        rest = rest.subarray(piece.length);
        missing -= piece.length;
        parts.push(piece);
      }
      return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
    },
    async close() {
      stream.on('error', () => undefined).destroy();
    },
  };
}
