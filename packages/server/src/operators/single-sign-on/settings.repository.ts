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

const ONE = settings.select(settings.columns, 'WHERE tenant_id = :tenant_id');
const ONE_FOR_UPDATE = settings.select(settings.columns, `WHERE tenant_id = :tenant_id ${FOR_UPDATE}`);
const ADD = settings.insert();
const REMOVE = settings.delete('WHERE tenant_id = :tenant_id');

export async function findSingleSignOn(db: TenantReads): Promise<SingleSignOn | undefined> {
  const row = await ONE.get(db, {});
  return row && fromRow(row);
}

function fromRow(row: RowOf<typeof settings>): SingleSignOn {
  return {
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecretName: row.client_secret_name,
    scopes: JSON.parse(row.scopes) as string[],
    groupsClaim: row.groups_claim,
    roles: JSON.parse(row.roles) as GroupRole[],
  };
}

/**
 * Ensures that single sign-on is still what it was when the sign-in began, and keeps it so until the transaction ends.
 * Refuses with 100035: a provider that answers slowly signs nobody in after it was replaced or its roles were changed.
 */
export async function ensureSameSingleSignOn(tx: TenantTx, before: SingleSignOn): Promise<void> {
  const row = await ONE_FOR_UPDATE.get(tx, {});
  if (!row || !isDeepStrictEqual(fromRow(row), before)) throw new ApiError(100035);
}

/** Refuses with 100234 if the tenant has none. */
export async function getSingleSignOn(db: TenantReads): Promise<SingleSignOn> {
  const sso = await findSingleSignOn(db);
  if (!sso) throw new ApiError(100234);
  return sso;
}

export async function storeSingleSignOn(tx: TenantTx, sso: SingleSignOn, now: number): Promise<void> {
  await REMOVE.run(tx, {});
  await ADD.run(tx, {
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
