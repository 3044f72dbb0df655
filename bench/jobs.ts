import { openApp } from '@grove/server/app';
import { defineJob } from '../packages/server/src/jobs/define-job.ts';
import { asTenantId } from '../packages/server/src/kernel/ids.ts';
import { rateChecks } from './bars.ts';
import type { ComparisonOptions } from './compare.ts';
import { benchConfig } from './config.ts';
import { median } from './numbers.ts';
import type { Figures } from './results.ts';
import type { Installation } from './seed.ts';

/** Measures how many jobs a second a worker claims, runs and removes in batches, durably. The jobs themselves do nothing. */
const JOBS_PER_ROUND = 10_000;
// SQLite allows a transaction five seconds.
const JOBS_PER_TRANSACTION = 1000;

const idle = defineJob<{ id: string }>({
  kind: 'bench.idle',
  does: 'nothing',
  maxAttempts: 5,
  backoff: { firstMs: 1000, mostMs: 60_000 },
  timeoutMs: 60_000,
  run: async () => undefined,
});

export async function measureJobs(
  name: 'jobs' | 'jobs-pg',
  { place, seeded }: Installation,
  { rounds, progress }: Pick<ComparisonOptions, 'rounds' | 'progress'>,
): Promise<Figures> {
  const [tenant] = seeded.writers;
  if (!tenant) throw new Error('there is no tenant');
  const { db, jobs, stop } = await openApp(benchConfig(place));
  const enqueued: number[] = [];
  const worked: number[] = [];
  try {
    jobs.register(idle);
    for (let number = 0; number <= rounds; number++) {
      const filled = await perSecond(async () => {
        for (let from = 0; from < JOBS_PER_ROUND; from += JOBS_PER_TRANSACTION) {
          await db.of(asTenantId(tenant.tenantId)).write(async (tx) => {
            for (let at = 0; at < JOBS_PER_TRANSACTION; at++) await jobs.enqueue(tx, idle, { id: `${from + at}` });
          });
        }
        return JOBS_PER_ROUND;
      });
      const emptied = await perSecond(() => jobs.runDue());
      progress(`${name}: ${number === 0 ? 'warm-up' : `round ${number}`}, ${Math.round(emptied)} jobs/s`);
      if (number === 0) continue;
      enqueued.push(filled);
      worked.push(emptied);
    }
  } finally {
    await stop();
  }
  const measured = median(worked);
  return {
    kind: 'figures',
    name,
    figures: [
      { what: 'jobs worked', value: measured, unit: 'jobs/s' },
      { what: 'jobs enqueued', value: median(enqueued), unit: 'jobs/s' },
    ],
    series: { worked, enqueued },
    checks: rateChecks(name, 'jobs worked', measured),
  };
}

async function perSecond(work: () => Promise<number>): Promise<number> {
  const started = performance.now();
  const count = await work();
  if (count !== JOBS_PER_ROUND) throw new Error(`${count} of ${JOBS_PER_ROUND} jobs were run`);
  return (count * 1000) / (performance.now() - started);
}
