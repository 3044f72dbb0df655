import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { IDENTITY_EVENTS } from '@grove/contract';
import { build } from 'vite';
import { manifestOf, ROOT, SDK_NAME } from './packages.ts';
import { printContractTypes } from './print-types.ts';

const SOURCE = join(ROOT, 'packages/sdk/src');
const CONTRACT = '@grove/contract';
const MAX_FILES = 100;

/** Writes the package of the SDK into a folder that it empties first: ESM and CommonJS, each with its own types. */
export async function buildSdk(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const dist = join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  await writeScripts(dist);
  writeDeclarations(dist, join(folder, 'declarations'));
  rmSync(join(folder, 'declarations'), { recursive: true, force: true });
  for (const [from, to] of [
    ['packages/sdk/README.md', 'README.md'],
    ['LICENSE', 'LICENSE'],
  ] as const) {
    cpSync(join(ROOT, from), join(folder, to));
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(sdkManifest(), null, 2)}\n`);
}

async function writeScripts(dist: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    root: SOURCE,
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      lib: {
        entry: join(SOURCE, 'index.ts'),
        formats: ['es', 'cjs'],
        fileName: (format) => (format === 'es' ? 'index.js' : 'index.cjs'),
      },
    },
  });
}

/** Writes the declarations that TypeScript generates, with the types of the contract beside them as plain types. */
function writeDeclarations(dist: string, folder: string): void {
  const tsc = join(ROOT, 'node_modules/typescript-native/bin/tsc');
  const options = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--rootDir', join(ROOT, 'packages')];
  const project = join(folder, 'tsconfig.json');
  mkdirSync(folder, { recursive: true });
  const config = { extends: join(ROOT, 'packages/sdk/tsconfig.json'), include: [], files: [join(SOURCE, 'index.ts')] };
  writeFileSync(project, JSON.stringify(config));
  execFileSync(
    process.execPath,
    [tsc, '-p', project, ...options, '--typeRoots', join(ROOT, 'node_modules/@types'), '--outDir', folder],
    { stdio: 'inherit' },
  );
  const sources = join(folder, 'sdk/src');
  const files = reachable('index.ts', sources);
  const contract = `${printContractTypes()}\n${webhookTypes()}`;
  for (const [suffix, script] of [
    ['.d.ts', '.js'],
    ['.d.cts', '.cjs'],
  ] as const) {
    writeFileSync(join(dist, `contract${suffix}`), contract);
    for (const [file, text] of files) {
      const own = text.replace(RELATIVE, (_whole, name: string) => `'./${name}${script}'`);
      writeFileSync(
        join(dist, `${file.slice(0, -'.ts'.length)}${suffix}`),
        own.replaceAll(`'${CONTRACT}'`, `'./contract${script}'`),
      );
    }
  }
}

/** The types of webhooks are plain TypeScript already, and need only the names of the events. */
function webhookTypes(): string {
  const file = join(ROOT, 'packages/contract/src/webhook-payloads.ts');
  const names = IDENTITY_EVENTS.map((name) => JSON.stringify(name)).join(' | ');
  return readFileSync(file, 'utf8').replace(/^import .*$/m, `type IdentityEventType = ${names};`);
}

const RELATIVE = /'\.\/([\w.-]+)\.ts'/g;

function reachable(entry: string, folder: string): Map<string, string> {
  const files = new Map<string, string>();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    if (files.size >= MAX_FILES) throw new Error(`The SDK has more than ${MAX_FILES} files`);
    const text = readFileSync(join(folder, file.replace(/\.ts$/, '.d.ts')), 'utf8');
    files.set(file, text);
    waiting.push(...[...text.matchAll(RELATIVE)].map(([, name]) => posix.normalize(`${name}.ts`)));
  }
  return files;
}

function sdkManifest() {
  const { version, license, description } = manifestOf('packages/sdk');
  const entry = (types: string, script: string) => ({ types: `./dist/${types}`, default: `./dist/${script}` });
  return {
    name: SDK_NAME,
    version,
    description,
    license,
    keywords: ['grove', 'identity verification', 'kyc', 'passkeys', 'client'],
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: {
      '.': { import: entry('index.d.ts', 'index.js'), require: entry('index.d.cts', 'index.cjs') },
      './package.json': './package.json',
    },
    main: './dist/index.cjs',
    module: './dist/index.js',
    types: './dist/index.d.cts',
    files: ['dist'],
  };
}
