import { api, type Ok } from '@grove/contract';
import type { TenantDb, TenantTx } from '../../db/db.ts';
import type { Outbound } from '../../engines/outbound/outbound.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { Principal } from '../../kernel/context.ts';
import { ensurePermission, USE_CLOUD_SECRET } from '../../kernel/ensure-permission.ts';
import { ensureUnchanged } from '../../kernel/ensure-unchanged.ts';
import { invalidInput } from '../../kernel/errors.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { implement, prepared } from '../../kernel/implement.ts';
import { type MayStillCall, stillAllowed } from '../../kernel/still-allowed.ts';
import { ensureHolds, ensureLive, findGrant, lockGrant } from '../role-rules.ts';
import { removeSessionsOfAccounts } from '../sessions.repository.ts';
import type { Providers } from './provider.ts';
import {
  getSingleSignOn,
  lockSingleSignOn,
  removeSingleSignOn,
  type SingleSignOn,
  type StoredSingleSignOn,
  storeSingleSignOn,
} from './settings.repository.ts';

/** Why a secret may not be sent to the provider. */
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
  const viewOf = (
    tenantId: TenantId,
    { clientSecretName, lastUpdatedAt, ...sso }: StoredSingleSignOn,
  ): Ok<typeof api.singleSignOn.get> => ({
    ...sso,
    scopes: [...sso.scopes],
    roles: [...sso.roles],
    ...(clientSecretName !== '' && { clientSecretName }),
    redirectUrl: redirectUrlOf(baseUrlOf(tenantId)),
    lastUpdatedDtm: toDtm(lastUpdatedAt),
  });

  return implement(api.singleSignOn, {
    get: async ({ db, tenantId }) => viewOf(tenantId, await getSingleSignOn(db)),

    // The provider may be slow. It is asked before the transaction, for which others wait.
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
        // The permission may have ended while the provider answered.
        await stillAllowed(mayStillCall, { principal }, [api.singleSignOn.set.permission])();
        return sso;
      },
      async ({ db, now, principal, tenantId }, { query }, sso) => {
        await db.write(async (tx) => {
          const before = await lockSingleSignOn(tx);
          ensureUnchanged(query, before && { last_updated_at: before.lastUpdatedAt, last_updated_by: null });
          await ensureHoldsAll(tx, principal, before);
          for (const role of new Set(sso.roles.map((each) => each.role)))
            ensureHolds(principal, await lockGrant(tx, role));
          await storeSingleSignOn(tx, sso, now);
        });
        return viewOf(tenantId, { ...sso, lastUpdatedAt: now });
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

/** Ensures that a caller who ends a mapping holds all that it gave: an administrator cannot lock owners out. */
async function ensureHoldsAll(tx: TenantTx, principal: Principal, before: SingleSignOn | undefined): Promise<void> {
  for (const { role } of before?.roles ?? []) {
    const grant = await findGrant(tx, role);
    if (grant) ensureHolds(principal, grant);
  }
}
