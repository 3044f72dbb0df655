import type { TenantReads } from '../db/db.ts';
import type { Environment } from '../kernel/environment.ts';
import { ApiError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { JourneyDeps } from './journey-deps.ts';

/**
 * Adds the tenant to the problem of a link that opens no journey, so that the page can name the company and link back to it.
 * The tenant is that of the host, or that of an existing token. The answer does not reveal whether a code ever existed.
 */
type Link = { code?: string | undefined; pt?: string | undefined; tn?: string | undefined };
/** The token of a link. */
type LinkTarget = { environment: Environment; parameters: Readonly<Record<string, string>> };
type Owner = { tenantName: string; returnUrl?: string };

export function linkExplainer(deps: JourneyDeps) {
  return async (thrown: unknown, hostTenant: TenantId | undefined, link: Link): Promise<unknown> => {
    if (!(thrown instanceof ApiError) || thrown.status >= 500) return thrown;
    try {
      const owner = await ownerOf(hostTenant, link);
      return owner ? new ApiError(thrown.code, { ...thrown.detail, link: owner, cause: thrown }) : thrown;
    } catch (error) {
      deps.onError('could not find the tenant of a refused link', error);
      return thrown;
    }
  };

  async function ownerOf(hostTenant: TenantId | undefined, { pt, tn }: Link): Promise<Owner | undefined> {
    const tenantId = hostTenant ?? (pt === undefined ? undefined : (tn as TenantId | undefined));
    if (tenantId === undefined) return undefined;
    const db = deps.db.of(tenantId);
    const target = pt === undefined ? undefined : await deps.processes.linkTarget(db, pt);
    if (!target && hostTenant === undefined) return undefined;
    const returnUrl = (target && (await originOf(db, target))) ?? (await deps.processes.homeOf(db));
    return { tenantName: await deps.tenants.nameOf(tenantId), ...(returnUrl && { returnUrl }) };
  }

  /** The start page of the site to which the journey would have returned, because there is no result to pass on. */
  async function originOf(db: TenantReads, { environment, parameters }: LinkTarget): Promise<string | undefined> {
    const { _redirectUrl: url } = parameters;
    if (!url || !/^https?:/.test(url) || !(await deps.processes.redirectAllowed(db, environment, url)))
      return undefined;
    return URL.canParse(url) ? new URL(url).origin : undefined;
  }
}
