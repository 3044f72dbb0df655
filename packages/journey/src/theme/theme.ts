import { contrast } from './contrast.ts';

/** Turns the tokens of a theme into CSS variables, if their contrast is sufficient. Pure. */
export type Palette = Readonly<
  Record<
    'primary' | 'onPrimary' | 'background' | 'surface' | 'text' | 'mutedText' | 'border' | 'error' | 'success',
    string
  >
>;
export type Theme = {
  name: string;
  palette: Palette;
  darkPalette?: Palette | undefined;
  radius: number;
  fontFamily: string;
  logoUrl?: string | undefined;
  fontUrl?: string | undefined;
  /** True for our own theme, if the tenant has none of that name. */
  builtIn?: boolean | undefined;
};

/** The pairs of foreground and background with the ratio of WCAG 2.2 AA: 4.5 for text, 3 for the edges of controls. */
const PAIRS: readonly (readonly [keyof Palette, keyof Palette, number])[] = [
  ['text', 'surface', 4.5],
  ['text', 'background', 4.5],
  ['mutedText', 'surface', 4.5],
  ['onPrimary', 'primary', 4.5],
  ['primary', 'surface', 4.5],
  ['error', 'surface', 4.5],
];

export type Weak = { one: keyof Palette; other: keyof Palette; ratio: number; minRatio: number };

const COLOUR = /^#[0-9a-f]{6}$/i;

/** The pairs whose contrast is too low; an invalid colour counts as the worst. */
export function weakPairs(palette: Palette): Weak[] {
  return PAIRS.map(([one, other, minRatio]) => {
    const areKnown = COLOUR.test(palette[one] ?? '') && COLOUR.test(palette[other] ?? '');
    return { one, other, minRatio, ratio: areKnown ? contrast(palette[one], palette[other]) : 1 };
  }).filter(({ ratio, minRatio }) => ratio < minRatio);
}

const NAMES: Readonly<Record<keyof Palette, string>> = {
  primary: '--primary',
  onPrimary: '--on-primary',
  background: '--background',
  surface: '--surface',
  text: '--text',
  mutedText: '--muted-text',
  border: '--border',
  error: '--error',
  success: '--success',
};

const FONTS: Readonly<Record<string, string>> = {
  serif: 'ui-serif, Georgia, Cambria, "Times New Roman", serif',
  rounded: 'ui-rounded, "SF Pro Rounded", "Segoe UI", system-ui, sans-serif',
  monospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
};
const MAX_RADIUS = 32;

/** Undefined values keep our own design. A palette with too little contrast is left out as a whole. */
export function themeVariables(theme: Theme, dark: boolean): Record<string, string> {
  const palette = dark ? theme.darkPalette : theme.palette;
  const variables: Record<string, string> = {};
  if (palette && weakPairs(palette).length === 0) {
    for (const [token, name] of Object.entries(NAMES)) {
      const colour = palette[token as keyof Palette];
      if (COLOUR.test(colour ?? '')) variables[name] = colour;
    }
  }
  if (Number.isFinite(theme.radius)) variables['--radius'] = `${Math.min(MAX_RADIUS, Math.max(0, theme.radius))}px`;
  const font = FONTS[theme.fontFamily];
  if (font) variables['--font'] = font;
  return variables;
}
