import type { TenantTx } from '../db/db.ts';
import type { Platform } from '../kernel/feature.ts';
import { linkDevice } from './case-work/save-links.ts';
import { openChallenges } from './faces/challenges.ts';
import { stepLeaver } from './funnel/leave-step.ts';
import { stepSeer } from './funnel/see-step.ts';
import { imagesOf, saveImages } from './images/images.repository.ts';
import { endReason } from './instances/instance-events.repository.ts';
import { recordEvent } from './instances/notify-events.ts';
import {
  findInstanceForUpdate,
  type InstanceRow,
  lockInstance,
  setScenario,
} from './instances/process-instances.repository.ts';
import { spendStartCode } from './instances/spend-start-code.ts';
import type { DriveDeps, Snapshot } from './runtime/drive.ts';
import { beginStep } from './runtime/settle-step.ts';
import type { WorkDeps } from './runtime/work-step.ts';
import { redirectAllowed } from './settings/redirect-rules.ts';
import { createFromToken, type TokenCreation } from './tokens/create-from-token.ts';
import { frameRule, homeOf, linkTarget } from './tokens/embed-origins.ts';
import { uiUrlOfToken } from './tokens/process-tokens.repository.ts';

export type { ImageRow } from './images/images.repository.ts';
export type { InstanceRow };

/** The port of processes for the journeys of end users. */
export type ProcessesForJourneys = ReturnType<typeof processesForJourneys>;

type Deps = Pick<Platform, 'vault' | 'jobs' | 'baseUrlOf'> &
  Pick<DriveDeps, 'notifyEvents' | 'expectNotified' | 'identity'> &
  Pick<WorkDeps, 'drive' | 'deleteBlobs'>;

export function processesForJourneys(deps: Deps) {
  const { drive, notifyEvents, expectNotified, vault, identity, jobs, deleteBlobs, baseUrlOf } = deps;
  return {
    drive,
    /** Locks the instance until the transaction ends. */
    lockInstance,
    /** Locks and reads the instance. */
    instanceForUpdate: findInstanceForUpdate,
    /** Sets the scenario of the sandbox. The caller has locked the instance. */
    setScenario,
    spendStartCode,
    createFromToken: (tx: TenantTx, from: Omit<TokenCreation, 'notifyEvents'>) =>
      createFromToken(tx, { ...from, notifyEvents }),
    /** The page that a process token names for its journeys. */
    uiUrlOfToken,
    linkTarget,
    homeOf,
    /** The reason why an instance was terminated: `abandoned`, `cancelled`, or a timeout. */
    endReason,
    redirectAllowed,
    mayFrame: frameRule({ baseUrlOf }),
    imagesOf,
    /** Resolves to the keys of the replaced blobs. */
    saveImages,
    /** Makes the settings for the page of the current step; undefined if the store refuses. Refuses with 100142. */
    beginStep: (tx: TenantTx, snapshot: Snapshot, how: { now: number; anew: boolean }) =>
      beginStep(identity, tx, snapshot, how),
    challenges: openChallenges(vault),
    seeStep: stepSeer(deps),
    expectNotified,
    leaveStep: stepLeaver({ jobs }),
    /** Links two instances that one browser has opened. One that is gone or redacted gets no link. */
    async linkDevice(tx: TenantTx, instanceId: string, otherId: string, now: number) {
      const rows = new Map<string, InstanceRow>();
      // In the order of their ids (deadlocks).
      for (const id of [instanceId, otherId].toSorted()) {
        const row = await findInstanceForUpdate(tx, id);
        if (row?.redacted_at === null) rows.set(id, row);
      }
      const [instance, other] = [rows.get(instanceId), rows.get(otherId)];
      if (instance && other) await linkDevice(tx, instance, other, now);
    },
    /** The caller has locked the instance. */
    addEvent: (tx: TenantTx, row: InstanceRow, type: string, now: number) =>
      recordEvent({ tx, notifyEvents, now }, row, { type, status: row.status }),
    /** Enqueues the deletion of blobs after the commit, with retries. */
    deleteBlobs,
  };
}
