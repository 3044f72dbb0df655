import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestOf } from './packages.ts';

/** Ensures that the version names one tree: no changes, one version everywhere and in the CHANGELOG, no tag on another commit. */
export function ensureReleasable(root: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const changes = git('status', '--porcelain');
  if (changes !== '') throw new Error(`The tree has changes; commit them first:\n${changes}`);
  const version = versionOf(root);
  const tagged = git('tag', '--list', `v${version}`) && git('rev-list', '-n', '1', `v${version}`);
  if (tagged && tagged !== git('rev-parse', 'HEAD')) {
    throw new Error(`v${version} is the tag of another commit; raise the version`);
  }
  return version;
}

/** The version of all packages and of the newest section of the CHANGELOG. Throws if they differ. */
export function versionOf(root: string): string {
  const { version } = manifestOf('.', root);
  const others = globSync('packages/*/package.json', { cwd: root }).map((file) => {
    const { name, version: own } = manifestOf(file.slice(0, -'/package.json'.length), root);
    return { name, own };
  });
  const wrong = others.filter(({ own }) => own !== version).map(({ name, own }) => `${name} is ${own}`);
  const [, newest] = /^## (\S+)/m.exec(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')) ?? [];
  if (newest !== version) wrong.push(`the newest section of CHANGELOG.md is ${newest}`);
  if (wrong.length > 0) throw new Error(`The version is ${version}, but ${wrong.join(', ')}`);
  return version;
}
