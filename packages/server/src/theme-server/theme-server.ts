import type { Db, TenantReads } from '../db/db.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Environment } from '../kernel/environment.ts';
import { customPageHandlers } from './custom-pages/custom-pages.ts';
import { pageAddresses } from './custom-pages/page-addresses.ts';
import { deployedLabel, isPageName, pageFileFinder } from './custom-pages/show-page.ts';
import { textFiles } from './texts/text-files.ts';
import { textHandlers } from './texts/texts.ts';
import { isThemeName } from './themes/is-theme-name.ts';
import { lookOf } from './themes/show-theme.ts';
import { themeHandlers } from './themes/themes.ts';

/** Custom pages and themes, put together. */
export type ThemeServerDeps = {
  db: Db;
  clock: Clock;
  /** Pages are shown under hosts of this domain, if there is one. */
  pagesDomain: string | undefined;
  /** Where the texts are that the pages of journeys are built of. */
  textsFolder: string;
  baseUrlOf(tenantId: string): string;
};

/** What journeys ask of themes and custom pages. */
export type ThemesForJourneys = ReturnType<typeof openThemeServer>['forJourneys'];

export function openThemeServer({ db, clock, pagesDomain, textsFolder, baseUrlOf }: ThemeServerDeps) {
  const textsOf = textFiles(textsFolder);
  const addresses = pageAddresses({ pagesDomain, baseUrlOf });
  return {
    handlers: {
      customPages: customPageHandlers({ pageUrl: addresses.whole }),
      themes: themeHandlers({ db, textsOf }),
      journeyTexts: textHandlers(textsOf),
    },
    pageFile: pageFileFinder({ db, clock }),
    isPageName,
    isThemeName,
    forJourneys: {
      /** How the journeys of a theme look and speak. */
      lookOf,
      /** What a journey shows for the page of that name; nothing if none is deployed any more. */
      async pageUrl(db: TenantReads, environment: Environment, name: string): Promise<string | undefined> {
        const label = await deployedLabel(db, environment, name);
        return label && addresses.inJourney(db.tenantId, label);
      },
    },
  };
}
