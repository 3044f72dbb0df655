// Starts Grove once after installing, on a port of its own and in a temporary folder, and builds the pages of end users and
// operators. The compiled code is stored, so that even the first start is fast and needs little memory. Grove also starts
// without stored code, so an error here does not fail the installation.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAX_START_MS = 180_000;
const place = (path) => fileURLToPath(new URL(path, import.meta.url));

try {
  if (Number.parseInt(process.versions.node, 10) >= 24) {
    for (const site of ['journey', 'console']) {
      spawnSync(process.execPath, [place(`../packages/${site}/build.ts`), '--if-needed'], { stdio: 'ignore' });
    }
    module.enableCompileCache(place('../node_modules/.cache/grove'));
    await import('@grove/server');
    // These scripts run in processes of their own, so they are loaded here to be stored, too.
    for (const script of ['start-confined.ts', 'child.ts']) {
      await import(new URL(`../packages/server/src/engines/images/${script}`, import.meta.url).href);
    }
    await startOnce();
  }
} catch {
  // The first start will compile the code instead.
}

/** Starts without our environment, so that it does not touch a database or a bucket that is named there. */
async function startOnce() {
  const folder = mkdtempSync(join(tmpdir(), 'grove-warm-up-'));
  const { PATH = '', HOME = folder, SystemRoot = '', NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, SystemRoot, GROVE_DATA: folder, HOST: '127.0.0.1', PORT: '0' };
  if (NODE_COMPILE_CACHE) env.NODE_COMPILE_CACHE = NODE_COMPILE_CACHE;
  const stdio = ['ignore', 'pipe', 'ignore'];
  const server = spawn(process.execPath, [place('../packages/cli/bin/grove'), 'start'], { env, cwd: folder, stdio });
  const ended = new Promise((done) => server.once('close', done));
  const limit = setTimeout(() => server.kill('SIGKILL'), MAX_START_MS);
  server.stdout.once('data', () => server.kill());
  server.stdout.resume();
  await ended;
  clearTimeout(limit);
  rmSync(folder, { recursive: true, force: true });
}
