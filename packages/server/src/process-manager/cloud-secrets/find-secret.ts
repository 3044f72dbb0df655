import type { Audit } from '../../audit/audit.ts';
import type { TenantReads } from '../../db/db.ts';
import { boundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, HOUR } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Vault } from '../../secrets/vault.ts';
import { findSealedSecret } from './cloud-secrets.repository.ts';
import { type Secret, secretOf } from './secret.ts';
import { hostFault, maySendTo } from './secret-hosts.ts';

/** All cloud secrets of a tenant are sealed with one key, each under its own id. */
export const SUBJECT = 'tenant';
export const contextOf = (id: string) => `cloud-secret:${id}`;

/** The user of a secret, for the audit. */
export type SecretUse = { readonly environment: Environment; readonly actor: string };
type Destination = { readonly url: string };

/** `missing_secret`: the environment has no secret of that name. `secret_host`: it may not be sent to that host. */
export type SecretFault = 'missing_secret' | 'secret_host';
export type FoundSecret =
  | { readonly secret: Secret; readonly fault?: undefined }
  | { readonly secret?: undefined; readonly fault: SecretFault };

/** Finds a cloud secret by its name, to send it. */
export type FindSecret = (db: TenantReads, name: string, use: SecretUse & Destination) => Promise<FoundSecret>;

export type SecretDeps = {
  vault: Pick<Vault, 'openFor'>;
  clock: Clock;
  audit: Pick<Audit, 'noteUse'>;
};

/** A use is recorded once an hour, because a webhook may use its secret a thousand times a second. */
const TOLD_AGAIN_AFTER_MS = HOUR;
const MAX_TOLD = 10_000;

export function secretFinder({ vault, clock, audit }: SecretDeps): FindSecret {
  const recordedAt = boundedMap<string, number>(MAX_TOLD);
  return async (db, name, { environment, actor, url }) => {
    const row = await findSealedSecret(db, { environment, name });
    if (!row) return { fault: 'missing_secret' };
    if (!maySendTo(row.hosts, url)) return { fault: 'secret_host' };
    const key = JSON.stringify([db.tenantId, row.id, environment, actor]);
    const at = clock.now();
    if (at - (recordedAt.get(key) ?? Number.NEGATIVE_INFINITY) >= TOLD_AGAIN_AFTER_MS) {
      recordedAt.set(key, at);
      audit.noteUse(db.tenantId, { action: 'cloudSecret.used', environment, actor, at, item: name });
    }
    return { secret: secretOf((await vault.openFor(db, SUBJECT, contextOf(row.id), row.sealed)).toString()) };
  };
}

/** Whether a definition of that environment may name the secret. */
export async function isSecretName(
  db: TenantReads,
  secret: { name: string; environment: Environment },
): Promise<boolean> {
  return (await findSealedSecret(db, secret)) !== undefined;
}

/** Ensures that an existing secret may be sent to an address. Resolves to the fault; undefined also for a missing secret. */
export async function secretHostFault(
  db: TenantReads,
  { environment, name, url }: { environment: Environment; name: string; url: string },
): Promise<string | undefined> {
  const row = await findSealedSecret(db, { environment, name });
  return row && !maySendTo(row.hosts, url) ? hostFault(name, url) : undefined;
}
