import type { api, Ok } from '@grove/contract';
import type { Db, TenantReads, TenantTx } from '../../db/db.ts';
import type { RowOf } from '../../db/sql/table.ts';
import { putSetting, tenantSettings } from '../../db/tenant-settings.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { TenantId } from '../../kernel/ids.ts';

/** The settings of a tenant for all journeys of an environment. */
export type ProcessSettings = Omit<Ok<typeof api.processSettings.get>, 'lastUpdatedDtm'>;

/** Test journeys use the live settings until a test key has set its own. */
const NAMES: Record<Environment, string> = { live: 'process', test: 'process:test' };
const DEFAULTS: ProcessSettings = {
  redirectOrigins: [],
  embedOrigins: [],
  allowSpecimens: false,
  readBudget: { personsPerHour: 10_000, block: false },
  lenientRequests: false,
  fourEyes: false,
  secondReviewPercent: 0,
  reviewReasons: [],
  reviewDueHours: 0,
  reviewQueues: [],
};

type SettingsRow = Omit<RowOf<typeof tenantSettings>, 'name' | 'last_updated_by'> & { last_updated_by: string | null };
const ONE = tenantSettings.select(
  ['value', 'last_updated_at', 'last_updated_by'],
  'WHERE tenant_id = :tenant_id AND name IN (:live, :name) ORDER BY name DESC LIMIT 1',
);
/** Locks the row. Before the first change there is none, so it creates one that means the same as none. */
const LOCK = tenantSettings.insert('ON CONFLICT (tenant_id, name) DO UPDATE SET value = tenant_settings.value');

export async function findProcessSettings(db: TenantReads, environment: Environment): Promise<ProcessSettings> {
  return (await findStoredSettings(db, environment)).settings;
}

/** `row` says when they were changed, and by whom. */
export type StoredSettings = { settings: ProcessSettings; row: SettingsRow };

const UNCHANGED: SettingsRow = { value: '{}', last_updated_at: 0, last_updated_by: null };

export async function findStoredSettings(db: TenantReads, environment: Environment): Promise<StoredSettings> {
  return parseSettings(await ONE.get(db, { live: NAMES.live, name: NAMES[environment] }));
}

/** Locks the live row for both environments, because test journeys may use it. */
export async function findSettingsForUpdate(tx: TenantTx, environment: Environment): Promise<StoredSettings> {
  await LOCK.run(tx, { name: NAMES.live, value: '{}', last_updated_at: 0, last_updated_by: 'Grove' });
  return findStoredSettings(tx, environment);
}

function parseSettings(row: SettingsRow = UNCHANGED): StoredSettings {
  return { settings: { ...DEFAULTS, ...(JSON.parse(row.value) as Partial<ProcessSettings>) }, row };
}

export async function setProcessSettings(
  tx: TenantTx,
  settings: ProcessSettings,
  { environment, by, now }: { environment: Environment; by: string; now: number },
): Promise<void> {
  const value = JSON.stringify(settings);
  await putSetting(tx, { name: NAMES[environment], value, last_updated_at: now, last_updated_by: by });
}

/** Whether a tenant ignores unknown members of requests, where that is possible. */
export function lenientTenants(db: Db) {
  return async ({ tenantId, environment }: { tenantId: TenantId; environment: Environment }): Promise<boolean> =>
    (await findProcessSettings(db.of(tenantId), environment)).lenientRequests;
}

/** The number of persons that each API key of an environment may read in an hour. */
export async function readBudgetOf(db: TenantReads, environment: Environment): Promise<ProcessSettings['readBudget']> {
  return (await findProcessSettings(db, environment)).readBudget;
}
