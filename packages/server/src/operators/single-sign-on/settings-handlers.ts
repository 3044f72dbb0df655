import { api, type Ok } from '@grove/contract';
import type { TenantDb, TenantTx } from '../../db/db.ts';
import type { Outbound } from '../../engines/outbound/outbound.ts';
import type { Principal } from '../../kernel/context.ts';
import { ensurePermission, USE_CLOUD_SECRET } from '../../kernel/ensure-permission.ts';
import { invalidInput } from '../../kernel/errors.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { implement, prepared } from '../../kernel/implement.ts';
import { type MayStillCall, stillAllowed } from '../../kernel/still-allowed.ts';
import { ensureHolds, ensureLive, findGrant, lockGrant } from '../role-rules.ts';
import { removeSessionsOfAccounts } from '../sessions.repository.ts';
import type { Providers } from './provider.ts';
import {
  findSingleSignOn,
  getSingleSignOn,
  removeSingleSignOn,
  type SingleSignOn,
  storeSingleSignOn,
} from './settings.repository.ts';

/** Which secret is sent to the provider, and why one may not be. */
export type SecretHostFault = (
  db: TenantDb,
  secret: { environment: 'live'; name: string; url: string },
) => Promise<string | undefined>;

export type SettingsDeps = {
  providers: Providers;
  outbound: Pick<Outbound, 'faultOf'>;
  secretHostFault: SecretHostFault;
  baseUrlOf(tenantId: string): string;
  mayStillCall: MayStillCall;
};

const SCOPES = ['profile', 'email'];

export const redirectUrlOf = (baseUrl: string): string => `${baseUrl}/console/single-sign-on`;

export function singleSignOnHandlers(deps: SettingsDeps) {
  const { providers, outbound, secretHostFault, baseUrlOf, mayStillCall } = deps;
  const viewOf = (tenantId: TenantId, { clientSecretName, ...sso }: SingleSignOn): Ok<typeof api.singleSignOn.get> => ({
    ...sso,
    scopes: [...sso.scopes],
    roles: [...sso.roles],
    ...(clientSecretName !== '' && { clientSecretName }),
    redirectUrl: redirectUrlOf(baseUrlOf(tenantId)),
  });

  return implement(api.singleSignOn, {
    get: async ({ db, tenantId }) => viewOf(tenantId, await getSingleSignOn(db)),

    // The change is made in a transaction, for which others wait: the provider, which may be slow, is asked before it.
    set: prepared(
      async ({ db, principal }, { body }) => {
        ensureLive(principal);
        if (body.clientSecretName) ensurePermission(principal, USE_CLOUD_SECRET, 'single sign-on with a client secret');
        const { clientSecretName = '', scopes = SCOPES, groupsClaim = 'groups' } = body;
        const sso: SingleSignOn = { ...body, clientSecretName, scopes: [...new Set(scopes)], groupsClaim };
        const addressFault = outbound.faultOf(sso.issuer);
        if (addressFault) throw invalidInput({ pointer: '/issuer', message: addressFault });
        const url = await providers.tokenEndpointOf(sso);
        const secretFault =
          clientSecretName && (await secretHostFault(db, { environment: 'live', name: clientSecretName, url }));
        if (secretFault) throw invalidInput({ pointer: '/clientSecretName', message: secretFault });
        // Whoever runs the provider decides how long that took.
        await stillAllowed(mayStillCall, { principal }, [api.singleSignOn.set.permission])();
        return sso;
      },
      async ({ db, now, principal, tenantId }, _input, sso) => {
        await db.write(async (tx) => {
          await ensureHoldsAll(tx, principal, await findSingleSignOn(tx));
          for (const role of new Set(sso.roles.map((each) => each.role)))
            ensureHolds(principal, await lockGrant(tx, role));
          await storeSingleSignOn(tx, sso, now);
        });
        return viewOf(tenantId, sso);
      },
    ),

    async remove({ db, principal }) {
      ensureLive(principal);
      await db.write(async (tx) => {
        await ensureHoldsAll(tx, principal, await getSingleSignOn(tx));
        await removeSingleSignOn(tx);
        await removeSessionsOfAccounts(tx);
      });
      return undefined;
    },
  });
}

/** Ensures that whoever ends a mapping holds all that it gave: an administrator cannot take owners their way to sign in. */
async function ensureHoldsAll(tx: TenantTx, principal: Principal, before: SingleSignOn | undefined): Promise<void> {
  for (const { role } of before?.roles ?? []) {
    const grant = await findGrant(tx, role);
    if (grant) ensureHolds(principal, grant);
  }
}
