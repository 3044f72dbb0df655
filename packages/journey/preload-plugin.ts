import type { Plugin } from 'vite';

/**
 * Names the app in the page, so that the browser fetches it together with the small piece that asks for it, and not one
 * after the other.
 */
const WANTED = '/src/app.tsx';
const PAGE = '/journey/index.html';

export function preloaded(): Plugin {
  let base = '/';
  return {
    name: 'grove-preloaded',
    apply: 'build',
    configResolved(config) {
      base = config.base;
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {}, filename }) {
        const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
        const app = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(WANTED)));
        if (!app) {
          // A page that tests build beside it has no use for the app.
          if (!filename.endsWith(PAGE)) return [];
          throw new Error(`${WANTED} is nowhere in what was built`);
        }
        const files = [app.fileName, ...app.imports].filter((file) => !html.includes(file));
        return files.map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `${base}${file}` },
          injectTo: 'head' as const,
        }));
      },
    },
  };
}
