import { languageIn } from '../link.ts';
import { recallLanguage } from '../remember.ts';
import { chooseLanguage } from './languages.ts';
import { loadMessages } from './load-messages.ts';

/** A language for those who test; no end user comes to it by accident. */
export const PSEUDO = 'xx';

/** The language that a page begins with; the tenant's is known when the journey is. */
export function firstLanguage(tenant?: string): string {
  const link = languageIn(location);
  if (link === PSEUDO) return PSEUDO;
  const browser = navigator.languages ?? [navigator.language];
  return chooseLanguage({ link, chosen: recallLanguage(), tenant, browser });
}

/** The texts that are most likely needed are fetched before anybody needs them. */
export function warmMessages(): void {
  const language = firstLanguage();
  loadMessages('shell', language === PSEUDO ? 'en' : language).catch(() => undefined);
}
