import type { Plugin } from 'vite';

/**
 * Requests the session while the scripts of the page are still loading, which saves a round trip on a slow network. The
 * script is inline: the page's policy permits it by its hash, and no other inline script. It is a module, so that a
 * browser that runs the pages for old browsers ignores it and spends no code. A framed page, or a browser that has
 * begun a journey by a public link before, makes its request later (`open-link.ts`). The body must equal the one there
 * byte by byte: otherwise the page would send a second request, and the code is already spent.
 */
const EARLY = `
const query = new URLSearchParams(location.search);
const code = new URLSearchParams(location.hash.slice(1)).get('c');
const [pt, tn] = [query.get('pt'), query.get('tn')];
let begun = null;
try { begun = localStorage.getItem('grove-tokens'); } catch {}
if (!query.has('embed') && parent === self && (code || (pt && !begun))) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const body = JSON.stringify({ ...(code ? { code } : tn === null ? { pt } : { pt, tn }), timeZone });
  const headers = { 'Content-Type': 'application/json' };
  const answer = fetch('/api/journey/sessions', { method: 'POST', body, headers, cache: 'no-store' });
  answer.catch(() => {});
  self.groveEarly = { body, answer };
}
`;

const PAGE = '/journey/index.html';

export function early(): Plugin {
  return {
    name: 'grove-early',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { filename }) =>
        filename.endsWith(PAGE)
          ? [
              {
                tag: 'script',
                attrs: { type: 'module', async: true },
                children: EARLY,
                injectTo: 'head' as const,
              },
            ]
          : [],
    },
  };
}
