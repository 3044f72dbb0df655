import type { Point } from '../images/geometry.ts';
import { box, type Canvas, type Colour, ellipse, fill, stroke } from './canvas.ts';
import { pick, type Random, within } from './random.ts';

const SKINS: readonly Colour[] = [
  [246, 214, 190],
  [224, 178, 142],
  [188, 134, 96],
  [134, 90, 62],
  [96, 64, 46],
];
const HAIRS: readonly Colour[] = [
  [36, 28, 24],
  [92, 60, 36],
  [168, 120, 60],
  [214, 186, 120],
  [150, 150, 150],
];
const CLOTHES: readonly Colour[] = [
  [52, 70, 110],
  [110, 46, 52],
  [60, 90, 70],
  [70, 70, 76],
];

/** Draws an invented face on a plain background into a rectangle. */
export function drawPortrait(canvas: Canvas, at: Point, width: number, height: number, random: Random): void {
  const skin = pick(random, SKINS);
  const hair = pick(random, HAIRS);
  const shade = skin.map((value) => value * 0.82) as unknown as Colour;
  const pointAt = (x: number, y: number): Point => ({ x: at.x + x * width, y: at.y + y * height });
  const head = { across: within(random, 0.2, 0.24) * width, down: within(random, 0.24, 0.27) * height };
  fill(canvas, box(at.x, at.y, width, height), [222, 228, 234]);
  const long = random() < 0.5;
  fill(canvas, ellipse(pointAt(0.5, long ? 0.48 : 0.38), head.across * 1.3, head.down * (long ? 1.5 : 1.15)), hair);
  fill(canvas, ellipse(pointAt(0.5, 1.02), width * 0.44, height * 0.26), pick(random, CLOTHES));
  fill(canvas, box(at.x + 0.42 * width, at.y + 0.6 * height, 0.16 * width, 0.2 * height), shade);
  fill(canvas, ellipse(pointAt(0.5, 0.45), head.across, head.down), skin);
  for (const side of [-1, 1]) {
    const eye = pointAt(0.5 + side * 0.095, 0.42);
    fill(canvas, ellipse(eye, width * 0.042, height * 0.017), [250, 250, 250]);
    fill(canvas, ellipse(eye, width * 0.018, height * 0.016), [50, 40, 36]);
    fill(canvas, stroke([pointAt(0.5 + side * 0.145, 0.372), pointAt(0.5 + side * 0.05, 0.366)], height * 0.014), hair);
    fill(canvas, ellipse(pointAt(0.5 + side * 0.225, 0.46), width * 0.025, height * 0.045), shade);
  }
  fill(canvas, stroke([pointAt(0.5, 0.42), pointAt(0.478, 0.52), pointAt(0.51, 0.525)], height * 0.009), shade);
  const smile = within(random, 0.002, 0.016);
  fill(
    canvas,
    stroke([pointAt(0.435, 0.585), pointAt(0.5, 0.585 + smile), pointAt(0.565, 0.585)], height * 0.016),
    [168, 76, 76],
  );
  fill(canvas, ellipse(pointAt(0.5, 0.22), head.across * 1.02, head.down * 0.36), hair);
}
