import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Compresses files when they are built, so that no request waits for it. */
const COMPRESSIBLE = /\.(js|css|html|json|svg|wasm|txt)$/;
const MIN_BYTES = 512;
/** The best compression takes seconds for each megabyte, and every installation of Grove would wait for it. */
const LARGE_BYTES = 100_000;

export function compressed(): Plugin {
  let folder = '';
  return {
    name: 'grove-compressed',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir;
    },
    async closeBundle() {
      const files = globSync('**/*', { cwd: folder }).map((name) => `${folder}/${name}`);
      const worth = files.filter((file) => COMPRESSIBLE.test(file) && statSync(file).size >= MIN_BYTES);
      await Promise.all(worth.map(compress));
    },
  };
}

async function compress(file: string): Promise<void> {
  const bytes = readFileSync(file);
  const large = bytes.length > LARGE_BYTES;
  const params = { [constants.BROTLI_PARAM_QUALITY]: large ? 5 : 10 };
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
  writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: large ? 6 : 9 }));
}
