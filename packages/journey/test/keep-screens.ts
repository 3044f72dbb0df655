import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** The folder for pictures of all screens, which SCREENSHOTS=1 requests. */
const FOLDER = fileURLToPath(new URL('../../../build/screens/', import.meta.url));
const SIZES = {
  phone: { width: 360, height: 740 },
  tablet: { width: 768, height: 1024 },
  desktop: { width: 1280, height: 800 },
} as const;

/** Saves the page in every size, light and dark, and restores it. */
export async function keepScreens(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS !== '1') return;
  mkdirSync(FOLDER, { recursive: true });
  const before = page.viewportSize();
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const file = `${name.replaceAll(/[^a-z0-9]+/gi, '-')}-${size}-${colorScheme}.png`;
      await page.screenshot({ path: `${FOLDER}${file}`, animations: 'disabled' });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (before) await page.setViewportSize(before);
}
