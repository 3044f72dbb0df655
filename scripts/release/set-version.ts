import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestOf, ROOT } from './packages.ts';

/**
 * `node scripts/release/set-version.ts 0.2.0` sets the version in all packages, in their dependencies on each other, in the
 * lock file and in the examples of deploy/. The section of CHANGELOG.md is written by hand.
 */
const [next = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(next)) throw new Error('Give the new version, such as 0.2.0');
const { version: present } = manifestOf('.');
const names = globSync('packages/*', { cwd: ROOT }).map((folder) => manifestOf(folder).name);
const manifests = ['package.json', ...globSync('packages/*/package.json', { cwd: ROOT })];
for (const file of manifests) {
  let text = readFileSync(join(ROOT, file), 'utf8').replace(`"version": "${present}"`, `"version": "${next}"`);
  for (const name of names) text = text.replace(`"${name}": "${present}"`, `"${name}": "${next}"`);
  writeFileSync(join(ROOT, file), text);
}
const examples = [
  'deploy/Containerfile',
  'deploy/compose/compose.yaml',
  'deploy/kubernetes/grove.yaml',
  'packages/sdk/README.md',
];
for (const file of examples) {
  writeFileSync(join(ROOT, file), readFileSync(join(ROOT, file), 'utf8').replaceAll(present, next));
}
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], { cwd: ROOT, stdio: 'inherit' });
execFileSync('npm', ['run', '--silent', 'generate'], { cwd: ROOT, stdio: 'inherit' });
