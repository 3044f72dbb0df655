import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oncePerRun } from '../once-per-run.ts';
import { buildSdk } from './build-sdk.ts';
import { pack } from './packages.ts';

/** For tests: the tarball of the SDK, built and packed once for all files of a run. */
export function packSdkOnce(): Promise<string> {
  return oncePerRun('sdk-tarball', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'grove-sdk-tarball-'));
    if (!process.env.TEST_SHARED) process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const built = join(folder, 'built');
    await buildSdk(built);
    return pack(built, folder);
  });
}
