import type { Config } from './config.ts';
import { sqliteFile } from './config-places.ts';
import { purgeKeptDatabases as purge } from './db/sqlite/kept-databases.ts';
import { defineJob } from './jobs/define-job.ts';
import { type Clock, HOUR, MINUTE } from './kernel/clock.ts';
import type { Feature } from './kernel/feature.ts';

/** Runs at every start and daily. On PostgreSQL, too, because a move leaves the old database in the data folder. */
export function purgeKeptDatabases({ dataFolder }: Config, clock: Clock): Feature {
  const prepare = () => {
    purge(sqliteFile(dataFolder), clock.now());
  };
  const daily = defineJob<object>({
    kind: 'db.purge-kept-databases',
    does: 'removes old databases that a restore or a move left beside the present one',
    maxAttempts: 5,
    backoff: { firstMs: MINUTE, mostMs: HOUR },
    timeoutMs: MINUTE,
    recurs: { dailyAt: '00:45', key: 'daily' },
    run: async () => prepare(),
  });
  return { prepare, jobs: [daily] };
}
