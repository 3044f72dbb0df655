import type { Audit } from '../../audit/audit.ts';
import type { TenantReads } from '../../db/db.ts';
import { boundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, HOUR } from '../../kernel/clock.ts';
import type { Vault } from '../../secrets/vault.ts';
import { findSealedSecret } from './cloud-secrets.repository.ts';
import { type Secret, secretOf } from './secret.ts';

/** All cloud secrets of a tenant are sealed with one key, each under its own id. */
export const SUBJECT = 'tenant';
export const contextOf = (id: string) => `cloud-secret:${id}`;

/** For whom: it is told to the audit. */
export type SecretUse = { readonly environment: 'live' | 'test'; readonly actor: string };

/** A cloud secret by its name, for those who use it. */
export type FindSecret = (db: TenantReads, name: string, use: SecretUse) => Promise<Secret | undefined>;

export type SecretDeps = {
  vault: Pick<Vault, 'openFor'>;
  clock: Clock;
  audit: Pick<Audit, 'noteUse'>;
};

/** Once an hour is enough to know who uses what: a webhook may need its secret a thousand times a second. */
const TOLD_AGAIN_AFTER_MS = HOUR;
const MAX_TOLD = 10_000;

export function secretFinder({ vault, clock, audit }: SecretDeps): FindSecret {
  const told = boundedMap<string, number>(MAX_TOLD);
  return async (db, name, { environment, actor }) => {
    const found = await findSealedSecret(db, name);
    if (!found) return undefined;
    const key = JSON.stringify([db.tenantId, found.id, environment, actor]);
    const at = clock.now();
    if (at - (told.get(key) ?? Number.NEGATIVE_INFINITY) >= TOLD_AGAIN_AFTER_MS) {
      told.set(key, at);
      audit.noteUse(db.tenantId, { action: 'cloudSecret.used', environment, actor, at, item: name });
    }
    return secretOf((await vault.openFor(db, SUBJECT, contextOf(found.id), found.sealed)).toString());
  };
}

/** Whether a definition may name it. */
export async function isSecretName(db: TenantReads, name: string): Promise<boolean> {
  return (await findSealedSecret(db, name)) !== undefined;
}
