import type { Db, TenantReads } from '../db/db.ts';
import type { Clock } from '../kernel/clock.ts';
import { customPageHandlers } from './custom-pages/custom-pages.ts';
import { pageAddresses } from './custom-pages/page-addresses.ts';
import { deployedLabel, isPageName, pageFileFinder } from './custom-pages/show-page.ts';
import { themeHandlers } from './themes/themes.ts';

/** Custom pages and themes, put together. */
export type ThemeServerDeps = {
  db: Db;
  clock: Clock;
  /** Pages are shown under hosts of this domain, if there is one. */
  pagesDomain: string | undefined;
  baseUrlOf(tenantId: string): string;
};

export function openThemeServer({ db, clock, pagesDomain, baseUrlOf }: ThemeServerDeps) {
  const addresses = pageAddresses({ pagesDomain, baseUrlOf });
  return {
    handlers: { customPages: customPageHandlers({ pageUrl: addresses.whole }), themes: themeHandlers({ db }) },
    pageFile: pageFileFinder({ db, clock }),
    isPageName,
    /** What a journey shows for the page of that name; nothing if none is deployed any more. */
    async pageUrl(db: TenantReads, name: string): Promise<string | undefined> {
      const label = await deployedLabel(db, name);
      return label && addresses.inJourney(db.tenantId, label);
    },
  };
}
