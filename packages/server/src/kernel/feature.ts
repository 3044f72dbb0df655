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
import type { TestVolume } from './test-volume.ts';

/**
 * A part of the application, as it declares itself. `open-features.ts` lists the features, and one loop connects them.
 */
export type Feature = {
  readonly handlers?: Partial<AllHandlers>;
  readonly jobs?: readonly JobDefinition<object>[];
  /** The kinds of data whose erasure is repeated when a backup has brought them back. */
  readonly erasables?: readonly Erasable[];
  /** Runs in the transaction of every event of an instance. */
  onInstanceEvent?(tx: TenantTx, event: InstanceEvent): Promise<void> | void;
  /** Runs before the first request and the first job. */
  prepare?(options: { force: boolean }): Promise<void> | void;
  /** Runs when requests are served. */
  start?(): void;
  /** Runs instead of `start` in a process with the role `worker`. */
  startWork?(): void;
  /** Runs while requests and jobs finish. */
  stop?(): Promise<void> | void;
  /** Runs when no request and no job can use the feature any more. */
  close?(): Promise<unknown>;
};

/** The services that every feature uses. */
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
  readonly testVolume: TestVolume;
  /** Writes to the log. */
  onError(what: string, error: unknown): void;
  /** Writes to the log. The details hold no personal data. */
  warn(details: object, message: string): void;
};
