import { type Point, pointAt, type Still, sample } from './still.ts';

export type Expression = {
  /** From 0, open, to 1, closed. */
  readonly eyesClosed?: number;
  /** The index of the way to draw closed eyes. */
  readonly eyePaint?: number;
  /** In widths of the mouth. */
  readonly mouthGap?: number;
};

/** Closed eyes are the skin of the upper lid pulled down; an open mouth is the lower face pulled down and a dark hole. */
export function drawExpression(
  still: Still,
  { eyesClosed = 0, eyePaint = 0, mouthGap = 0 }: Expression,
  paint: 'rough' | 'careful',
): Float32Array {
  let data: Float32Array = Float32Array.from(still.data);
  if (mouthGap > 0) data = openMouth(still, data, mouthGap, paint);
  const close = EYE_PAINTS[eyePaint % EYE_PAINTS.length] as EyePaint;
  if (eyesClosed > 0) for (const outer of [36, 42]) data = close(still, data, outer, eyesClosed);
  return data;
}

/** How far the lashes reach beyond the lids, in widths of the eye. */
const LASHES = 0.06;

/** Stretches the skin above the eye over it, so that the upper lashes come to lie on the lower lid. `above` is in widths of the eye. */
const lidFrom =
  (above: number): EyePaint =>
  (still, source, outer, share) => {
    const { width, height, points } = still;
    const eye = Array.from({ length: 6 }, (_, at) => pointAt(points, outer + at)) as Points6;
    const span = Math.hypot(eye[3].x - eye[0].x, eye[3].y - eye[0].y);
    const upper = [eye[0], eye[1], eye[2], eye[3]];
    const lower = [eye[0], eye[5], eye[4], eye[3]];
    const out = Float32Array.from(source);
    const edge = span * LASHES;
    for (let x = Math.max(0, Math.floor(eye[0].x - edge)); x <= Math.min(width - 1, eye[3].x + edge); x += 1) {
      const [top, bottom] = [heightAt(upper, x) - edge, heightAt(lower, x) + edge];
      const begin = top - span * above;
      const end = top + (bottom - top) * share;
      for (let y = Math.max(0, Math.ceil(begin)); y < Math.min(height, end); y += 1) {
        const sy = begin + ((y - begin) * (top + edge - begin)) / (end - begin);
        for (let channel = 0, at = (y * width + x) * 3; channel < 3; channel += 1, at += 1)
          out[at] = sample(source, still, x, sy, channel);
      }
    }
    return out;
  };

type EyePaint = (still: Still, source: Float32Array, outer: number, share: number) => Float32Array;
type Points6 = [Point, Point, Point, Point, Point, Point];

/** The height at `x` of a line through points from left to right. */
function heightAt(line: readonly Point[], x: number): number {
  const next = Math.min(
    line.length - 1,
    Math.max(
      1,
      line.findIndex((point) => point.x >= x),
    ),
  );
  const [one, other] = [line[next - 1] as Point, line[next] as Point];
  const share = Math.min(1, Math.max(0, (x - one.x) / Math.max(1, other.x - one.x)));
  return one.y + (other.y - one.y) * share;
}

function paintLid(still: Still, source: Float32Array, outer: number, share: number): Float32Array {
  const { width, height, points } = still;
  const eye = Array.from({ length: 6 }, (_, at) => pointAt(points, outer + at));
  const out = Float32Array.from(source);
  const [one, other] = [eye[0], eye[3]] as [Point, Point];
  const span = Math.hypot(other.x - one.x, other.y - one.y);
  const centre = { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
  const topY = Math.min(...eye.map(({ y }) => y));
  const bottomY = Math.max(...eye.map(({ y }) => y));
  const lift = span * 0.42;
  for (let y = Math.max(0, Math.floor(topY - 2)); y <= Math.min(height - 1, Math.ceil(bottomY + span * 0.1)); y += 1) {
    for (
      let x = Math.max(0, Math.floor(centre.x - span * 0.62));
      x <= Math.min(width - 1, centre.x + span * 0.62);
      x += 1
    ) {
      const u = (x - centre.x) / (span * 0.62);
      const v = (y - (topY + bottomY) / 2) / ((bottomY - topY) / 2 + span * 0.06);
      const inside = 1 - Math.min(1, u * u + v * v);
      if (inside <= 0) continue;
      const weight = Math.min(1, inside * 3) * share;
      const lidY = topY - lift * (1 - (y - topY) / (bottomY - topY + 1)) * 0.55 - span * 0.04;
      const at = (y * width + x) * 3;
      for (let channel = 0; channel < 3; channel += 1) {
        const skin = sample(source, still, x, lidY, channel);
        out[at + channel] = (source[at + channel] as number) * (1 - weight) + skin * weight;
      }
    }
  }
  return out;
}

/** The ways to draw closed eyes. An attacker whose drawing is not recognised tries the next one. */
const EYE_PAINTS: readonly EyePaint[] = [lidFrom(0.4), lidFrom(0.25), paintLid, lidFrom(0.6)];

function openMouth(still: Still, source: Float32Array, gap: number, paint: string): Float32Array {
  const { width, height, points } = still;
  const [left, right] = [pointAt(points, 48), pointAt(points, 54)];
  const mouth = Math.hypot(right.x - left.x, right.y - left.y);
  const centre = {
    x: (pointAt(points, 62).x + pointAt(points, 66).x) / 2,
    y: (pointAt(points, 62).y + pointAt(points, 66).y) / 2,
  };
  const drop = gap * mouth;
  const chinY = pointAt(points, 8).y;
  const out = Float32Array.from(source);
  for (let y = Math.max(0, Math.floor(centre.y - 2)); y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const u = (x - centre.x) / (mouth * 1.05);
      const side = Math.exp(-(u ** 4));
      const lower = (y - centre.y) / (chinY - centre.y);
      const reach = lower <= 1.15 ? 1 : Math.max(0, 1 - (lower - 1.15) / 0.9);
      const shift = drop * side * reach;
      const at = (y * width + x) * 3;
      const sy = y - shift;
      const opening = drop * Math.sqrt(Math.max(0, 1 - ((x - centre.x) / (mouth * 0.5)) ** 2));
      const inMouth = y > centre.y && y < centre.y + opening;
      for (let channel = 0; channel < 3; channel += 1) {
        if (inMouth) {
          const depth = (y - centre.y) / Math.max(1, opening);
          const teeth = paint === 'careful' && depth < 0.28 ? 150 : 0;
          out[at + channel] = teeth > 0 ? teeth + (channel === 0 ? 12 : 0) : channel === 0 ? 58 : 26;
        } else out[at + channel] = sample(source, still, x, Math.max(centre.y, sy), channel);
      }
    }
  }
  return out;
}
