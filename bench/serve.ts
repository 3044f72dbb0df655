import { startServer } from '@grove/server/start';
import { serveUntilAsked } from './child.ts';
import { benchConfig } from './config.ts';

const { BENCH_DATA, BENCH_DATABASE, BENCH_BLIND } = process.env;
if (!BENCH_DATA) throw new Error('BENCH_DATA must name the data folder');

const config = benchConfig({
  dataFolder: BENCH_DATA,
  blind: BENCH_BLIND === 'yes',
  ...(BENCH_DATABASE && { databaseUrl: BENCH_DATABASE }),
});
const running = await startServer(config, { demonstration: 'never', isOnlyServer: true });
serveUntilAsked({ port: running.port }, running.stop);
