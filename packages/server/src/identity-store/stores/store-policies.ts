import { ensureBelowLimit } from '../../db/below-limit.ts';
import { isUniqueViolation, type TenantReads, type TenantTx } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import { ensureUnchanged } from '../../kernel/ensure-unchanged.ts';
import { ApiError } from '../../kernel/errors.ts';
import {
  addPolicy,
  changePolicy,
  countPolicies,
  findPolicy,
  findPolicyForUpdate,
  type PolicyKey,
  type PolicyKind,
  removePolicy,
} from './store-policies.repository.ts';

/** The common operations on configurations. Each feature checks the content of its own configurations. */

export const MAX_POLICIES_PER_KIND = 100;

/** TOTP has policies; all other kinds have relying parties. */
function missing(kind: PolicyKind): ApiError {
  return kind === 'TOTP' ? new ApiError(100030) : new ApiError(100029);
}

export type Policy<Config> = { readonly config: Config; readonly sealed: Uint8Array | null };

/** Returns the configuration of that name, or throws 100029; for a TOTP policy 100030. */
export async function getPolicy<Config>(db: TenantReads, key: PolicyKey): Promise<Policy<Config>> {
  const row = await findPolicy(db, key);
  if (!row) throw missing(key.kind);
  return { config: JSON.parse(row.config) as Config, sealed: row.sealed };
}

export type NewPolicy = { config: object; sealed?: Uint8Array | null; now: number };

export async function createPolicy(tx: TenantTx, key: PolicyKey, policy: NewPolicy): Promise<void> {
  const of = ['store_policies', key.storeId, key.kind] as const;
  await ensureBelowLimit(tx, { of, limit: MAX_POLICIES_PER_KIND, count: () => countPolicies(tx, key) });
  const { config, sealed = null, now } = policy;
  try {
    await addPolicy(tx, { ...key, config: JSON.stringify(config), sealed, now });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const pointer = key.kind === 'TOTP' ? '/name' : '/rpId';
    const message = `${JSON.stringify(key.name)} is configured already; update it instead`;
    throw new ApiError(100014, { errors: [{ pointer, message }], cause: error });
  }
}

type PolicyUpdate<Config> = {
  change(before: Config): Config;
  /** The time of the version that the caller has read, if the caller sends it. */
  ifUnchanged: { ifLastUpdatedDtm?: string };
  now: number;
};

/** Stores and returns the result of `change`. The sealed part stays. */
export async function updatePolicy<Config extends object>(
  tx: TenantTx,
  key: PolicyKey,
  { change, ifUnchanged, now }: PolicyUpdate<Config>,
): Promise<Config> {
  const row = await findPolicyForUpdate(tx, key);
  if (!row) throw missing(key.kind);
  ensureUnchanged(ifUnchanged, { ...row, last_updated_by: null });
  const config = change(JSON.parse(row.config) as Config);
  await changePolicy(tx, { ...key, config: JSON.stringify(config), sealed: row.sealed, now });
  return withDate(config, now);
}

/** A configuration as callers see it. */
export function withDate<Config extends object>(config: Config, at: number): Config & { lastUpdatedDtm: string } {
  return { ...config, lastUpdatedDtm: toDtm(at) };
}

export async function deletePolicy(tx: TenantTx, key: PolicyKey): Promise<void> {
  if (!(await removePolicy(tx, key))) throw missing(key.kind);
}
