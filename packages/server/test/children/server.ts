import { flushCompileCache } from 'node:module';
import { readConfig } from '../../src/config.ts';
import { startServer } from '../../src/start.ts';

/**
 * The real server, as `grove start` runs it. It says where it listens, and ends with whoever started it. Its clock may be
 * ahead: nobody has to wait until the lease of a server that was killed is over.
 */
const aheadMs = Number(process.env.TEST_CLOCK_AHEAD_MS ?? 0);
const { now } = Date;
if (aheadMs > 0) Date.now = () => now() + aheadMs;
process.stdin.on('end', () => process.exit()).resume();
const { port } = await startServer(readConfig(process.env), { demonstration: 'never', isOnlyServer: true });
process.stdout.write(`${port}\n`);
// It may be killed, and would then leave nothing of what it compiled to the next.
flushCompileCache();
