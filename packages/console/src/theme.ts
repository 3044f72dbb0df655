import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** The same visual language as the journey: green, quiet greys, round corners. The contrast is AA in both schemes. */
const grove: MantineColorsTuple = [
  '#e9f6f1',
  '#d3eae1',
  '#a6d5c4',
  '#76bfa5',
  '#4fad8b',
  '#36a27b',
  '#1f8a66',
  '#146f52',
  '#0b5e4a',
  '#064635',
];

export const theme = createTheme({
  colors: { grove },
  primaryColor: 'grove',
  primaryShade: { light: 8, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Arabic", sans-serif',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
});

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#56615c',
    '--mantine-color-placeholder': '#6b7671',
    '--mantine-color-error': '#b42318',
    '--mantine-color-body': '#fbfcfb',
  },
  dark: {
    '--mantine-color-dimmed': '#a3aea9',
    '--mantine-color-placeholder': '#98a39e',
    '--mantine-color-error': '#ff9d92',
    '--mantine-color-body': '#141a18',
    '--mantine-color-anchor': '#76bfa5',
  },
});
