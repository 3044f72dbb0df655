import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { packSdkOnce } from './pack-sdk-once.ts';
import { ROOT, SDK_NAME } from './packages.ts';

/** Tests the package of the SDK as it is installed: unpacked from its tarball into an empty project. */
const MAX_GZIPPED_BYTES = 15_000;
const BIN = join(ROOT, 'node_modules/.bin');
let project = '';
let tarball = '';
let home = '';

before(async () => {
  project = mkdtempSync(join(tmpdir(), 'grove-sdk-package-'));
  home = join(project, 'node_modules', SDK_NAME);
  tarball = await packSdkOnce();
  mkdirSync(home, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', home, '--strip-components=1']);
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
});
after(() => rmSync(project, { recursive: true, force: true }));

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

test('the SDK has no dependencies, needs only fetch from the platform, and loads at most 15 kB gzipped', () => {
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  assert.deepEqual(
    [manifest.dependencies, manifest.optionalDependencies, manifest.scripts],
    [undefined, undefined, undefined],
  );
  const script = readFileSync(join(home, 'dist/index.js'), 'utf8');
  assert.doesNotMatch(script, /^\s*import\b|\brequire\(|['"]node:|\bprocess\.|\bBuffer\b/m);
  const bytes = gzipSync(script).length;
  assert.ok(bytes <= MAX_GZIPPED_BYTES, `${bytes} bytes`);
});

test('publint and arethetypeswrong find no fault in the tarball of the SDK', () => {
  run(process.execPath, join(BIN, 'publint'), '--strict', tarball);
  run(process.execPath, join(BIN, 'attw'), tarball, '--no-color', '--no-emoji');
});

test('the SDK loads as ESM and as CommonJS, on the Node of Grove and on that of the system', () => {
  writeFileSync(
    join(project, 'load.js'),
    `import { createClient } from '${SDK_NAME}';
import { createRequire } from 'node:module';
const required = createRequire(import.meta.url)('${SDK_NAME}');
console.log(typeof createClient, typeof required.createClient, typeof required.verifyWebhook);`,
  );
  const nodes = [process.execPath, '/usr/bin/node', '/usr/local/bin/node'];
  for (const node of nodes.filter((path) => spawnSync(path, ['--version']).status === 0)) {
    assert.equal(run(node, 'load.js'), 'function function function\n', node);
  }
});

const USE = `import { type Client, createClient } from '${SDK_NAME}';
const grove: Client = createClient({ baseUrl: 'https://acme.example.com', apiKey: 'key' });
export const status = grove.apiKeys.get({ apiKeyId: 'a' }).then((key): 'ACTIVE' | 'BLOCKED' | 'ARCHIVED' => key.status);
// @ts-expect-error The name of a key is text.
grove.apiKeys.create({ body: { name: 7 } });
export async function names() { for await (const key of grove.apiKeys.list.all()) console.log(key.name); }
`;

test('the types of the SDK pass tsc --strict without skipLibCheck, under nodenext (ESM, CommonJS) and bundler', () => {
  const tsc = join(ROOT, 'node_modules/typescript-native/bin/tsc');
  for (const file of ['use.mts', 'use.cts']) writeFileSync(join(project, file), USE);
  const common = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--target', 'es2022'];
  const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom'];
  run(process.execPath, tsc, ...common, ...bundler, 'use.mts');
  mkdirSync(join(project, 'node_modules/@types'));
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
  run(process.execPath, tsc, ...common, '--module', 'nodenext', '--types', 'node', 'use.mts', 'use.cts');
});

/** In the package the events of a webhook are a union of names; inside the repository they are any text. */
const COMPARE = `
type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Call<T> = T extends (...args: infer A) => Promise<infer R> ? [A, R] : never;
type Differences = { [G in Exclude<keyof Ours, 'webhooks'>]: {
  [N in keyof Ours[G]]: N extends keyof Shipped[G] ? (Both<Call<Ours[G][N]>, Call<Shipped[G][N]>> extends true ? never : [G, N]) : [G, N];
}[keyof Ours[G]] }[Exclude<keyof Ours, 'webhooks'>];
export const none: [Differences] extends [never] ? true : Differences = true;
export const same: Both<keyof Ours, keyof Shipped> = true;
`;

test('the types of the SDK package are equal to those of the repository, for every operation', () => {
  const ours = JSON.stringify(join(ROOT, 'packages/sdk/src/index.ts'));
  const imports = `import type { Client as Ours } from ${ours};\nimport type { Client as Shipped } from '${SDK_NAME}';`;
  writeFileSync(join(project, 'compare.ts'), `${imports}${COMPARE}`);
  const options = { lib: ['esnext', 'dom', 'dom.asynciterable'], typeRoots: [join(ROOT, 'node_modules/@types')] };
  const config = { extends: join(ROOT, 'tsconfig.base.json'), compilerOptions: options, files: ['compare.ts'] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
  run(process.execPath, join(ROOT, 'node_modules/typescript-native/bin/tsc'), '-p', '.');
});
