import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Point } from '../images/geometry.ts';
import { type Canvas, type Colour, fill } from './canvas.ts';
import { flatten } from './path.ts';

export type Weight = 'normal' | 'bold';
export type TextStyle = { readonly size: number; readonly colour: Colour; readonly weight?: Weight };

/** The parts of opentype.js that are used here, because the package has no types. */
type Command = { type: string; x?: number; y?: number; x1?: number; y1?: number; x2?: number; y2?: number };
type Font = {
  charToGlyphIndex(character: string): number;
  getPath(text: string, x: number, y: number, size: number): { commands: Command[] };
  getAdvanceWidth(text: string, size: number): number;
};
const { parse } = createRequire(import.meta.url)('opentype.js') as { parse(bytes: ArrayBuffer): Font };

/** The package splits the font by script; a character is looked up in these, in this order. */
const PARTS = ['latin', 'latin-ext'] as const;
const fonts = new Map<string, Font>();

function fontOf(part: string, weight: Weight): Font {
  const name = `roboto-${part}-${weight === 'bold' ? 700 : 400}-normal.woff`;
  const cached = fonts.get(name);
  if (cached) return cached;
  const bytes = readFileSync(fileURLToPath(import.meta.resolve(`@fontsource/roboto/files/${name}`)));
  const font = parse(new Uint8Array(bytes).buffer);
  fonts.set(name, font);
  return font;
}

/** Draws text with its baseline at a point and returns where it ends. */
export function drawText(
  canvas: Canvas,
  text: string,
  at: Point,
  { size, colour, weight = 'normal' }: TextStyle,
): number {
  let { x } = at;
  for (const character of text.normalize('NFC')) {
    const part = PARTS.find((each) => fontOf(each, weight).charToGlyphIndex(character) > 0) ?? 'latin';
    const font = fontOf(part, weight);
    const path = font.getPath(character, x, at.y, size).commands.map(spell).join('');
    fill(canvas, flatten(path), colour);
    x += font.getAdvanceWidth(character, size);
  }
  return x;
}

function spell({ type, x1, y1, x2, y2, x, y }: Command): string {
  return `${type}${[x1, y1, x2, y2, x, y].filter((each) => each !== undefined).join(' ')}`;
}
