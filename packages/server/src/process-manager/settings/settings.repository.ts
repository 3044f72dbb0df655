import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';

/** What a tenant sets for all its journeys of an environment. */
export type ProcessSettings = {
  readonly redirectOrigins: readonly string[];
  /** Whose pages may frame a journey. */
  readonly embedOrigins: readonly string[];
  /** Whether live journeys accept documents of invented states: for demonstrations only. */
  readonly allowSpecimens: boolean;
  /** How many persons each API key may read in an hour. */
  readonly readBudget: { readonly personsPerHour: number; readonly block: boolean };
  /** Whether unknown members of requests are ignored, where that is possible. */
  readonly lenientRequests: boolean;
};

/** Test journeys follow the live settings until a test key has made some. */
const NAMES: Record<Environment, string> = { live: 'process', test: 'process:test' };
const DEFAULTS: ProcessSettings = {
  redirectOrigins: [],
  embedOrigins: [],
  allowSpecimens: false,
  readBudget: { personsPerHour: 10_000, block: false },
  lenientRequests: false,
};

const ONE = sql(`SELECT value FROM tenant_settings WHERE tenant_id = $1 AND name IN ('${NAMES.live}', $2)
  ORDER BY name DESC LIMIT 1`);
const SET = sql(`INSERT INTO tenant_settings (tenant_id, name, value, last_updated_at, last_updated_by)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value,
  last_updated_at = excluded.last_updated_at, last_updated_by = excluded.last_updated_by`);

export async function findProcessSettings(db: TenantReads, environment: Environment): Promise<ProcessSettings> {
  const row = await db.get<{ value: string }>(ONE, [db.tenantId, NAMES[environment]]);
  return row ? { ...DEFAULTS, ...(JSON.parse(row.value) as Partial<ProcessSettings>) } : DEFAULTS;
}

export async function setProcessSettings(
  tx: TenantTx,
  settings: ProcessSettings,
  { environment, by, now }: { environment: Environment; by: string; now: number },
): Promise<void> {
  await tx.run(SET, [tx.tenantId, NAMES[environment], JSON.stringify(settings), now, by]);
}
