import type { DocumentReading, FaceAnalysis } from '@grove/vision/light';
import type { DocumentSides } from './document-sides.ts';
import type { Mark } from './vision.ts';

/** The marks of a picture, which show a reviewer what the machine saw where. Pure. */

type Point = { readonly x: number; readonly y: number };
type Size = { readonly width: number; readonly height: number };

export function marksOfSides({ front, back }: DocumentSides): Record<string, Mark[]> {
  return { front: marksOf(front), ...(back && { back: marksOf(back) }) };
}

function marksOf({ size, outline, mrz }: DocumentReading): Mark[] {
  if (!size) return [];
  // If no outline was found, it is the frame of the picture, which is not worth a mark.
  const edges = outline && outline.source !== 'frame' ? [outline.quad] : [];
  return [
    ...edges.map((quad) => mark('outline', quad, size)),
    ...(mrz?.quads ?? []).map((quad) => mark('zone', quad, size)),
  ];
}

export function marksOfFace({ face, width, height }: FaceAnalysis): Mark[] {
  if (!face) return [];
  const { left, top, right, bottom } = face.box;
  const corners = [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ];
  const points: Point[] = [];
  for (let at = 0; at + 1 < face.landmarks.length; at += 2) {
    points.push({ x: face.landmarks[at] as number, y: face.landmarks[at + 1] as number });
  }
  const size = { width, height };
  return [mark('face', corners, size), mark('landmarks', points, size)];
}

function mark(kind: Mark['kind'], points: readonly Point[], { width, height }: Size): Mark {
  return { kind, points: points.flatMap(({ x, y }) => [share(x, width), share(y, height)]) };
}

/** Rounds to a thousandth of the picture, which is less than the width of a line. */
function share(value: number, of: number): number {
  return Math.round((value / of) * 1000) / 1000;
}
