import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Files are compressed once, when they are built, and never while somebody waits for them. */
const WORTH_IT = /\.(js|css|html|json|svg|wasm|txt)$/;
const MIN_BYTES = 512;
/** The best compression takes seconds for each megabyte, and everybody who installs Grove waits for it. */
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
      const worth = files.filter((file) => WORTH_IT.test(file) && statSync(file).size >= MIN_BYTES);
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
