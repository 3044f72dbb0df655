import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ROOT } from './packages.ts';
import { ensureReleasable, versionOf } from './releasable.ts';

test('all packages and the newest section of the CHANGELOG have one version', () => {
  assert.match(versionOf(ROOT), /^\d+\.\d+\.\d+$/);
});

test('a tree with changes, with two versions, or whose tag is on another commit is not released', (t) => {
  const { folder, git, write } = repository(t);
  assert.equal(ensureReleasable(folder), '1.2.3');
  write('stray.txt', 'not committed');
  assert.throws(() => ensureReleasable(folder), /The tree has changes; commit them first:\n\?\? stray\.txt/);
  git('add', '-A');
  git('tag', 'v1.2.3');
  git('commit', '-qm', 'one more file');
  assert.throws(() => ensureReleasable(folder), /v1\.2\.3 is the tag of another commit/);
  write('CHANGELOG.md', '# Changes\n\n## 1.2.4\n');
  assert.throws(() => versionOf(folder), /The version is 1\.2\.3, but the newest section of CHANGELOG\.md is 1\.2\.4/);
  write('packages/a/package.json', '{ "name": "a", "version": "1.2.4" }');
  assert.throws(() => versionOf(folder), /a is 1\.2\.4/);
});

function repository(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'grove-releasable-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], { cwd: folder });
  mkdirSync(join(folder, 'packages/a'), { recursive: true });
  write('package.json', '{ "name": "whole", "version": "1.2.3" }');
  write('packages/a/package.json', '{ "name": "a", "version": "1.2.3" }');
  write('CHANGELOG.md', '# Changes\n\n## 1.2.3 (2026-11-16)\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'all of it');
  return { folder, git, write };
}
