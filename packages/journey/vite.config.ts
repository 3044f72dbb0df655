import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { compressed } from './compress-plugin.ts';
import { messages } from './messages-plugin.ts';
import { models, onlyOurs } from './models-plugin.ts';

/** The part of the package that knows what a read message looks like, without the part that reads. */
const noParser = fileURLToPath(import.meta.resolve('@formatjs/icu-messageformat-parser/no-parser.js'));

// biome-ignore lint/style/noDefaultExport: this is how Vite reads its configuration.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/web/',
  // Messages are read when the app is built; the browser gets what was read, and no reader.
  resolve: { alias: [{ find: /^@formatjs\/icu-messageformat-parser$/, replacement: noParser }] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [messages(), models(), onlyOurs(), compressed()],
  // While somebody works on the pages, a server beside it answers.
  server: { proxy: { '/api': 'http://localhost:8080', '/pages': 'http://localhost:8080' } },
  worker: { format: 'es', plugins: () => [onlyOurs()] },
  build: {
    target: ['es2020', 'chrome90', 'safari15', 'firefox91'],
    // Nothing is put into a page that the policy of the page would refuse.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    manifest: 'manifest.json',
    emptyOutDir: true,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
