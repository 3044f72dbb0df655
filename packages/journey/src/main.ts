import { watchBackButton } from './back-stack.ts';
import { tell } from './embed.ts';
import { warmMessages } from './i18n/first-language.ts';
import { readLink } from './link.ts';
import { openLink } from './open-link.ts';

/**
 * The first and smallest piece of the app. What has to be asked of the server is asked here, while the rest of the app
 * is still on its way: on a slow network each thing that waits for another costs the end user a good part of a second.
 */
const page = location.pathname.replace(/\/+$/, '').split('/').pop();

warmMessages();
tell({ type: 'hello' });
if (page === 'accessibility' || page === 'camera-check') {
  void import('./plain-page.tsx').then(({ showPlainPage }) => showPlainPage(page));
} else if (page === 'preview') {
  void import('./preview-page.tsx').then(({ showPreview }) => showPreview());
} else {
  watchBackButton();
  const entry = readLink(location);
  openLink(entry).catch(() => undefined);
  // A new link into the journey that this tab shows differs in the fragment alone, for which no browser loads a page.
  addEventListener('hashchange', () => {
    if (readLink(location).kind === 'code') location.reload();
  });
  void import('./app.tsx').then(({ showApp }) => showApp(entry));
}
