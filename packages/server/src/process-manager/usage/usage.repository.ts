import type { TenantReads } from '../../db/db.ts';
import { byLanguage } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import { STRETCH } from '../../kernel/find-in-stretches.ts';
import type { InstanceStatus } from '../engine/state.ts';
import type { Verdict } from '../reviews/verdicts.repository.ts';

/** The filter of counts over instances. Without `name`, all definitions count. */
export type UsageFilter = {
  environment: Environment;
  name: string;
  /** A stretch of ids. These two are not part of it. */
  after: string;
  below: string;
};

const MAX_ROWS = 10_000;
const CREATED = `tenant_id = :tenant_id AND environment = :environment AND id > :after AND id < :below
  AND (:name = '' OR process_defn_name = :name)`;

export type OutcomeCount = { process_defn_name: string; status: InstanceStatus; instances: number };
const OUTCOMES = query<OutcomeCount>()(`SELECT process_defn_name, status, count(*) AS instances
  FROM process_instances WHERE ${CREATED} GROUP BY process_defn_name, status ORDER BY process_defn_name LIMIT ${MAX_ROWS}`);

export type DurationCount = { seconds: number; instances: number };
const DURATIONS =
  query<DurationCount>()(`SELECT (completed_at - created_at + 500) / 1000 AS seconds, count(*) AS instances
  FROM process_instances WHERE ${CREATED} AND status IN ('COMPLETED_ENDED_SUCCESS', 'COMPLETED_ENDED_ERROR')
    AND completed_at IS NOT NULL
  GROUP BY (completed_at - created_at + 500) / 1000 ORDER BY seconds LIMIT ${MAX_ROWS}`);

export type DeviceCount = { browser: string; instances: number };
const DEVICES = query<DeviceCount>()(`SELECT s.browser, count(DISTINCT s.instance_id) AS instances
  FROM process_instances i JOIN journey_sessions s ON s.tenant_id = i.tenant_id AND s.instance_id = ${byLanguage('i.id')}
  WHERE i.tenant_id = :tenant_id AND i.environment = :environment AND i.id > :after AND i.id < :below
    AND (:name = '' OR i.process_defn_name = :name)
  GROUP BY s.browser ORDER BY instances DESC, s.browser LIMIT ${MAX_ROWS}`);

export const outcomesOf = (db: TenantReads, filter: UsageFilter) => OUTCOMES.all(db, filter);
export const durationsOf = (db: TenantReads, filter: UsageFilter) => DURATIONS.all(db, filter);
export const devicesOf = (db: TenantReads, filter: UsageFilter) => DEVICES.all(db, filter);

/** A period, and a part of the instances with verdicts: those between two ids. */
export type VerdictFilter = { environment: Environment; fromAt: number; belowAt: number; after: string; below: string };
const OF_INSTANCES = 'tenant_id = :tenant_id AND instance_id > :after AND instance_id < :below' as const;
const IN_PERIOD = `${OF_INSTANCES} AND environment = :environment AND at >= :fromAt AND at < :belowAt` as const;

/** The instance with the last verdict of a part. Undefined if this is the last part. */
const LAST_OF_VERDICTS = query<{ id: string }>()(`SELECT instance_id AS id FROM review_verdicts
  WHERE tenant_id = :tenant_id AND instance_id > :after ORDER BY instance_id LIMIT 1 OFFSET ${STRETCH - 1}`);

export type VerdictCount = { reviewer: string; verdict: Verdict; verdicts: number; waited: number };
const VERDICTS = query<VerdictCount>()(`SELECT reviewer, verdict, count(*) AS verdicts, sum(at - entered_at) AS waited
  FROM review_verdicts WHERE ${IN_PERIOD} AND verdict <> 'REOPENED' GROUP BY reviewer, verdict ORDER BY reviewer, verdict LIMIT ${MAX_ROWS}`);
export type Agreement = { cases: number; agreed: number };
const AGREEMENT = query<Agreement>()(`SELECT count(*) AS cases,
    coalesce(sum(CASE WHEN kinds = 1 THEN 1 ELSE 0 END), 0) AS agreed
  FROM (SELECT instance_id, entered_at, count(DISTINCT verdict) AS kinds FROM review_verdicts
    WHERE ${IN_PERIOD} AND verdict <> 'ASKED_AGAIN' GROUP BY instance_id, entered_at HAVING count(*) > 1) AS rounds`);

export const lastOfVerdicts = LAST_OF_VERDICTS.get;
export const verdictCounts = VERDICTS.all;
export const agreementOf = AGREEMENT.get;
