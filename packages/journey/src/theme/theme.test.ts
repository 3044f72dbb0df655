import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { contrast } from './contrast.ts';
import { type Palette, themeVariables, weakPairs } from './theme.ts';

const GOOD: Palette = {
  primary: '#0a6650',
  onPrimary: '#ffffff',
  background: '#f3f6f4',
  surface: '#ffffff',
  text: '#15211c',
  mutedText: '#52605a',
  border: '#d3dcd7',
  error: '#b3261e',
  success: '#0a6650',
};
const theme = { name: 'acme', palette: GOOD, radius: 8, fontFamily: 'serif' };

it('the contrast is that of WCAG: 21 for black on white, 1 for a colour on itself, whichever comes first', () => {
  assert.equal(contrast('#000000', '#ffffff').toFixed(2), '21.00');
  assert.equal(contrast('#ffffff', '#000000').toFixed(2), '21.00');
  assert.equal(contrast('#0a6650', '#0A6650'), 1);
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
});

it('our own colours have enough contrast, light and dark', () => {
  const css = readFileSync(new URL('../styles/tokens.css', import.meta.url), 'utf8');
  const [light = '', dark = ''] = css.split('prefers-color-scheme: dark');
  for (const part of [light, dark]) {
    const palette = Object.fromEntries(
      [...part.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name = '', colour]) => [
        name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        colour,
      ]),
    ) as Palette;
    assert.equal(Object.keys(palette).length, 9);
    assert.deepEqual(weakPairs(palette), []);
  }
});

it('each pair that is too weak is named with its ratio', () => {
  const weak = weakPairs({ ...GOOD, mutedText: '#aaaaaa', onPrimary: 'white' });
  assert.deepEqual(
    weak.map(({ one, other, ratio }) => [one, other, ratio.toFixed(2)]),
    [
      ['mutedText', 'surface', '2.32'],
      ['onPrimary', 'primary', '1.00'],
    ],
  );
});

it('a theme sets the variables of the page; a palette that nobody can read sets none of its colours', () => {
  const all = themeVariables(theme, false);
  assert.equal(all['--primary'], '#0a6650');
  assert.equal(all['--radius'], '8px');
  assert.match(all['--font'] ?? '', /serif$/);
  const unreadable = themeVariables({ ...theme, palette: { ...GOOD, text: '#eeeeee' } }, false);
  assert.deepEqual(Object.keys(unreadable).sort(), ['--font', '--radius']);
});

it('no value of a theme can be more than a CSS value', () => {
  const odd = {
    ...theme,
    radius: 1e9,
    fontFamily: 'x; } body { display: none',
    palette: { ...GOOD, border: 'url(//x)' },
  };
  const all = themeVariables(odd, false);
  assert.deepEqual([all['--radius'], all['--font'], all['--border']], ['32px', undefined, undefined]);
});

it('a theme without dark colours keeps ours in the dark', () => {
  assert.equal(themeVariables(theme, true)['--primary'], undefined);
  assert.equal(themeVariables({ ...theme, darkPalette: GOOD }, true)['--primary'], '#0a6650');
});
