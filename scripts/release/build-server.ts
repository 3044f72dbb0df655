import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { viewerScript } from '../../packages/server/src/http/pages/reference.ts';
import { compileAll, compileLauncher } from './compile.ts';
import {
  BUNDLED,
  type Bundled,
  binariesOf,
  CODE,
  DOCUMENTS,
  ENTRIES,
  lockedVersion,
  manifestOf,
  NEEDED_BY_BUNDLED,
  NOT_AT_RUN_TIME,
  nodePackageOf,
  OPTIONAL,
  PAGES,
  type Platform,
  ROOT,
  SERVER_NAME,
} from './packages.ts';

const LAUNCHER = 'packages/cli/bin/grove';
/** The place at which `http/pages/reference.ts` looks for the script first; then it resolves the package. */
const VIEWER = 'packages/server/viewer/scalar.js';

/** Writes the package of the server and of `grove` for one platform into a folder that it empties first. */
export async function buildServer(folder: string, platform: Platform): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  writeCode(folder);
  write(folder, VIEWER, await viewerScript());
  copyData(folder);
  for (const bundled of BUNDLED) bundle(folder, bundled, platform);
  write(folder, 'package.json', `${JSON.stringify(serverManifest(platform), null, 2)}\n`);
}

/** Builds the pages of every package that has any. */
export function buildPages(): void {
  for (const { folder, build } of PAGES) {
    execFileSync(process.execPath, [join(ROOT, folder, build), '--if-needed'], { stdio: 'inherit' });
  }
}

function write(folder: string, path: string, text: string | Buffer, mode = 0o644): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
}

function writeCode(folder: string): void {
  for (const { path, code } of compileAll(ENTRIES)) write(folder, path, code);
  write(folder, LAUNCHER, compileLauncher(LAUNCHER), 0o755);
  for (const name of CODE) {
    const { version, license } = manifestOf(`packages/${name}`);
    const manifest = { name: `grove-${name}`, version, license, private: true, type: 'module' };
    write(folder, `packages/${name}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

/** Copies the files that are read unchanged: migrations, definitions, pages, documents, and their styles and scripts. */
function copyData(folder: string): void {
  const data = CODE.flatMap((name) => globSync(`packages/${name}/{src/**/*,*}.{json,sql,css,js}`, { cwd: ROOT }));
  const pages = PAGES.flatMap(({ folder: home, ship }) => ship.map((each) => join(home, each)));
  for (const path of [...data.filter((each) => !each.endsWith('package.json')), ...pages, ...DOCUMENTS]) {
    if (!existsSync(join(ROOT, path))) throw new Error(`${path} is not there`);
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
}

/** Copies a package without its scripts and dependencies, so that an installation compiles and downloads nothing for it. */
function bundle(folder: string, { name, files }: Bundled, platform: Platform): void {
  const home = join(ROOT, 'node_modules', name);
  const target = join(folder, 'node_modules', name);
  for (const path of files(platform)) {
    if (!existsSync(join(home, path))) throw new Error(`${name} has no ${path}`);
    cpSync(join(home, path), join(target, path), { recursive: true });
  }
  const { scripts, dependencies, devDependencies, optionalDependencies, ...manifest } = JSON.parse(
    readFileSync(join(home, 'package.json'), 'utf8'),
  ) as Record<string, unknown>;
  write(target, 'package.json', `${JSON.stringify(manifest, null, 2)}\n`);
}

function serverManifest(platform: Platform) {
  const { version, license, description } = manifestOf('.');
  const bundled = BUNDLED.map(({ name }) => name);
  const declared = Object.assign({}, ...CODE.map((name) => manifestOf(`packages/${name}`).dependencies));
  const wantedPackages = Object.keys(declared as Record<string, string>).filter(
    (name) => !name.startsWith('@grove/') && !name.startsWith(SERVER_NAME) && !NOT_AT_RUN_TIME.includes(name),
  );
  const needed = [
    ...wantedPackages.filter((name) => !OPTIONAL.includes(name)),
    ...bundled,
    ...NEEDED_BY_BUNDLED,
    ...binariesOf(platform),
  ];
  return {
    name: `${SERVER_NAME}-${platform.os}-${platform.cpu}`,
    version,
    description,
    license,
    keywords: ['identity verification', 'kyc', 'passkeys', 'liveness', 'self-hosted'],
    type: 'module',
    bin: { grove: LAUNCHER },
    os: [platform.os],
    cpu: [platform.cpu],
    libc: ['glibc'],
    engines: { node: '>=20' },
    dependencies: versions([...new Set(needed)]),
    optionalDependencies: versions([...OPTIONAL, nodePackageOf(platform)]),
    bundleDependencies: bundled,
  };
}

function versions(names: readonly string[]): Record<string, string> {
  return Object.fromEntries([...names].sort().map((name) => [name, lockedVersion(name)]));
}
