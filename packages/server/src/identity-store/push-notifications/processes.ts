import type { TenantTx } from '../../db/db.ts';
import type { AskedProcess, StartedProcess } from '../../kernel/asked-process.ts';
import type { ProcessFields } from '../events/identity-events.ts';

/** What push notifications that ask for a process need of those who run processes. */
export type Processes = {
  /** A process token and an instance made from it, in the transaction that asks for them. */
  startProcess(tx: TenantTx, process: AskedProcess): Promise<StartedProcess>;
  /** No instance can be made from the token any more. */
  closeToken(tx: TenantTx, tokenId: string, now: number): Promise<void>;
  /** Removes tokens whose time was over by then, and tells how many. */
  removeTokensOver(tx: TenantTx, over: number, limit: number): Promise<number>;
  /** The instance that waits, or 100022; nothing of it that a caller of this environment may not see. */
  findParent(tx: TenantTx, environment: 'live' | 'test', instanceId: string): Promise<ParentProcess>;
  /** Lets an instance go on that waits; nothing if it waits no more. */
  resumeInstance(tx: TenantTx, instanceId: string, variables: Readonly<Record<string, string>>): Promise<void>;
  /** Ends an instance that its user does not want; nothing if it has ended. */
  abandonInstance(tx: TenantTx, instanceId: string): Promise<void>;
};

export type ParentProcess = Pick<
  ProcessFields,
  'parentProcessDefnId' | 'parentProcessDefnName' | 'parentProcessDefnVersion' | 'parentProcessInstanceId'
>;
