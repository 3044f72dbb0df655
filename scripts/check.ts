import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';

/** Everything that can be known about the code without running it. */
const CHECKS: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  // The native compiler checks; the one under the name `typescript` is for dependency-cruiser, which needs its API.
  ['types', 'node', 'node_modules/typescript-native/bin/tsc', '-p', '.', '--noEmit'],
  ['style', 'biome', 'check', '--error-on-warnings', '.'],
  ['arrows', 'depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'packages'],
  ['openapi.json is fresh', 'node', 'packages/contract/src/write-openapi.ts', '--check'],
  ['the SDK’s routes are fresh', 'node', 'packages/sdk/src/write-routes.ts', '--check'],
  ['the notice of licences is fresh', 'node', 'scripts/notices.ts', '--check'],
];

let failed = 0;
for (const [name, command, ...args] of CHECKS) {
  const started = performance.now();
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  // Without a compiler it understands, dependency-cruiser passes over every file and finds nothing wrong.
  const blind = name === 'arrows' && Number(/\((\d+) modules/.exec(stdout)?.[1] ?? 0) < 100;
  if (status === 0 && !blind) {
    console.log(`ok      ${name} (${seconds} s)`);
  } else {
    failed += 1;
    console.log(`FAILED  ${name} (${seconds} s)\n${stdout ?? ''}${stderr ?? ''}${error ?? ''}`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;
