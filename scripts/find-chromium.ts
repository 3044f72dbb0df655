import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Finds Chromium. The headless shell is tried first, because it needs half of the processor time for the tests. On Debian, as
 * root, a missing shell is installed, or the whole browser if there is no package of the shell.
 */
const SHELL = '/usr/bin/chromium-headless-shell';
const PLACES = [SHELL, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const INSTALL_WITHIN_MS = 180_000;
/** Flags with which Chromium makes no requests except those of the pages that it opens. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The options with which Playwright launches Chromium without a window. */
export function chromiumLaunch(flags: readonly string[] = []): { executablePath: string; args: string[] } {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('there is no Chromium: install it, or name it in CHROMIUM');
  return { executablePath, args: [...FLAGS, ...flags] };
}

export function findChromium({ install = false } = {}): string | undefined {
  const { CHROMIUM } = process.env;
  if (CHROMIUM && existsSync(CHROMIUM)) return CHROMIUM;
  const find = () => PLACES.find((path) => existsSync(path));
  if (!install || find() === SHELL || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return find();
  console.log('Chromium is missing, or is larger than it need be; installing what the browser tests need …');
  aptGet('update', '-qq');
  // Installed packages are not removed.
  if (!aptGet('install', '-y', '-qq', '--no-install-recommends', '--no-remove', 'chromium-headless-shell') && !find()) {
    aptGet('install', '-y', '-qq', '--no-install-recommends', 'chromium');
  }
  return find();
}

function aptGet(...args: string[]): boolean {
  // Another program may be installing something: wait for it.
  const limits = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=10', '-o', 'DPkg::Lock::Timeout=120'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { stdio: ['ignore', 'ignore', 'inherit'] as never, env, timeout: INSTALL_WITHIN_MS };
  return spawnSync('apt-get', [...limits, ...args], options).status === 0;
}
