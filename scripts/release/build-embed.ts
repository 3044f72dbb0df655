import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { EMBED_NAME, manifestOf, ROOT } from './packages.ts';

const SOURCE = join(ROOT, 'packages/embed/src');

/** Writes the package that shows a journey in a page into a folder that it empties first: a module and a plain script. */
export async function buildEmbed(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const dist = join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  await writeScript(dist, { entry: 'index.ts', format: 'es', file: 'index.js' });
  await writeScript(dist, { entry: 'script.ts', format: 'iife', file: 'script.js' });
  writeDeclarations(dist);
  cpSync(join(ROOT, 'packages/embed/README.md'), join(folder, 'README.md'));
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(embedManifest(), null, 2)}\n`);
}

type Script = { entry: string; format: 'es' | 'iife'; file: string };

async function writeScript(dist: string, { entry, format, file }: Script): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    root: SOURCE,
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: 'es2020',
      minify: true,
      lib: { entry: join(SOURCE, entry), formats: [format], name: 'GroveJourneyEmbed', fileName: () => file },
    },
  });
}

function writeDeclarations(dist: string): void {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const options = [
    '--declaration',
    '--emitDeclarationOnly',
    '--noEmit',
    'false',
    '--outDir',
    dist,
    '--rootDir',
    SOURCE,
  ];
  execFileSync(process.execPath, [tsc, '-p', join(ROOT, 'packages/embed'), ...options], { stdio: 'inherit' });
  for (const name of globSync('*.d.ts', { cwd: dist })) {
    const file = join(dist, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/'\.\/([\w-]+)\.ts'/g, `'./$1.js'`));
  }
  rmSync(join(dist, 'script.d.ts'), { force: true });
}

function embedManifest() {
  const { version, license, description } = manifestOf('packages/embed');
  return {
    name: EMBED_NAME,
    version,
    description,
    license,
    keywords: ['grove', 'identity verification', 'kyc', 'embed'],
    type: 'module',
    sideEffects: ['./dist/script.js'],
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './script.js': './dist/script.js',
      './package.json': './package.json',
    },
    types: './dist/index.d.ts',
    files: ['dist'],
  };
}
