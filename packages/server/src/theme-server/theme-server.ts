import type { TenantReads } from '../db/db.ts';
import type { Environment } from '../kernel/environment.ts';
import type { Platform } from '../kernel/feature.ts';
import { customPageHandlers } from './custom-pages/custom-pages.ts';
import { deployedLabel, isPageName, pageAddresses, pageFileFinder } from './custom-pages/show-page.ts';
import { textFiles, textHandlers } from './texts/texts.ts';
import { isThemeName, lookOf } from './themes/show-theme.ts';
import { themeHandlers } from './themes/themes.ts';

/** Assembles custom pages and themes. */
export type ThemeServerDeps = Pick<Platform, 'db' | 'clock' | 'baseUrlOf'> & {
  /** The domain of the hosts that show pages, if configured. */
  pagesDomain: string | undefined;
  /** The folder of the texts of which the pages of journeys are built. */
  textsFolder: string;
};

/** The functions of themes and custom pages that journeys use. */
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
      /** Returns the theme and its texts for a journey. */
      lookOf,
      /** Returns the URL of the deployed page of that name, or undefined if none is deployed. */
      async pageUrl(db: TenantReads, environment: Environment, name: string): Promise<string | undefined> {
        const label = await deployedLabel(db, environment, name);
        return label && addresses.inJourney(db.tenantId, label);
      },
    },
  };
}
