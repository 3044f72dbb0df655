import { api } from '@grove/contract';
import { redirect } from '../kernel/answers.ts';
import { isTenantId, type TenantId } from '../kernel/ids.ts';
import { implement, type OpenContext } from '../kernel/implement.ts';
import type { JourneyDeps } from './journey-deps.ts';
import { withQuery } from './read-journey.ts';

/**
 * The addresses that end users open. They spend no code and reveal nothing, because messengers open links for a preview, and
 * the link must still work afterwards. The page finds out whether a link is wrong.
 */
export function processServerHandlers({ db, baseUrlOf, processes }: JourneyDeps) {
  /** The base address of the tenant; empty without a tenant, so that the host of the request stays. */
  const baseOf = (tenantId: TenantId | undefined) => (tenantId === undefined ? '' : baseUrlOf(tenantId));

  /**
   * Ensures that the redirect leads to our own page, whatever the code is (open redirect). Browsers keep the fragment of the
   * address, which holds the code. The code of an old link, in the query, is moved there.
   */
  const start = ({ hostTenant }: OpenContext, { pi, c }: { pi: string; c?: string }) => {
    const codeTenant = c?.split('.', 1)[0] ?? '';
    const page = `${baseOf(isTenantId(codeTenant) ? codeTenant : hostTenant)}/web/?${new URLSearchParams({ pi })}`;
    return redirect(c === undefined ? page : `${page}#${new URLSearchParams({ c })}`);
  };

  return implement(api.processServer, {
    startProcess: (context, { query }) => start(context, query),
    followProcess: (context, { query }) => start(context, query),

    async openToken({ hostTenant }, { query: { pt, tn } }) {
      const tenantId = tn !== undefined && isTenantId(tn) ? tn : hostTenant;
      // The token's page was checked against the list of the tenant when the token was made.
      const page = tenantId && (await processes.uiUrlOfToken(db.of(tenantId), pt));
      return redirect(withQuery(page || `${baseOf(tenantId)}/web/`, { pt, ...(tenantId && { tn: tenantId }) }));
    },
  });
}
