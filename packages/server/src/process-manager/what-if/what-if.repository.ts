import { byLanguage, inList } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import type { CheckRow } from '../instances/checks.repository.ts';
import type { ReviewStatus } from '../instances/instance-row.ts';

/** Past instances, without personal data. */
export type PastRow = {
  id: string;
  definition_id: string;
  review_status: ReviewStatus | null;
  /** JSON of the flow. */
  state: string;
};

export const pastInstances = query<PastRow>()(`SELECT i.id, i.definition_id, i.review_status, j.state
  FROM process_instances i JOIN journeys j ON j.tenant_id = i.tenant_id AND j.instance_id = ${byLanguage('i.id')}
  WHERE i.tenant_id = :tenant_id AND i.environment = :environment AND i.id > :after AND i.id < :below
    AND i.process_defn_name = :name
  ORDER BY i.id LIMIT :limit + 0`).all;

export type PastCheck = Omit<CheckRow, 'type' | 'attempts' | 'at'> & { instance_id: string };

export const pastChecks =
  query<PastCheck>()(`SELECT instance_id, step, name, status, score, threshold, reason, advice, meta_data
  FROM instance_checks WHERE tenant_id = :tenant_id AND instance_id ${inList(':instanceIds')} AND step ${inList(':steps')}
  ORDER BY instance_id, step, name`).all;
