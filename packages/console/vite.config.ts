import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { compressed } from '../journey/compress-plugin.ts';
import { routes } from './routes-plugin.ts';

const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// biome-ignore lint/style/noDefaultExport: this is how Vite reads its configuration.
export default defineConfig({
  root: place('.'),
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
  plugins: [routes(), compressed()],
  // The proxy to a server for the time of development.
  server: { proxy: { '/api': 'http://localhost:8080' } },
  build: {
    target: ['chrome111', 'safari16', 'firefox111'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    manifest: 'manifest.json',
    emptyOutDir: true,
    rolldownOptions: {
      checks: { pluginTimings: false },
      // The library marks its files for server rendering, which is not used here.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
});
