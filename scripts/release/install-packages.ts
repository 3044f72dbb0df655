import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLATFORMS, type Platform } from './packages.ts';

/** For tests: creates an empty project and installs tarballs in it, which every user of the machine may read and run. */
export function installPackages(tarballs: readonly string[], ...options: string[]): { folder: string; grove: string } {
  const folder = mkdtempSync(join(tmpdir(), 'grove-installed-'));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...options, ...tarballs];
  execFileSync('npm', args, { cwd: folder, stdio: 'pipe' });
  return { folder, grove: join(folder, 'node_modules/.bin/grove') };
}

export function thisPlatform(): Platform | undefined {
  return PLATFORMS.find(({ os, cpu }) => os === process.platform && cpu === process.arch);
}

/** An ordinary user, if the test runs as root, because a server must not need to write to its own installation. */
export const ORDINARY_USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Makes a folder that belongs to the user of the server. */
export function makeDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'grove-data-'));
  const { uid, gid } = ORDINARY_USER;
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}
