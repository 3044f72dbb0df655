import type { Plugin } from 'vite';

/** Names the app's files in the page, so that they load together with the small script that imports them. */
const APP_SOURCE = '/src/app.tsx';
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
        const app = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(APP_SOURCE)));
        if (!app) {
          // Tests build a page beside it, which does not use the app.
          if (!filename.endsWith(PAGE)) return [];
          throw new Error(`${APP_SOURCE} is in no chunk of the build`);
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
