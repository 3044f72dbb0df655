import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';

/** Several threads would each compute the same types: twice the processor time, and the other checks need the cores. */
const ONE_THREAD = '--singleThreaded';
const TSC = 'node_modules/typescript-native/bin/tsc';
const REMEMBER = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo'];

/** All checks that do not run the code. They run at the same time, because none depends on another. */
const CHECKS: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  // The native compiler checks; the one under the name `typescript` is for dependency-cruiser, which needs its API.
  // It stores what it has checked, so the second run takes a tenth of the first.
  ['types', 'node', TSC, '-p', '.', '--noEmit', ONE_THREAD, ...REMEMBER],
  ['types of the console', 'node', TSC, '-p', 'packages/console', '--noEmit', ONE_THREAD],
  ['style', 'biome', 'check', '--error-on-warnings', '.'],
  ['arrows', 'depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'packages'],
  ['sizes and names', 'node', 'scripts/check-house.ts'],
  ['openapi.json is fresh', 'node', 'packages/contract/src/write-openapi.ts', '--check'],
  ['the catalogues are fresh', 'node', 'packages/contract/src/write-catalogues.ts', '--check'],
  ['the tables of the documentation are fresh', 'node', 'packages/server/src/write-tables.ts', '--check'],
  ['the SDK’s routes are fresh', 'node', 'packages/sdk/src/write-routes.ts', '--check'],
  ['the notice of licences is fresh', 'node', 'scripts/notices.ts', '--check'],
];

const MAX_OUTPUT = 64 * 1024 * 1024;

const outcomes = CHECKS.map(([name, command, ...args]) => {
  const started = performance.now();
  return new Promise<{ isOk: boolean; report: string }>((done) => {
    execFile(command, args, { encoding: 'utf8', maxBuffer: MAX_OUTPUT }, (error, stdout, stderr) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      // Without a compiler that it supports, dependency-cruiser skips every file and reports no fault.
      const blind = name === 'arrows' && Number(/\((\d+) modules/.exec(stdout)?.[1] ?? 0) < 100;
      const isOk = error === null && !blind;
      // A command that could not be started has no output, so its error is the report.
      const output = `${stdout}${stderr}` || String(error);
      done({
        isOk,
        report: isOk ? `ok      ${name} (${seconds} s)` : `FAILED  ${name} (${seconds} s)\n${output}`,
      });
    });
  });
});
for (const outcome of outcomes) {
  const { isOk, report } = await outcome;
  console.log(report);
  if (!isOk) process.exitCode = 1;
}
