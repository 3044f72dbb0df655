import { useLayoutEffect } from 'preact/hooks';
import { type Theme, themeVariables } from './theme.ts';

/** Applies the tenant's theme before anything is painted. */
export function useTheme(theme: Theme | undefined): void {
  useLayoutEffect(() => {
    // Our own design is that of the style sheet.
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
}

const OWN_FONT = 'Grove Own';

/** Loads the tenant's font from this server; until then, and if it fails, the page has the font of the device. */
async function loadFont({ fontFamily, fontUrl }: Theme): Promise<void> {
  if (fontFamily !== 'own' || !fontUrl || typeof FontFace === 'undefined') return;
  try {
    const font = await new FontFace(OWN_FONT, `url(${JSON.stringify(fontUrl)})`, { display: 'swap' }).load();
    document.fonts.add(font);
    document.documentElement.style.setProperty('--font', `"${OWN_FONT}", system-ui, sans-serif`);
  } catch {
    // The page works with the font of the device.
  }
}
