import { spawnSync } from 'node:child_process';

/** Writes all generated files that are checked in. */
for (const script of [
  'packages/contract/src/write-openapi.ts',
  'packages/contract/src/write-catalogues.ts',
  'packages/sdk/src/write-routes.ts',
  'packages/server/src/write-tables.ts',
  'scripts/notices.ts',
]) {
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
