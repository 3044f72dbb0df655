import { readConfig } from '../../src/config.ts';
import { startServer } from '../../src/start.ts';

/** The real server, as `grove start` runs it. It says where it listens, and ends with whoever started it. */
process.stdin.on('end', () => process.exit()).resume();
const { port } = await startServer(readConfig(process.env), { demonstration: 'never' });
process.stdout.write(`${port}\n`);
