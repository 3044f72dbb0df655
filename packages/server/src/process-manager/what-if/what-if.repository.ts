import type { TenantReads } from '../../db/db.ts';
import { byLanguage, inJson } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { ReviewStatus } from '../instances/instance-row.ts';

/** Past instances, without anything of a person. */
export type PastRow = {
  id: string;
  definition_id: string;
  review_status: ReviewStatus | null;
  /** JSON of the flow. */
  state: string;
};

const PAST = query<PastRow>()(`SELECT i.id, i.definition_id, i.review_status, j.state
  FROM process_instances i JOIN journeys j ON j.tenant_id = i.tenant_id AND j.instance_id = ${byLanguage('i.id')}
  WHERE i.tenant_id = :tenant_id AND i.environment = :environment AND i.id > :after AND i.id < :below
    AND i.process_defn_name = :name
  ORDER BY i.id LIMIT :limit + 0`);

type PastSearch = { environment: Environment; name: string; after: string; below: string; limit: number };

export function pastInstances(db: TenantReads, search: PastSearch): Promise<PastRow[]> {
  return PAST.all(db, search);
}

export type PastCheck = {
  instance_id: string;
  step: string;
  name: string;
  status: 'PASSED' | 'FAILED' | 'REVIEW' | 'NOT_PERFORMED';
  score: number | null;
  threshold: number | null;
  reason: string | null;
  advice: 'retry' | 'final' | null;
  meta_data: string | null;
};

const CHECKS = query<PastCheck>()(`SELECT instance_id, step, name, status, score, threshold, reason, advice, meta_data
  FROM instance_checks WHERE tenant_id = :tenant_id AND instance_id ${inJson(':instanceIds')} AND step ${inJson(':steps')}
  ORDER BY instance_id, step, name`);

export function pastChecks(db: TenantReads, instanceIds: readonly string[], steps: readonly string[]) {
  return CHECKS.all(db, { instanceIds: JSON.stringify(instanceIds), steps: JSON.stringify(steps) });
}
