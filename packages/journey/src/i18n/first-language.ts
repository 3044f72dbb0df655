import { languageIn } from '../link.ts';
import { recallLanguage } from '../remember.ts';
import { chooseLanguage } from './languages.ts';
import { loadMessages } from './load-messages.ts';

/** A pseudo-language for testers; no end user gets it by accident. */
export const PSEUDO = 'xx';

/** The language of the page at first; the tenant's language is known only with the journey. */
export function firstLanguage(tenant?: string): string {
  const link = languageIn(location);
  if (link === PSEUDO) return PSEUDO;
  const browser = navigator.languages ?? [navigator.language];
  return chooseLanguage({ link, chosen: recallLanguage(), tenant, browser });
}

/** Loads the texts that are most likely needed in advance. */
export function warmMessages(): void {
  const language = firstLanguage();
  loadMessages('shell', language === PSEUDO ? 'en' : language).catch(() => undefined);
}
