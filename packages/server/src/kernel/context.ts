import type { TenantDb } from '../db/db.ts';
import type { TenantId } from './ids.ts';
import type { PermissionSet } from './permissions.ts';

/** Who calls, as its bearer token says. */
export type Principal = {
  readonly tenantId: TenantId;
  readonly apiKeyId: string;
  readonly apiKeyName: string;
  readonly environment: 'live' | 'test';
  readonly permissions: PermissionSet;
};

/** A bearer token whose signature and claims are good. Whether it still stands is asked at every use. */
export type Credential = { principal(): Principal | Promise<Principal> };

/** What every handler of a bearer operation receives beside its input. */
export type Context = {
  readonly tenantId: TenantId;
  readonly principal: Principal;
  /** Bound to the tenant; inside a transaction that idempotency opened, already the transaction. */
  readonly db: TenantDb;
  readonly now: number;
  readonly requestId: string;
};
