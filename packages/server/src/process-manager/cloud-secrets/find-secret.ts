import type { TenantReads } from '../../db/db.ts';
import type { Vault } from '../../secrets/vault.ts';
import { findSealedSecret } from './cloud-secrets.repository.ts';
import { type Secret, secretOf } from './secret.ts';

/** All cloud secrets of a tenant are sealed with one key, each under its own id. */
export const SUBJECT = 'tenant';
export const contextOf = (id: string) => `cloud-secret:${id}`;

/** A cloud secret by its name, for those who use it. */
export type FindSecret = (db: TenantReads, name: string) => Promise<Secret | undefined>;

export function secretFinder(vault: Pick<Vault, 'openFor'>): FindSecret {
  return async (db, name) => {
    const found = await findSealedSecret(db, name);
    if (!found) return undefined;
    return secretOf((await vault.openFor(db, SUBJECT, contextOf(found.id), found.sealed)).toString());
  };
}

/** Whether a definition may name it. */
export async function isSecretName(db: TenantReads, name: string): Promise<boolean> {
  return (await findSealedSecret(db, name)) !== undefined;
}
