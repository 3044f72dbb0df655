import type { Audit } from '../audit/audit.ts';
import type { Db, TenantDb, TenantReads } from '../db/db.ts';
import type { MailDoor } from '../engines/mail/mail.ts';
import type { Outbound } from '../engines/outbound/outbound.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { MayStillCall } from '../kernel/still-allowed.ts';
import type { Vault } from '../secrets/vault.ts';
import { consoleAccountHandlers } from './console-account.ts';
import { openEmailLinks } from './email-links.ts';
import { healthHandlers } from './health.ts';
import { type InstallationDeps, installationHandlers } from './installation/installation.ts';
import { operatorHandlers } from './operator-handlers.ts';
import { colleagueHandlers } from './operator-names.ts';
import { roleHandlers } from './role-handlers.ts';
import { sessionReader } from './sessions.ts';
import { openProviders } from './single-sign-on/provider.ts';
import { type SecretHostFault, singleSignOnHandlers } from './single-sign-on/settings-handlers.ts';
import { singleSignOnSignIn } from './single-sign-on/sign-in.ts';

/** Operators, their roles and their sessions, put together. */
export type OperatorsDeps = {
  db: Db;
  clock: Clock;
  audit: Pick<Audit, 'record'>;
  region: string;
  versions: { grove: string };
  installation: Pick<InstallationDeps, 'tenants' | 'admin'>;
  jobs: InstallationDeps['jobs'];
  secure: boolean;
  cookieName: string;
  baseUrlOf(tenantId: string): string;
  tenantName(tenantId: TenantId): Promise<string>;
  /** Refuses with 100320 if the tenant is suspended. */
  ensureActive(tenantId: TenantId): Promise<void>;
  outbound: Pick<Outbound, 'faultOf' | 'send'>;
  mayStillCall: MayStillCall;
  secretHostFault: SecretHostFault;
  vault: Pick<Vault, 'sealFor' | 'openFor'>;
  mail: Pick<MailDoor, 'channels' | 'sendMail'>;
  /** Gives back the reviews that somebody of this name has claimed. */
  releaseClaims(db: TenantDb, reviewer: string): Promise<void>;
  onError(what: string, error: unknown): void;
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
