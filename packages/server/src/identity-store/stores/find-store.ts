import type { TenantReads } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { StoreConfiguration } from './store-rules.ts';
import { findStore } from './stores.repository.ts';
import type { StoreRow } from './stores.table.ts';

/** A store as other features see it. */
export type Store = {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly status: 'ACTIVE' | 'INACTIVE';
  readonly configuration: StoreConfiguration;
};

/** The caller's environment: a store of the other environment is not found. */
export type StoreCaller = { readonly principal: { readonly environment: Environment } };

/** Returns the store of that name in the caller's environment, or throws 100027. */
export async function getStore(db: TenantReads, { principal }: StoreCaller, name: string): Promise<Store> {
  const row = await findStore(db, { environment: principal.environment, name });
  if (!row) throw new ApiError(100027);
  return toStore(row);
}

/** For operations that register or authenticate users: throws 100082 if the store is inactive. */
export async function getActiveStore(db: TenantReads, caller: StoreCaller, name: string): Promise<Store> {
  const store = await getStore(db, caller, name);
  if (store.status !== 'ACTIVE') throw new ApiError(100082);
  return store;
}

type StoreColumns = Pick<StoreRow, 'id' | 'name' | 'environment' | 'status' | 'configuration'>;

export function toStore({ id, name, environment, status, configuration }: StoreColumns): Store {
  return { id, name, environment, status, configuration: JSON.parse(configuration) as StoreConfiguration };
}
