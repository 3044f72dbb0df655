import type { Point } from '../images/geometry.ts';

export type Colour = readonly [red: number, green: number, blue: number];
export type Canvas = { readonly width: number; readonly height: number; readonly data: Uint8Array };
/** Closed outlines; where they overlap in opposite directions there is a hole. */
export type Outlines = readonly (readonly Point[])[];

export function createCanvas(width: number, height: number, colour: Colour): Canvas {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < data.length; i += 1) data[i] = colour[i % 3] as number;
  return { width, height, data };
}

/**
 * Fills outlines with smooth edges. Every edge adds its signed area to the right, row by row; the sum from the left is
 * the cover of each pixel.
 */
export function fill(canvas: Canvas, outlines: Outlines, colour: Colour, opacity = 1): void {
  const points = outlines.flat();
  if (points.length === 0) return;
  const left = Math.max(0, Math.floor(Math.min(...points.map(({ x }) => x))));
  const right = Math.min(canvas.width, Math.ceil(Math.max(...points.map(({ x }) => x))) + 2);
  const top = Math.max(0, Math.floor(Math.min(...points.map(({ y }) => y))));
  const bottom = Math.min(canvas.height, Math.ceil(Math.max(...points.map(({ y }) => y))) + 1);
  if (right <= left || bottom <= top) return;
  const width = right - left;
  const area = new Float32Array(width * (bottom - top) + 2);
  for (const outline of outlines) {
    outline.forEach((from, i) => {
      addEdge(area, from, outline[(i + 1) % outline.length] as Point, { left, top, width, rows: bottom - top });
    });
  }
  for (let y = top; y < bottom; y += 1) {
    let cover = 0;
    for (let x = left; x < right; x += 1) {
      cover += area[(y - top) * width + x - left] as number;
      const share = Math.min(1, Math.abs(cover)) * opacity;
      if (share > 0.002) blend(canvas, (y * canvas.width + x) * 3, colour, share);
    }
  }
}

type Window = { readonly left: number; readonly top: number; readonly width: number; readonly rows: number };

function addEdge(area: Float32Array, one: Point, other: Point, { left, top, width, rows }: Window): void {
  if (one.y === other.y) return;
  const sign = one.y < other.y ? 1 : -1;
  const [from, to] = sign > 0 ? [one, other] : [other, one];
  const step = (to.x - from.x) / (to.y - from.y);
  const first = Math.max(0, Math.floor(from.y - top));
  const last = Math.min(rows, Math.ceil(to.y - top));
  for (let row = first; row < last; row += 1) {
    const y0 = Math.max(from.y - top, row);
    const y1 = Math.min(to.y - top, row + 1);
    if (y1 <= y0) continue;
    const x0 = clamp(from.x + step * (y0 + top - from.y) - left, width);
    const x1 = clamp(from.x + step * (y1 + top - from.y) - left, width);
    spread(area, row * width, (y1 - y0) * sign, Math.min(x0, x1), Math.max(x0, x1));
  }
}

/** Distributes the cover of one piece of an edge over the pixels that it crosses in a row. */
function spread(area: Float32Array, row: number, height: number, from: number, to: number): void {
  const first = Math.floor(from);
  const last = Math.floor(to);
  let before = 0;
  for (let x = first; x <= last; x += 1) {
    // The share of the edge's height that stands left of the right border of this pixel, weighted by what it covers.
    const right = x + 1;
    const covered = coverUntil(from, to, right);
    const at = row + x;
    area[at] = (area[at] as number) + height * (covered - before);
    before = covered;
  }
  area[row + last + 1] = (area[row + last + 1] as number) + height * (1 - before);
}

/** The mean cover of the pixel that ends at `right`, by an edge that runs evenly between two columns. */
function coverUntil(from: number, to: number, right: number): number {
  if (to - from < 1e-9) return Math.min(1, Math.max(0, right - from));
  const integral = (x: number): number =>
    x <= from ? 0 : x >= to ? (to - from) / 2 + (x - to) : (x - from) ** 2 / (2 * (to - from));
  return integral(right) - integral(right - 1);
}

function clamp(x: number, width: number): number {
  return Math.min(width - 1.001, Math.max(0, x));
}

function blend({ data }: Canvas, at: number, colour: Colour, share: number): void {
  for (let k = 0; k < 3; k += 1) {
    const below = data[at + k] as number;
    data[at + k] = below + ((colour[k] as number) - below) * share + 0.5;
  }
}

export function box(x: number, y: number, width: number, height: number): Outlines {
  return [
    [
      { x, y },
      { x: x + width, y },
      { x: x + width, y: y + height },
      { x, y: y + height },
    ],
  ];
}

export function ellipse(centre: Point, across: number, down: number, corners = 48): Outlines {
  return [
    Array.from({ length: corners }, (_, i) => {
      const angle = (i / corners) * 2 * Math.PI;
      return { x: centre.x + Math.cos(angle) * across, y: centre.y + Math.sin(angle) * down };
    }),
  ];
}

/** The outline of a pen with a round tip that is drawn along points. */
export function stroke(points: readonly Point[], breadth: number): Outlines {
  const half = breadth / 2;
  const outlines: Point[][] = [];
  points.forEach((from, i) => {
    outlines.push(...(ellipse(from, half, half, 12) as Point[][]));
    const to = points[i + 1];
    if (!to) return;
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const nx = (-(to.y - from.y) / length) * half;
    const ny = ((to.x - from.x) / length) * half;
    outlines.push([
      { x: from.x - nx, y: from.y - ny },
      { x: to.x - nx, y: to.y - ny },
      { x: to.x + nx, y: to.y + ny },
      { x: from.x + nx, y: from.y + ny },
    ]);
  });
  return outlines;
}
