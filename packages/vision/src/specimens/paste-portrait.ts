import sharp from 'sharp';
import type { Canvas } from './canvas.ts';
import type { Rectangle } from './draw-document.ts';

/** Portraits are printed into the paper and fade at their edges, over this share of their width. */
const FADING = 0.1;

/** Puts a photograph in the place of the drawn portrait, cropped evenly. */
export async function pastePortrait(canvas: Canvas, area: Rectangle, picture: Uint8Array): Promise<void> {
  const { left, top, width, height } = area;
  const pixels = await sharp(picture)
    .autoOrient()
    .resize(width, height, { fit: 'cover' })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const inside = Math.min(row, column, height - 1 - row, width - 1 - column) / (FADING * width);
      const share = Math.min(1, inside);
      const to = ((top + row) * canvas.width + left + column) * 3;
      const from = (row * width + column) * 3;
      for (let k = 0; k < 3; k += 1) {
        const below = canvas.data[to + k] as number;
        canvas.data[to + k] = below + ((pixels[from + k] as number) - below) * share + 0.5;
      }
    }
  }
}
