import type { FileHandle } from 'node:fs/promises';
import type { BlobPart, BlobReader } from './blobs.ts';

/** The most that is read in one go: 256 KiB, and room for what sealing adds to it. */
export const MAX_READ_BYTES = 2 ** 18 + 1024;
const MAX_SPARE = 64;

/**
 * Reads files into reused memory: fresh memory for each portion would cost as much as decrypting it. A portion is valid
 * until the next one is read, and its memory is reused after the file is closed.
 */
export function fileReaders(): (file: FileHandle, part?: BlobPart) => BlobReader {
  const spare: Buffer[] = [];
  return (file, part) => {
    let position = part?.offset ?? 0;
    const end = part ? part.offset + part.size : Number.MAX_SAFE_INTEGER;
    let buffer: Buffer | undefined;
    let reading: Promise<unknown> = Promise.resolve();
    let closed: Promise<void> | undefined;
    const readBytes = async (bytes: number): Promise<Buffer> => {
      if (bytes > MAX_READ_BYTES) throw new Error(`no more than ${MAX_READ_BYTES} bytes are read at once`);
      buffer ??= spare.pop() ?? Buffer.allocUnsafeSlow(MAX_READ_BYTES);
      const byteCount = Math.min(bytes, end - position);
      let filled = 0;
      for (let more = 1; more > 0 && filled < byteCount; filled += more) {
        if (closed) throw new Error('the blob is closed');
        more = (await file.read(buffer, filled, byteCount - filled, position)).bytesRead;
        position += more;
      }
      return buffer.subarray(0, filled);
    };
    const close = async () => {
      // A read that is still running would write into memory that somebody else uses.
      await reading.catch(() => undefined);
      if (buffer && spare.length < MAX_SPARE) spare.push(buffer);
      buffer = undefined;
      await file.close();
    };
    return {
      read(bytes) {
        const portion = closed ? Promise.reject(new Error('the blob is closed')) : readBytes(bytes);
        reading = portion;
        return portion;
      },
      close() {
        closed ??= close();
        return closed;
      },
    };
  };
}
