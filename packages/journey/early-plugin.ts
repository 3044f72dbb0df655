import type { Plugin } from 'vite';

/**
 * Asks for the session as soon as the page itself is there, while its scripts are still on their way: on a slow network
 * that is a whole round trip. It stands in the page, whose policy permits it by its hash and no other script like it. It
 * is a module, so a browser that runs the pages for old browsers passes over it and spends no code. Whoever is shown in a
 * frame, or has begun a journey by a public link before, is asked first (`open-link.ts`). The body is the same as there,
 * letter by letter: otherwise the page would ask a second time, and the code is spent.
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
