import { get, group } from './operation.ts';
import { DateTime, oneOf, withTitle } from './schema.ts';
import { Type } from './type.ts';

/** The state of the server, as far as it concerns the tenant of the caller. All of it is ours. */

/** Counting stops here. */
export const MAX_QUEUE_COUNTED = 10_000;

const Queue = (what: string) =>
  Type.Object({
    waiting: Type.Integer({ description: `${what} that are due; ${MAX_QUEUE_COUNTED} at most are counted` }),
    oldestDueDtm: Type.Optional(Type.String({ ...DateTime, description: 'When the oldest of them became due' })),
  });

const Health = withTitle(
  'TenantHealth',
  Type.Object({
    version: Type.String({ description: 'The version of Grove' }),
    region: Type.String(),
    database: oneOf('SQLite', 'PostgreSQL'),
    jobs: Queue('Jobs of the tenant'),
    deadJobs: Type.Integer({ description: 'Failed jobs: too many attempts' }),
    webhookDeliveries: Queue('Deliveries'),
  }),
);

export const health = group('/api/operator-manager/health', {
  get: get('', {
    summary: 'Get the version of the server and what waits in its queues for the tenant',
    permission: 'OperatorManager:getHealth',
    ok: Health,
  }),
});
