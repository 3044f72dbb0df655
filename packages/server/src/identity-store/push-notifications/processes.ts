import type { TenantTx } from '../../db/db.ts';
import type { ProcessRequest, StartedProcess } from '../../kernel/process-request.ts';
import type { ProcessFields } from '../events/identity-events.ts';

/** The functions of the process manager that push notifications for a process need. */
export type Processes = {
  /** Creates a process token and an instance from it, in this transaction. */
  startProcess(tx: TenantTx, process: ProcessRequest): Promise<StartedProcess>;
  /** Closes the token: no further instance can be created from it. */
  closeToken(tx: TenantTx, tokenId: string, now: number): Promise<void>;
  /** Removes tokens that expired before `over`; returns how many. */
  removeTokensOver(tx: TenantTx, over: number, limit: number): Promise<number>;
  /**
   * Locks and returns the waiting instance. Throws 100022 if there is none or a caller of this environment may not see it,
   * and 100364 if it was redacted.
   */
  findParent(tx: TenantTx, environment: 'live' | 'test', instanceId: string): Promise<ParentProcess>;
  /** Resumes a waiting instance. Does nothing if it does not wait any more. */
  resumeInstance(tx: TenantTx, instanceId: string, variables: Readonly<Record<string, string>>): Promise<void>;
  /** Ends an instance that its user rejected. Does nothing if it has ended. */
  abandonInstance(tx: TenantTx, instanceId: string): Promise<void>;
};

export type ParentProcess = Pick<
  ProcessFields,
  'parentProcessDefnId' | 'parentProcessDefnName' | 'parentProcessDefnVersion' | 'parentProcessInstanceId'
>;
