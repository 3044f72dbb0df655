import { useEffect, useState } from 'preact/hooks';
import { send } from '../network.ts';
import { type Theme, themeVariables } from './theme.ts';

/** Reads the look that the tenant chose and puts it on. Without one, or without an answer, ours stays. */
export function useTheme(url: string | undefined): Theme | undefined {
  const [theme, setTheme] = useState<Theme>();
  useEffect(() => {
    if (!url) return;
    send(url)
      .then(({ text }) => setTheme(JSON.parse(text) as Theme))
      .catch(() => undefined);
  }, [url]);
  useEffect(() => {
    // Our own look is that of the style sheet.
    if (!theme || theme.builtIn) return;
    void loadFont(theme);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const { style } = document.documentElement;
    const put = () => {
      const all = themeVariables(theme, dark.matches && theme.darkPalette !== undefined);
      for (const [name, value] of Object.entries(all)) style.setProperty(name, value);
      style.colorScheme = dark.matches && theme.darkPalette ? 'dark' : 'light';
    };
    put();
    dark.addEventListener?.('change', put);
    return () => dark.removeEventListener?.('change', put);
  }, [theme]);
  return theme;
}

const OWN_FONT = 'Grove Own';

/** The tenant's own font comes from this server; until it is there, and if it never is, the page has that of the device. */
async function loadFont({ fontFamily, fontUrl }: Theme): Promise<void> {
  if (fontFamily !== 'own' || !fontUrl || typeof FontFace === 'undefined') return;
  try {
    const font = await new FontFace(OWN_FONT, `url(${JSON.stringify(fontUrl)})`, { display: 'swap' }).load();
    document.fonts.add(font);
    document.documentElement.style.setProperty('--font', `"${OWN_FONT}", system-ui, sans-serif`);
  } catch {
    // A page that is plain is better than none.
  }
}
