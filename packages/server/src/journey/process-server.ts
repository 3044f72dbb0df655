import { api } from '@grove/contract';
import { redirect } from '../kernel/answers.ts';
import { isTenantId, type TenantId } from '../kernel/ids.ts';
import { implement, type OpenContext } from '../kernel/implement.ts';
import type { JourneyDeps } from './journey-deps.ts';

/**
 * The addresses that end users open. They spend nothing and tell nothing: a link that a messenger looks at beforehand
 * must still work, and one that is wrong is found out by the page.
 */
export function processServerHandlers({ db, baseUrlOf, processes }: JourneyDeps) {
  /** Where the tenant is served; nothing, and so the host that was asked, if there is none of that name. */
  const baseOf = (tenantId: TenantId | undefined) => (tenantId === undefined ? '' : baseUrlOf(tenantId));

  /**
   * Always to our own page: whatever the code says, nobody is sent anywhere else. Browsers take the fragment of the
   * address along, and with it the code. A link that was sent before codes stood there has its code moved.
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
      // The token's page was compared with the list of the tenant when the token was made.
      const page = tenantId && (await processes.uiUrlOfToken(db.of(tenantId), pt));
      const address = page || `${baseOf(tenantId)}/web/`;
      const at = address.indexOf('#');
      const [base, fragment] = at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at)];
      const parameters = new URLSearchParams({ pt, ...(tenantId && { tn: tenantId }) });
      return redirect(`${base}${base.includes('?') ? '&' : '?'}${parameters}${fragment}`);
    },
  });
}
