import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Platform, ROOT } from './packages.ts';

/** The previous release, which runs beside this one during an upgrade. Each release changes this line. */
export const PREVIOUS = { version: '0.1.0', commit: 'a8e517a9fba4410aafc3680f538392df89aa0f50' };

/** The reason why its package cannot be built here: a clone may have no history. */
export function missingPrevious(): string | false {
  const isInHistory = spawnSync('git', ['cat-file', '-e', `${PREVIOUS.commit}^{commit}`], { cwd: ROOT }).status === 0;
  return !isInHistory && `the history has no ${PREVIOUS.version} (${PREVIOUS.commit.slice(0, 7)})`;
}

/**
 * Builds the package of the previous release with its own scripts, in a folder of this repository, so that it resolves the
 * packages of this repository. The pages are those of this release: a running journey keeps the pages of the server it began on.
 */
export function buildPrevious(platform: Platform): { folder: string; grove: string } {
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'build/previous-'));
  const checkout = join(folder, 'checkout');
  mkdirSync(checkout);
  const archive = execFileSync('git', ['archive', PREVIOUS.commit], { cwd: ROOT, maxBuffer: 512 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', checkout], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  cpSync(join(ROOT, 'packages/journey/dist'), join(checkout, 'packages/journey/dist'), { recursive: true });
  const built = join(folder, 'server');
  const script = `import { buildServer } from ${JSON.stringify(join(checkout, 'scripts/release/build-server.ts'))};
await buildServer(${JSON.stringify(built)}, ${JSON.stringify(platform)});`;
  execFileSync(process.execPath, ['--input-type=module', '--disable-warning=ExperimentalWarning', '--eval', script]);
  return { folder, grove: join(built, 'packages/cli/bin/grove') };
}
