// Compiles Grove once after installing, so that already the first start is quick and small. A start that finds nothing
// compiled works as well, so whatever goes wrong here is no reason to fail an installation.
import { spawnSync } from 'node:child_process';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

try {
  if (Number.parseInt(process.versions.node, 10) >= 24) {
    const grove = fileURLToPath(new URL('../packages/cli/bin/grove', import.meta.url));
    spawnSync(process.execPath, [grove, '--version'], { stdio: 'ignore' });
    module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/grove', import.meta.url)));
    await import('@grove/server');
  }
} catch {
  // The first start will do it.
}
