import type { TenantReads } from '../db/db.ts';
import type { Outbound } from '../engines/outbound/outbound.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { AccountDeps } from './account-parts.ts';
import { consoleAccountHandlers } from './console-account.ts';
import type { EmailLinksDeps } from './email-links.ts';
import { openEmailLinks } from './email-links.ts';
import { healthHandlers } from './health.ts';
import { type InstallationDeps, installationHandlers } from './installation/installation.ts';
import type { OperatorDeps } from './operator-handlers.ts';
import { operatorHandlers } from './operator-handlers.ts';
import { colleagueHandlers } from './operator-names.ts';
import { roleHandlers } from './role-handlers.ts';
import { sessionReader } from './sessions.ts';
import { openProviders } from './single-sign-on/provider.ts';
import type { SettingsDeps } from './single-sign-on/settings-handlers.ts';
import { singleSignOnHandlers } from './single-sign-on/settings-handlers.ts';
import { singleSignOnSignIn } from './single-sign-on/sign-in.ts';

export type OperatorsDeps = Omit<AccountDeps, 'singleSignOn' | 'emailSignIn'> &
  EmailLinksDeps &
  OperatorDeps &
  Omit<SettingsDeps, 'providers'> &
  Pick<InstallationDeps, 'versions' | 'jobs'> & {
    installation: Pick<InstallationDeps, 'tenants' | 'admin'>;
    outbound: Pick<Outbound, 'faultOf' | 'send'>;
    findSecret(
      db: TenantReads,
      name: string,
      use: { environment: 'live'; actor: string; url: string },
    ): Promise<{ secret?: { reveal(): string } | undefined }>;
  };

export function openOperators(deps: OperatorsDeps) {
  const session = sessionReader(deps);
  const providers = openProviders(deps);
  const clientSecretOf = async (tenantId: TenantId, name: string, url: string) => {
    const use = { environment: 'live', actor: 'Single sign-on', url } as const;
    return (await deps.findSecret(deps.db.of(tenantId), name, use)).secret?.reveal();
  };
  const singleSignOn = singleSignOnSignIn({ ...deps, providers, clientSecretOf });
  const emailSignIn = openEmailLinks(deps);
  return {
    session,
    stop: emailSignIn.stop,
    handlers: {
      operators: operatorHandlers(deps),
      colleagues: colleagueHandlers(),
      health: healthHandlers(deps),
      installation: installationHandlers({ ...deps, ...deps.installation }),
      operatorRoles: roleHandlers(),
      singleSignOn: singleSignOnHandlers({ ...deps, providers }),
      consoleAccount: consoleAccountHandlers({ ...deps, singleSignOn, emailSignIn }),
    },
  };
}
