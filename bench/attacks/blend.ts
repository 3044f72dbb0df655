import { type Point, pointAt, type Still, sample } from './still.ts';

/** Blends two faces after aligning their eyes and mouths; `share` is the share of the second. */
export function blendFaces(one: Still, other: Still, share: number): Still {
  const { width, height } = one;
  const transform = placement(one, other);
  const source = Float32Array.from(other.data);
  const data = new Uint8Array(one.data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const { x: sx, y: sy } = transform(x, y);
      const isInside = sx >= 0 && sy >= 0 && sx < other.width && sy < other.height;
      const weight = isInside ? share : 0;
      const at = (y * width + x) * 3;
      for (let channel = 0; channel < 3; channel += 1) {
        const second = weight > 0 ? sample(source, other, sx, sy, channel) : 0;
        data[at + channel] = (one.data[at + channel] as number) * (1 - weight) + second * weight;
      }
    }
  }
  return { ...one, data };
}

/** Maps a pixel of the first picture to the second, by the middle of the eyes and that of the mouth. */
function placement(one: Still, other: Still): (x: number, y: number) => Point {
  const [from, to] = [anchors(one), anchors(other)];
  const before = { x: from.mouth.x - from.eyes.x, y: from.mouth.y - from.eyes.y };
  const after = { x: to.mouth.x - to.eyes.x, y: to.mouth.y - to.eyes.y };
  const length = before.x ** 2 + before.y ** 2;
  const a = (after.x * before.x + after.y * before.y) / length;
  const b = (after.y * before.x - after.x * before.y) / length;
  return (x, y) => {
    const [dx, dy] = [x - from.eyes.x, y - from.eyes.y];
    return { x: to.eyes.x + a * dx - b * dy, y: to.eyes.y + b * dx + a * dy };
  };
}

function anchors({ points }: Still): { eyes: Point; mouth: Point } {
  const middle = (one: number, other: number): Point => {
    const [first, second] = [pointAt(points, one), pointAt(points, other)];
    return { x: (first.x + second.x) / 2, y: (first.y + second.y) / 2 };
  };
  return { eyes: middle(36, 45), mouth: middle(48, 54) };
}
