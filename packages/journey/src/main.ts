import { watchBackButton } from './back-stack.ts';
import { tell } from './embed.ts';
import { warmMessages } from './i18n/first-language.ts';
import { readLink } from './link.ts';
import { openLink } from './open-link.ts';

/**
 * The first and smallest script of the app. It sends the requests that the app needs while the rest of the app is still
 * loading: on a slow network, each sequential request costs the end user a good part of a second.
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
  // Reloads the page for a new link: it differs from the open one in its fragment alone, so no browser would.
  addEventListener('hashchange', () => {
    if (readLink(location).kind === 'code') location.reload();
  });
  void import('./app.tsx').then(({ showApp }) => showApp(entry));
}
