import { flushCompileCache } from 'node:module';
import { readConfig } from '../../src/config.ts';
import { startServer } from '../../src/start.ts';

/**
 * The real server, as `grove start` runs it. It writes its address, and ends with its parent. Its clock may be ahead,
 * so that nobody has to wait until the lease of a killed server expires.
 */
const aheadMs = Number(process.env.TEST_CLOCK_AHEAD_MS ?? 0);
const { now } = Date;
if (aheadMs > 0) Date.now = () => now() + aheadMs;
process.stdin.on('end', () => process.exit()).resume();
const { port } = await startServer(readConfig(process.env), { demonstration: 'never', isOnlyServer: true });
process.stdout.write(`${port}\n`);
// The process may be killed before it exits, so it writes the compile cache now.
flushCompileCache();
