import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Where Chromium is. On Debian, as root, it is installed when it is missing: browser tests need one. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function findChromium({ install = false } = {}): string | undefined {
  const given = process.env.CHROMIUM;
  const found = given && existsSync(given) ? given : PLACES.find((place) => existsSync(place));
  if (found || !install) return found;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  console.log('Chromium is missing; installing it for the browser tests …');
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
  ]) {
    const { status } = spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: environment });
    if (status !== 0) return undefined;
  }
  return findChromium();
}
