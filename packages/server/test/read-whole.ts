import type { BlobReader } from '../src/engines/blobs/blobs.ts';

const PORTION_BYTES = 200_000;

/** All of a blob, read in portions of another size than it was written. */
export async function readWhole(blob: BlobReader): Promise<Buffer> {
  const all: Buffer[] = [];
  try {
    for (let portion = await blob.read(PORTION_BYTES); ; portion = await blob.read(PORTION_BYTES)) {
      all.push(Buffer.from(portion));
      if (portion.length < PORTION_BYTES) return Buffer.concat(all);
    }
  } finally {
    await blob.close();
  }
}
