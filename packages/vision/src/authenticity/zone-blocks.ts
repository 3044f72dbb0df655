import { apply, homography, rectangle } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { blocksWithin, SIDE } from './jpeg-blocks.ts';
import { PITCH } from './zone-glyphs.ts';
import type { CellPosition, Strip } from './zone-strip.ts';

/** A digit and the paper above and below it, in pixels of a strip. */
const [ABOVE, BELOW] = [2, 4];

/** The blocks of a JPEG whose middle lies on each digit of a line. */
export function digitBlocks(
  image: Raster,
  strip: Strip,
  positions: readonly CellPosition[],
  text: string,
): readonly number[][] {
  const toImage = homography(rectangle(strip.width, strip.height), strip.quad);
  return positions.flatMap(({ x, y, scale }, index) => {
    if (!/\d/.test(text[index] as string)) return [];
    const [left, right] = [x + 1, x + PITCH - 1];
    const [top, bottom] = [y - ABOVE, y + PITCH * scale + BELOW];
    const corners = [left, right].flatMap((across) =>
      [top, bottom].map((down) => apply(toImage, { x: across, y: down })),
    );
    const xs = corners.map((corner) => corner.x);
    const ys = corners.map((corner) => corner.y);
    const half = SIDE / 2;
    return [
      blocksWithin(
        image,
        Math.min(...xs) - half,
        Math.min(...ys) - half,
        Math.max(...xs) + half,
        Math.max(...ys) + half,
      ),
    ];
  });
}
