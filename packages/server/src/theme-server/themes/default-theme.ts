import type { JOURNEY_LANGUAGES } from '@grove/contract';
import type { Texts } from '../texts/check-texts.ts';
import type { Palette } from './check-contrast.ts';

/** The theme of journeys if the tenant has none. */
export const DEFAULT_THEME = 'default';

export type Tokens = {
  palette: Palette;
  darkPalette?: Palette;
  radius: number;
  fontFamily: 'system' | 'serif' | 'rounded' | 'monospace' | 'own';
  defaultLanguage?: (typeof JOURNEY_LANGUAGES)[number];
  texts?: Texts;
};

export const DEFAULT_TOKENS: Tokens = {
  palette: {
    primary: '#1f6b4f',
    onPrimary: '#ffffff',
    background: '#ffffff',
    surface: '#f4f6f5',
    text: '#16211c',
    mutedText: '#4d5a54',
    border: '#7c8a84',
    error: '#b3261e',
    success: '#1b6e3c',
  },
  darkPalette: {
    primary: '#7cd3ae',
    onPrimary: '#06281b',
    background: '#101513',
    surface: '#1a211e',
    text: '#eef3f0',
    mutedText: '#b4c0ba',
    border: '#7f8d86',
    error: '#ffb4ab',
    success: '#8fdcae',
  },
  radius: 12,
  fontFamily: 'system',
};
