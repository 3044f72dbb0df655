import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { addToCounter } from '../../src/db/counters.ts';
import { openDb } from '../../src/db/open.ts';
import { openJobs } from '../../src/jobs/jobs.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { namedJob } from '../jobs.ts';

/** A worker that counts each job that it runs, writes a line for it, and ends with its parent. */
const LEASE_MS = 300;
process.stdin.on('end', () => process.exit()).resume();
const db = openDb(readConfig(process.env).database, () => undefined);
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const jobs = openJobs({ db, clock: systemClock, log, leaseMs: LEASE_MS });
jobs.register(
  namedJob(
    async ({ name }, { attempt, tenant }) => {
      await sleep(2);
      await tenant().write(async (tx) => {
        await addToCounter(tx, name, 1);
        if (attempt > 1) await addToCounter(tx, 'handed over', 1);
      });
      process.stdout.write('done\n');
    },
    { maxAttempts: 100 },
  ),
);
jobs.start();
