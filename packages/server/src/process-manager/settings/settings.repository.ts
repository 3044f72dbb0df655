import type { TenantReads, TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';
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
  /** Whether two different people have to come to the same verdict. */
  readonly fourEyes: boolean;
  /** What reviewers choose from; the console's own where there are none. */
  readonly reviewReasons: readonly string[];
  /** Within how many hours a review should be decided; 0 for no deadline. */
  readonly reviewDueHours: number;
  /** Named parts of the queue of reviewers. */
  readonly reviewQueues: readonly { readonly name: string; readonly processDefnNames: readonly string[] }[];
};

/** Test journeys follow the live settings until a test key has made some. */
const NAMES: Record<Environment, string> = { live: 'process', test: 'process:test' };
const DEFAULTS: ProcessSettings = {
  redirectOrigins: [],
  embedOrigins: [],
  allowSpecimens: false,
  readBudget: { personsPerHour: 10_000, block: false },
  lenientRequests: false,
  fourEyes: false,
  reviewReasons: [],
  reviewDueHours: 0,
  reviewQueues: [],
};

type SettingsRow = { value: string; last_updated_at: number; last_updated_by: string | null };
const ONE = query<SettingsRow>()(`SELECT value, last_updated_at, last_updated_by FROM tenant_settings
  WHERE tenant_id = :tenant_id AND name IN (:live, :name) ORDER BY name DESC LIMIT 1`);
/** Before the first change there is no row to lock, so one is created that says the same as none. */
const LOCK = statement(`INSERT INTO tenant_settings (tenant_id, name, value, last_updated_at, last_updated_by)
  VALUES (:tenant_id, :live, '{}', 0, 'Grove') ON CONFLICT (tenant_id, name) DO UPDATE SET value = tenant_settings.value`);
const SET = statement(`INSERT INTO tenant_settings (tenant_id, name, value, last_updated_at, last_updated_by)
  VALUES (:tenant_id, :name, :settings, :now, :by) ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value,
  last_updated_at = excluded.last_updated_at, last_updated_by = excluded.last_updated_by`);

export async function findProcessSettings(db: TenantReads, environment: Environment): Promise<ProcessSettings> {
  return (await findStoredSettings(db, environment)).settings;
}

/** `row` says when they were changed, and by whom. */
export type StoredSettings = { settings: ProcessSettings; row: SettingsRow };

const UNCHANGED: SettingsRow = { value: '{}', last_updated_at: 0, last_updated_by: null };

export async function findStoredSettings(db: TenantReads, environment: Environment): Promise<StoredSettings> {
  return parsed(await ONE.get(db, { live: NAMES.live, name: NAMES[environment] }));
}

/** The row of live locks both environments, because test journeys may follow it. */
export async function findSettingsForUpdate(tx: TenantTx, environment: Environment): Promise<StoredSettings> {
  await LOCK.run(tx, { live: NAMES.live });
  return findStoredSettings(tx, environment);
}

function parsed(row: SettingsRow = UNCHANGED): StoredSettings {
  return { settings: { ...DEFAULTS, ...(JSON.parse(row.value) as Partial<ProcessSettings>) }, row };
}

export async function setProcessSettings(
  tx: TenantTx,
  settings: ProcessSettings,
  { environment, by, now }: { environment: Environment; by: string; now: number },
): Promise<void> {
  await SET.run(tx, { name: NAMES[environment], settings: JSON.stringify(settings), now, by });
}
