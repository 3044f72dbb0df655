import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** Real images, small ones, for every test that just needs an image. */
export function picture(width = 32, height = 24, channels: 3 | 4 = 3): Sharp {
  return sharp({ create: { width, height, channels, background: '#b03a2e' } });
}

/** An image of noise, which compresses badly: as a JPEG it has about half a byte for each pixel. */
export function noise(width: number, height: number): Sharp {
  const dots = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  return sharp({ create: { width, height, channels: 3, background: '#808080', noise: dots } });
}

export const JPEG = new Uint8Array(await picture().jpeg().toBuffer());
export const PNG = new Uint8Array(await picture().png().toBuffer());
export const WEBP = new Uint8Array(await picture().webp().toBuffer());

/** Red, green / blue, white: 64 by 32. */
export async function quadrants(): Promise<Sharp> {
  const quarter = (background: string) => sharp({ create: { width: 32, height: 16, channels: 3, background } }).png();
  const at = async (background: string, left: number, top: number) => ({
    input: await quarter(background).toBuffer(),
    left,
    top,
  });
  return picture(64, 32).composite([
    await at('red', 0, 0),
    await at('green', 32, 0),
    await at('blue', 0, 16),
    await at('white', 32, 16),
  ]);
}

const SIGNATURE_AND_HEADER = 8 + 25;

function chunk(name: string, data: Uint8Array): Buffer {
  const nameAndData = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(nameAndData), 4);
  return Buffer.concat([ends.subarray(0, 4), nameAndData, ends.subarray(4)]);
}

/** A PNG with one more chunk after its header. */
export function withChunk(png: Uint8Array, name: string, data: Uint8Array): Buffer {
  return Buffer.concat([png.subarray(0, SIGNATURE_AND_HEADER), chunk(name, data), png.subarray(SIGNATURE_AND_HEADER)]);
}

/** An animation header with two frames. */
export function apng(png: Uint8Array): Buffer {
  return withChunk(png, 'acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]));
}

/** A PNG of one colour and one bit for each pixel: a small file, whatever size it declares. */
export function bombPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const rows = Buffer.alloc(Math.min(height * (Math.ceil(width / 8) + 1), 2 ** 25));
  const signature = Buffer.from(PNG.subarray(0, 8));
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ]);
}
