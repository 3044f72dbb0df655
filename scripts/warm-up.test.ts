import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));

it('the first start after an installation compiles nothing, because all modules that it loads are stored', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'grove-first-start-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const cache = join(folder, 'cache');
  const run = (script: string, ...words: string[]) =>
    spawn(process.execPath, [place(script), ...words], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        TMPDIR: folder,
        NODE_COMPILE_CACHE: cache,
        GROVE_DATA: join(folder, 'data'),
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const stored = () => readdirSync(cache, { recursive: true }).length;
  const warmUp = run('./warm-up.js');
  await once(warmUp, 'exit');
  const before = stored();
  assert.ok(before > 1000, `${before} modules are stored`);
  const server = run('../packages/cli/bin/grove', 'start');
  await once(server.stdout, 'data');
  server.stdout.resume();
  server.kill();
  const [code] = await once(server, 'exit');
  assert.deepEqual([code, stored()], [0, before]);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('grove-warm-up')),
    [],
    'the folder of the warm-up is gone',
  );
});
