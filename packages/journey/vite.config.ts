import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { compressed } from './compress-plugin.ts';
import { early } from './early-plugin.ts';
import { messages } from './messages-plugin.ts';
import { models, onlyOurs } from './models-plugin.ts';
import { oldBrowser } from './old-browser-plugin.ts';
import { preloaded } from './preload-plugin.ts';

const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// biome-ignore lint/style/noDefaultExport: this is how Vite reads its configuration.
export default defineConfig({
  root: place('.'),
  base: '/web/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [messages(), models(), onlyOurs(), preloaded(), early(), oldBrowser(), compressed()],
  // The proxy to a server for the time of development.
  server: { proxy: { '/api': 'http://localhost:8080', '/pages': 'http://localhost:8080' } },
  worker: { format: 'es', plugins: () => [onlyOurs()] },
  build: {
    target: ['chrome90', 'safari15', 'firefox91'],
    // Nothing is inlined that the policy of the page would refuse.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    manifest: 'manifest.json',
    emptyOutDir: true,
    rolldownOptions: {
      checks: { pluginTimings: false },
      // The first view has two scripts, and no third for shared code: each costs a slow phone some time.
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', test: /\/src\/open-link\.ts$|\/src\/i18n\/first-language\.ts$/, priority: 2 },
            { name: 'app', test: /\/src\/app\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
});
