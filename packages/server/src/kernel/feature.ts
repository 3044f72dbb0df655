import type { Audit } from '../audit/audit.ts';
import type { Db, TenantTx } from '../db/db.ts';
import type { Erasable } from '../erasure-log/replay-erasures.ts';
import type { JobDefinition } from '../jobs/define-job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Clock } from './clock.ts';
import type { TenantId } from './ids.ts';
import type { AllHandlers } from './implement.ts';
import type { InstanceEvent } from './instance-event.ts';

/** What a part of the application declares of itself. `open-features.ts` lists the features, and one loop ties them in. */
export type Feature = {
  readonly handlers?: Partial<AllHandlers>;
  readonly jobs?: readonly JobDefinition<object>[];
  /** What it has erased, if a backup brings it back. */
  readonly erasables?: readonly Erasable[];
  /** In the transaction of every event of an instance. */
  onInstanceEvent?(tx: TenantTx, event: InstanceEvent): Promise<void> | void;
  /** Before the first request and the first job. */
  prepare?(options: { force: boolean }): Promise<void> | void;
  /** When requests are served. */
  start?(): void;
  /** The same, in a process with the role `worker`. */
  startWork?(): void;
  /** While requests and jobs finish. */
  stop?(): Promise<void> | void;
  /** When no request and no job can ask for it any more. */
  close?(): Promise<unknown>;
};

/** What every feature is built on. */
export type Platform = {
  readonly db: Db;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly audit: Audit;
  baseUrlOf(tenantId: string): string;
  everyTenantId(): AsyncIterable<TenantId>;
  /** Tenants whose jobs, journeys and webhooks wait. */
  suspended(): Promise<ReadonlySet<string>>;
  /** Writes to the log. */
  onError(what: string, error: unknown): void;
  /** Writes to the log. The details hold nothing of a person. */
  warn(details: object, message: string): void;
};
