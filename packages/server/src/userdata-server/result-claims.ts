import { SECOND, toDtm } from '../kernel/clock.ts';
import type { InstanceData } from '../process-manager/runtime/instance-data.ts';
import { assuranceOf } from './assurance-of.ts';

type Issued = { issuer: string; tenantId: string; now: number };

/** What a signed result says: how it ended and what the checks found, and nothing of the person. */
export function resultClaims(data: InstanceData, { issuer, tenantId, now }: Issued) {
  const { instance, flow, checks } = data;
  return {
    iss: issuer,
    aud: tenantId,
    sub: instance.id,
    iat: Math.floor(now / SECOND),
    processDefnId: instance.definition_id,
    processDefnName: instance.process_defn_name,
    processDefnVersion: instance.process_defn_version,
    environment: instance.environment,
    status: instance.status,
    ...(flow.decision && { decision: flow.decision }),
    ...(instance.completed_at !== null && { completedDtm: toDtm(instance.completed_at) }),
    checks: checks.map(({ step, name, status, reason }) => ({
      step,
      name,
      status,
      ...(reason !== null && { reason }),
    })),
    assurance: assuranceOf(data),
  };
}
