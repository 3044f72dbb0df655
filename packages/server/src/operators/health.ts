import { api } from '@grove/contract';
import type { Db } from '../db/db.ts';
import { type QueuesOfTenant, readQueues } from '../jobs/queue-of-tenant.ts';
import { toDtm } from '../kernel/clock.ts';
import { implement } from '../kernel/implement.ts';

const DATABASES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

type HealthDeps = { db: Db; region: string; versions: { grove: string } };

/** Shows the state of the server, as far as it concerns the tenant. */
export function healthHandlers({ db, region, versions }: HealthDeps) {
  return implement(api.health, {
    async get({ tenantId, now }) {
      const { jobs, deadJobs, deliveries } = await readQueues(db, tenantId, now);
      return {
        version: versions.grove,
        region,
        database: DATABASES[db.engine],
        jobs: toQueue(jobs),
        deadJobs,
        webhookDeliveries: toQueue(deliveries),
      };
    },
  });
}

function toQueue({ waiting, oldest }: QueuesOfTenant['jobs']) {
  return { waiting, ...(waiting > 0 && oldest !== null && { oldestDueDtm: toDtm(oldest) }) };
}
