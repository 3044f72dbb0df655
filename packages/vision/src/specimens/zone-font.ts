import type { Point } from '../images/geometry.ts';
import { type Canvas, type Colour, fill, stroke } from './canvas.ts';
import { flatten } from './path.ts';

/**
 * Our own drawing of the characters of a machine readable zone, similar to OCR-B: one pen, on a field 9 wide and 14
 * high. No package has a free font of that kind.
 */
const ROUND = 'M4.5 0 C8 0 9 2.4 9 7 C9 11.6 8 14 4.5 14 C1 14 0 11.6 0 7 C0 2.4 1 0 4.5 0 Z';
const BOW = 'M0.8 14 L0.8 0 L5 0 C7.5 0 8.8 1.6 8.8 4 C8.8 6.4 7.5 8 5 8 L0.8 8';
const OPEN = 'M8.8 1.2 C7.7 0.4 6.6 0 5.4 0 C2.2 0 0.3 2.8 0.3 7 C0.3 11.2 2.2 14 5.4 14 C6.6 14 7.7 13.6 8.8 12.8';
const GLYPHS: Readonly<Record<string, string>> = {
  '0': 'M4.5 0 C7 0 8.2 3 8.2 7 C8.2 11 7 14 4.5 14 C2 14 0.8 11 0.8 7 C0.8 3 2 0 4.5 0 Z',
  '1': 'M1.2 3 L5 0 L5 14 M1.5 14 L8.3 14',
  '2': 'M0.5 2.5 C1.5 0.7 3 0 4.5 0 C7 0 8.5 1.6 8.5 3.8 C8.5 6.5 5 9 0.5 14 L9 14',
  '3': 'M0.8 0 L8 0 L4 5.5 C7 5.5 8.7 7.3 8.7 9.7 C8.7 12.3 6.8 14 4.2 14 C2.6 14 1.2 13.5 0.2 12.5',
  '4': 'M5.5 0 L0 10 L9 10 M6.8 6 L6.8 14',
  '5': 'M8 0 L1.5 0 L1.2 6 C2 5.5 3 5.3 4.2 5.3 C7 5.3 8.7 7 8.7 9.6 C8.7 12.3 6.8 14 4.2 14 C2.6 14 1.2 13.5 0.3 12.6',
  '6': 'M6 0 C3 3 0.3 6 0.3 9.6 C0.3 12.4 2 14 4.5 14 C7.2 14 8.8 12.2 8.8 9.6 C8.8 7 7 5.5 4.7 5.5 C2.8 5.5 1.2 6.6 0.5 8.5',
  '7': 'M0.5 0 L8.5 0 C5.5 4 3.8 8.5 3.5 14',
  '8': 'M4.5 6.4 C2.3 6.2 1 5 1 3.2 C1 1.3 2.4 0 4.5 0 C6.6 0 8 1.3 8 3.2 C8 5 6.7 6.2 4.5 6.4 C1.8 6.7 0.2 8.2 0.2 10.2 C0.2 12.5 2 14 4.5 14 C7 14 8.8 12.5 8.8 10.2 C8.8 8.2 7.2 6.7 4.5 6.4',
  '9': 'M3 14 C6 11 8.7 8 8.7 4.4 C8.7 1.6 7 0 4.5 0 C1.8 0 0.2 1.8 0.2 4.4 C0.2 7 2 8.5 4.3 8.5 C6.2 8.5 7.8 7.4 8.5 5.5',
  A: 'M0 14 L4.5 0 L9 14 M1.6 9.5 L7.4 9.5',
  B: 'M0.8 0 L0.8 14 L5 14 C7.5 14 8.8 12.5 8.8 10.3 C8.8 8 7.3 6.8 5 6.8 L0.8 6.8 M5 6.8 C7 6.8 8.2 5.5 8.2 3.5 C8.2 1.4 6.9 0 4.8 0 L0.8 0',
  C: OPEN,
  D: 'M0.8 0 L0.8 14 L3.5 14 C7 14 8.8 11.5 8.8 7 C8.8 2.5 7 0 3.5 0 L0.8 0',
  E: 'M8.2 0 L0.8 0 L0.8 14 L8.5 14 M0.8 6.8 L7 6.8',
  F: 'M8.5 0 L0.8 0 L0.8 14 M0.8 6.8 L7.2 6.8',
  G: `${OPEN} L8.8 7.5 L5.5 7.5`,
  H: 'M0.6 0 L0.6 14 M8.4 0 L8.4 14 M0.6 6.8 L8.4 6.8',
  I: 'M1.5 0 L7.5 0 M1.5 14 L7.5 14 M4.5 0 L4.5 14',
  J: 'M2.5 0 L7.5 0 L7.5 10 C7.5 12.6 6.2 14 4 14 C2.4 14 1.2 13.3 0.4 12',
  K: 'M0.8 0 L0.8 14 M8.3 0 L1 7.5 M3.2 5.6 L8.8 14',
  L: 'M1 0 L1 14 L8.6 14',
  M: 'M0.3 14 L0.3 0 L4.5 8 L8.7 0 L8.7 14',
  N: 'M0.6 14 L0.6 0 L8.4 14 L8.4 0',
  O: ROUND,
  P: BOW,
  Q: `${ROUND} M5.2 10 L9 14.6`,
  R: `${BOW} M4.8 8 L8.9 14`,
  S: 'M8.2 1.5 C7.2 0.5 6 0 4.6 0 C2.2 0 0.8 1.4 0.8 3.4 C0.8 5.4 2.2 6.2 4.6 6.9 C7.3 7.7 8.7 8.6 8.7 10.6 C8.7 12.7 7 14 4.5 14 C2.7 14 1.3 13.4 0.2 12.3',
  T: 'M0.2 0 L8.8 0 M4.5 0 L4.5 14',
  U: 'M0.6 0 L0.6 9.5 C0.6 12.5 2 14 4.5 14 C7 14 8.4 12.5 8.4 9.5 L8.4 0',
  V: 'M0 0 L4.5 14 L9 0',
  W: 'M0 0 L2 14 L4.5 5 L7 14 L9 0',
  X: 'M0.3 0 L8.7 14 M8.7 0 L0.3 14',
  Y: 'M0.2 0 L4.5 7 L8.8 0 M4.5 7 L4.5 14',
  Z: 'M0.5 0 L8.5 0 L0.5 14 L8.7 14',
  '<': 'M8.5 2 L0.8 7.5 L8.5 13',
};
const HEIGHT = 14;
const PEN = 1.9;

/** Draws a line of a zone: ten characters to the inch, as ICAO 9303 part 3 requires, at `pixelsPerMm`. */
export function drawZoneLine(
  canvas: Canvas,
  text: string,
  at: Point,
  pixelsPerMm: number,
  colour: Colour,
  opacity = 1,
): void {
  const pitch = 2.54 * pixelsPerMm;
  const unit = (2.5 * pixelsPerMm) / HEIGHT;
  [...text].forEach((character, i) => {
    const toCanvas = (point: Point): Point => ({ x: at.x + i * pitch + point.x * unit, y: at.y + point.y * unit });
    const outlines = flatten(GLYPHS[character] ?? '').flatMap((line) => stroke(line.map(toCanvas), PEN * unit));
    fill(canvas, outlines, colour, opacity);
  });
}
