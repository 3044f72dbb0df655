import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { buildEmbed } from './build-embed.ts';
import { EMBED_NAME, pack, ROOT } from './packages.ts';

/** Tests the package that shows a journey in a page, unpacked from its tarball into an empty project. */
const MAX_GZIPPED_BYTES = 5_000;
const BIN = join(ROOT, 'node_modules/.bin');
let project = '';
let tarball = '';
let home = '';

before(async () => {
  project = mkdtempSync(join(tmpdir(), 'grove-embed-package-'));
  home = join(project, 'node_modules', EMBED_NAME);
  await buildEmbed(join(project, 'built'));
  tarball = pack(join(project, 'built'), project);
  mkdirSync(home, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', home, '--strip-components=1']);
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
});
after(() => rmSync(project, { recursive: true, force: true }));

function run(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' });
  assert.equal(status, 0, `${args.join(' ')}\n${stdout}${stderr}`);
}

test('the module and the plain script of the embed package have no dependencies and are at most 5 kB gzipped', () => {
  const { dependencies, scripts } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  assert.deepEqual([dependencies, scripts], [undefined, undefined]);
  for (const name of ['index.js', 'script.js']) {
    const code = readFileSync(join(home, 'dist', name), 'utf8');
    assert.doesNotMatch(code, /\bimport\b|\brequire\(|https?:\/\/[a-z]/, name);
    const bytes = gzipSync(code).length;
    assert.ok(bytes <= MAX_GZIPPED_BYTES, `${name}: ${bytes} bytes`);
  }
});

test('the plain script of the embed package defines one global name', () => {
  const page: { GroveJourney?: { open?: unknown } } = {};
  runInNewContext(readFileSync(join(home, 'dist/script.js'), 'utf8'), page);
  assert.equal(typeof page.GroveJourney?.open, 'function');
});

test('publint, arethetypeswrong and tsc --strict find no fault in the embed package', () => {
  run(join(BIN, 'publint'), '--strict', tarball);
  run(
    join(BIN, 'attw'),
    tarball,
    '--no-color',
    '--no-emoji',
    '--profile',
    'esm-only',
    '--exclude-entrypoints',
    'script.js',
  );
  writeFileSync(
    join(project, 'use.ts'),
    `import { openJourney } from '${EMBED_NAME}';
const journey = openJourney({ url: 'https://id.example/web/?pt=1' });
journey.on('completed', ({ outcome }): 'passed' | string => outcome);
// @ts-expect-error There is no such event.
journey.on('done', () => undefined);
`,
  );
  const options = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--target', 'es2022', '--lib', 'es2022,dom'];
  const tsc = join(ROOT, 'node_modules/typescript-native/bin/tsc');
  run(tsc, ...options, '--module', 'esnext', '--moduleResolution', 'bundler', 'use.ts');
});
