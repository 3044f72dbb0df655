import sharp from 'sharp';
import type { Canvas } from './canvas.ts';
import type { Rectangle } from './draw-document.ts';

/** Puts a photograph where the drawn portrait is. It fills the place; what does not fit is cut off evenly. */
export async function pastePortrait(canvas: Canvas, place: Rectangle, picture: Uint8Array): Promise<void> {
  const { left, top, width, height } = place;
  const pixels = await sharp(picture)
    .autoOrient()
    .resize(width, height, { fit: 'cover' })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  for (let row = 0; row < height; row += 1) {
    const line = pixels.subarray(row * width * 3, (row + 1) * width * 3);
    canvas.data.set(line, ((top + row) * canvas.width + left) * 3);
  }
}
