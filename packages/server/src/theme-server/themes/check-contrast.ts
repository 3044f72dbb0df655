import type { api, Ok } from '@grove/contract';
import type { FieldFault } from '../../kernel/errors.ts';

export type Palette = Ok<typeof api.themes.get>['palette'];

/** WCAG 2.2 AA: 4.5 for text (1.4.3), 3 for the visible parts of a control (1.4.11). */
const TEXT = 4.5;
const CONTROL = 3;

const PAIRS: readonly (readonly [keyof Palette, keyof Palette, number])[] = [
  ['text', 'background', TEXT],
  ['text', 'surface', TEXT],
  ['mutedText', 'background', TEXT],
  ['mutedText', 'surface', TEXT],
  ['onPrimary', 'primary', TEXT],
  ['error', 'background', TEXT],
  ['error', 'surface', TEXT],
  ['success', 'background', TEXT],
  // The primary colour is also the colour of links.
  ['primary', 'background', TEXT],
  ['primary', 'surface', TEXT],
  ['border', 'background', CONTROL],
];

/** Returns a fault for every pair of colours whose contrast is too low. */
export function contrastFaults(palette: Palette, pointer: string): FieldFault[] {
  return PAIRS.flatMap(([one, other, least]) => {
    const ratio = contrastOf(palette[one], palette[other]);
    if (ratio >= least) return [];
    const rounded = Math.floor(ratio * 100) / 100;
    return [{ pointer: `${pointer}/${one}`, message: `has a contrast of ${rounded} to ${other}; it must be ${least}` }];
  });
}

/** The ratio of WCAG 2.2, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const WEIGHTS = [0.2126, 0.7152, 0.0722] as const;

function luminanceOf(colour: string): number {
  return WEIGHTS.reduce((sum, weight, at) => {
    const part = Number.parseInt(colour.slice(1 + at * 2, 3 + at * 2), 16) / 255;
    return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  }, 0);
}
