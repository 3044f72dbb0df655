import type { TenantTx } from '../db/db.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Vault } from '../secrets/vault.ts';
import { linkDevice } from './case-work/save-links.ts';
import { openChallenges } from './faces/challenges.ts';
import { stepLeaver } from './funnel/leave-step.ts';
import { stepSeer } from './funnel/see-step.ts';
import { imagesOf, saveImages } from './images/images.repository.ts';
import { endReason } from './instances/end-reason.repository.ts';
import {
  findInstance,
  findInstanceForUpdate,
  type InstanceRow,
  setScenario,
} from './instances/process-instances.repository.ts';
import { spendStartCode } from './instances/spend-start-code.ts';
import { type ExpectEvents, recordEvent, type TellEvents } from './instances/tell-events.ts';
import type { Drive, Snapshot } from './runtime/drive.ts';
import type { IdentityPort } from './runtime/identity-port.ts';
import { beginStep } from './runtime/settle-step.ts';
import { redirectAllowed } from './settings/redirect-allowed.ts';
import { createFromToken, type FromToken } from './tokens/create-from-token.ts';
import { frameRule } from './tokens/embed-origins.ts';
import { homeOf, linkTarget } from './tokens/link-target.ts';
import { uiUrlOfToken } from './tokens/process-tokens.repository.ts';

export type { ImageRow } from './images/images.repository.ts';
export type { InstanceRow };

/** What the journeys of end users ask of processes. */
export type ProcessesForJourneys = ReturnType<typeof processesForJourneys>;

type Deps = {
  drive: Drive;
  tell: TellEvents;
  expectEvents: ExpectEvents;
  vault: Vault;
  identity: IdentityPort;
  jobs: Pick<Jobs, 'enqueue'>;
  deleteBlobs(tx: TenantTx, keys: readonly string[]): Promise<unknown>;
  baseUrlOf(tenantId: string): string;
};

export function processesForJourneys(deps: Deps) {
  const { drive, tell, expectEvents, vault, identity, jobs, deleteBlobs, baseUrlOf } = deps;
  return {
    drive,
    /** The instance, which nobody else can change until the transaction ends. */
    lockInstance: findInstanceForUpdate,
    /** What the sandbox finds from now on. The instance is locked. */
    setScenario,
    spendStartCode,
    createFromToken: (tx: TenantTx, from: Omit<FromToken, 'tell'>) => createFromToken(tx, { ...from, tell }),
    /** The page that a process token names for its journeys. */
    uiUrlOfToken,
    linkTarget,
    homeOf,
    /** Why an instance was terminated: `abandoned`, `cancelled`, or by time. */
    endReason,
    redirectAllowed,
    mayFrame: frameRule({ baseUrlOf }),
    imagesOf,
    /** Gives the keys of the blobs that are replaced. */
    saveImages,
    /** What the page of the current step needs to go on; nothing if it is refused. Refuses with 100142. */
    beginStep: (tx: TenantTx, snapshot: Snapshot, how: { now: number; anew: boolean }) =>
      beginStep(identity, tx, snapshot, how),
    challenges: openChallenges(vault),
    ...stepSeer(deps),
    expectEvents,
    leaveStep: stepLeaver({ jobs }),
    /** One browser has opened both instances. */
    async linkDevice(tx: TenantTx, instanceId: string, otherId: string, now: number) {
      const [instance, other] = [await findInstance(tx, instanceId), await findInstance(tx, otherId)];
      if (instance && other) await linkDevice(tx, instance, other, now);
    },
    /** The instance is locked. */
    addEvent: (tx: TenantTx, row: InstanceRow, type: string, now: number) =>
      recordEvent({ tx, tell, now }, row, { type, status: row.status }),
    /** Has blobs deleted, once the transaction is committed and however often that has to be tried. */
    deleteBlobs,
  };
}
