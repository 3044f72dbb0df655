import type { Config } from './config.ts';
import { openBlobs } from './engines/blobs/open.ts';
import { openVision } from './engines/vision/open-vision.ts';
import { systemClock } from './kernel/clock.ts';
import type { TenantId } from './kernel/ids.ts';
import type { Operator } from './operator.ts';
import { type FaceCounts, reEnrolFaces } from './process-manager/faces/re-enrol.ts';
import { everyTenantId } from './tenants/tenants.repository.ts';

export type { FaceCounts };

type Progress = { signal: AbortSignal; onProgress(tenantId: string, counts: FaceCounts, total: number): void };

/** Computes the templates of all faces again, beside a running server. Loads the engine that analyses images. */
export async function reEnrolEverywhere(
  config: Config,
  { db, vault }: Operator,
  only: TenantId | undefined,
  { signal, onProgress }: Progress,
): Promise<{ algorithm: string; tenants: ({ tenantId: string } & FaceCounts)[] }> {
  let fault: unknown;
  const onError = (_what: string, error: unknown) => {
    fault = error;
  };
  const { facePack, weights } = config;
  const machine = openVision({ mode: 'lazy', facePack, weights, clock: systemClock, onError });
  const blobs = openBlobs(config, systemClock);
  const tenants: ({ tenantId: string } & FaceCounts)[] = [];
  try {
    for await (const tenantId of only === undefined ? everyTenantId(db.system) : [only]) {
      const pass = { signal, onProgress: (counts: FaceCounts, total: number) => onProgress(tenantId, counts, total) };
      tenants.push({ tenantId, ...(await reEnrolFaces({ vault, blobs, machine }, db.of(tenantId), pass)) });
    }
    return { algorithm: machine.algorithm, tenants };
  } catch (error) {
    // The analysis reports only that it is unavailable; `fault` is the cause.
    throw fault ?? error;
  } finally {
    await machine.stop();
  }
}
