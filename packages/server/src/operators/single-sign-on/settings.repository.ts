import { isDeepStrictEqual } from 'node:util';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { integer, type RowOf, table, text } from '../../db/sql/table.ts';
import { ApiError } from '../../kernel/errors.ts';

const settings = table('single_sign_on', {
  tenant_id: text(),
  issuer: text(),
  client_id: text(),
  client_secret_name: text(),
  scopes: text(),
  groups_claim: text(),
  roles: text(),
  last_updated_at: integer(),
});

export type GroupRole = { readonly group: string; readonly role: string };
export type SingleSignOn = {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecretName: string;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
  readonly roles: readonly GroupRole[];
};
export type StoredSingleSignOn = SingleSignOn & { readonly lastUpdatedAt: number };

const ONE = settings.select(settings.columns, 'WHERE tenant_id = :tenant_id');
const ONE_FOR_UPDATE = settings.select(settings.columns, `WHERE tenant_id = :tenant_id ${FOR_UPDATE}`);
const STORE = settings.upsert(['tenant_id']);
const REMOVE = settings.delete('WHERE tenant_id = :tenant_id');

export async function findSingleSignOn(db: TenantReads): Promise<StoredSingleSignOn | undefined> {
  const row = await ONE.get(db, {});
  return row && fromRow(row);
}

export async function lockSingleSignOn(tx: TenantTx): Promise<StoredSingleSignOn | undefined> {
  const row = await ONE_FOR_UPDATE.get(tx, {});
  return row && fromRow(row);
}

function fromRow(row: RowOf<typeof settings>): StoredSingleSignOn {
  return {
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecretName: row.client_secret_name,
    scopes: JSON.parse(row.scopes) as string[],
    groupsClaim: row.groups_claim,
    roles: JSON.parse(row.roles) as GroupRole[],
    lastUpdatedAt: row.last_updated_at,
  };
}

/**
 * Ensures that single sign-on has not changed since the sign-in began, and locks it. Refuses with 100035: a slow
 * provider signs nobody in after it was replaced or its roles were changed.
 */
export async function ensureSameSingleSignOn(tx: TenantTx, before: StoredSingleSignOn): Promise<void> {
  if (!isDeepStrictEqual(await lockSingleSignOn(tx), before)) throw new ApiError(100035);
}

/** Refuses with 100234 if the tenant has none. */
export async function getSingleSignOn(db: TenantReads): Promise<StoredSingleSignOn> {
  const sso = await findSingleSignOn(db);
  if (!sso) throw new ApiError(100234);
  return sso;
}

export async function storeSingleSignOn(tx: TenantTx, sso: SingleSignOn, now: number): Promise<void> {
  await STORE.run(tx, {
    issuer: sso.issuer,
    client_id: sso.clientId,
    client_secret_name: sso.clientSecretName,
    scopes: JSON.stringify(sso.scopes),
    groups_claim: sso.groupsClaim,
    roles: JSON.stringify(sso.roles),
    last_updated_at: now,
  });
}

export const removeSingleSignOn = REMOVE.run;
