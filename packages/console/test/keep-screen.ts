import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

const SCREENS = fileURLToPath(new URL('../../../build/screens/console', import.meta.url));
const IMAGES = fileURLToPath(new URL('../../../docs/images', import.meta.url));
const { SCREENSHOTS: kept = '' } = process.env;

/** The pictures of `docs/console-screens.md` and of the README. */
const DOCUMENTED: readonly string[] = [
  'sign-in',
  'home',
  'try',
  'reviews',
  'case',
  'instances',
  'exports',
  'tokens',
  'send-link',
  'definitions',
  'outline',
  'canvas',
  'form-builder',
  'what-if-done',
  'usage',
  'watchlists',
  'stores',
  'store-user',
  'themes',
  'theme-preview',
  'pages',
  'keys',
  'webhooks',
  'delivery',
  'secrets',
  'events-done',
  'audit',
  'persons',
  'operators',
  'settings',
  'installation',
  'account',
];

/**
 * Saves a picture of the screen if it is requested: by `SCREENSHOTS=1`, or by `SCREENSHOTS=docs` to renew those of the
 * documentation.
 */
export async function keepScreen(name: string, page: Page): Promise<void> {
  if (kept === '') return;
  mkdirSync(SCREENS, { recursive: true });
  await page.screenshot({ path: `${SCREENS}/${name}.png` });
  if (kept !== 'docs' || !DOCUMENTED.includes(name)) return;
  // At most 256 colours: the release contains these pictures, and they take less than half the space.
  const picture = sharp(await page.screenshot()).png({ palette: true, effort: 10, dither: 0 });
  await picture.toFile(`${IMAGES}/console-${name}.png`);
}
