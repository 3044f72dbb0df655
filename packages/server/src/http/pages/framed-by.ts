import type { FastifyRequest } from 'fastify';
import { isTenantId, type TenantId } from '../../kernel/ids.ts';
import type { HostTenant } from '../tenant.ts';

/** Decides who may frame a page of a journey: the address names the origin, and the list of the tenant allows it. */
export type FramedByDeps = {
  hostTenant: HostTenant;
  mayFrameJourney(
    tenantId: TenantId,
    origin: string,
    journey: { instanceId: string | undefined; tokenId: string | undefined },
  ): Promise<boolean>;
};

/** Ensures that an origin cannot inject another directive into the policy. */
const ORIGIN = /^https?:\/\/[a-z0-9.-]{1,253}(:\d{1,5})?$/;

export function framedBy({ hostTenant, mayFrameJourney }: FramedByDeps) {
  return async (request: FastifyRequest): Promise<string | undefined> => {
    const origin = embeddingOrigin(request);
    if (origin === undefined) return undefined;
    const { pi, pt, tn } = request.query as Record<string, unknown>;
    const hostTenantId = hostTenant(request.headers.host);
    const tenantId = hostTenantId ?? (typeof tn === 'string' && isTenantId(tn) ? tn : undefined);
    if (tenantId === undefined) return undefined;
    const journey = { instanceId: textOf(pi), tokenId: textOf(pt) };
    return (await mayFrameJourney(tenantId, origin, journey)) ? origin : undefined;
  };
}

/** The origin that wants to frame a page, if the address names one. */
export function embeddingOrigin({ query }: FastifyRequest): string | undefined {
  const { embed } = query as Record<string, unknown>;
  return typeof embed === 'string' && ORIGIN.test(embed) ? embed : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
