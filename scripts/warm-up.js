// Compiles Grove once after installing and builds the pages of end users and operators, so that already the first start is quick
// and small. A start that finds nothing works as well, so whatever goes wrong here is no reason to fail an installation.
import { spawnSync } from 'node:child_process';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

try {
  if (Number.parseInt(process.versions.node, 10) >= 24) {
    const grove = fileURLToPath(new URL('../packages/cli/bin/grove', import.meta.url));
    spawnSync(process.execPath, [grove, '--version'], { stdio: 'ignore' });
    module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/grove', import.meta.url)));
    await import('@grove/server');
    // These run in a process of their own.
    for (const script of ['start-confined.ts', 'child.ts']) {
      await import(new URL(`../packages/server/src/engines/images/${script}`, import.meta.url).href);
    }
    for (const site of ['journey', 'console']) {
      const build = fileURLToPath(new URL(`../packages/${site}/build.ts`, import.meta.url));
      spawnSync(process.execPath, [build, '--if-needed'], { stdio: 'ignore' });
    }
  }
} catch {
  // The first start will do it.
}
