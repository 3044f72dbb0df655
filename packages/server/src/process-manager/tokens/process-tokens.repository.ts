import { addToCounter, readCounter } from '../../db/counters.ts';
import { type Sql, sql, type TenantReads, type TenantTx, unprepared } from '../../db/db.ts';
import type { Paging } from '../../kernel/pages.ts';
import type { Environment } from '../instances/process-instances.repository.ts';

export type TokenType = 'UNLIMITED' | 'MULTI_USE_COUNT_LIMITED' | 'MULTI_USE_TIME_LIMITED';
export type TokenStatus = 'ACTIVE' | 'INACTIVE';

export type TokenRow = {
  id: string;
  environment: Environment;
  name: string;
  name_folded: string;
  description: string | null;
  process_defn_name: string;
  process_defn_version: number | null;
  process_defn_tag: string | null;
  definition_id: string | null;
  ui_url: string | null;
  status: TokenStatus;
  type: TokenType;
  not_before_at: number | null;
  not_after_at: number | null;
  max_count: number | null;
  counter: number;
  max_process_duration: string;
  for_test: number | null;
  /** A JSON object of strings. */
  parameters: string;
  created_at: number;
  created_by: string;
  last_updated_at: number;
  last_updated_by: string;
};

const COLUMNS = `id, environment, name, name_folded, description, process_defn_name, process_defn_version,
  process_defn_tag, definition_id, ui_url, status, type, not_before_at, not_after_at, max_count, counter,
  max_process_duration, for_test, parameters, created_at, created_by, last_updated_at, last_updated_by`;

/** The properties a list can be sorted by. */
export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  status: 'status',
  type: 'type',
  processDefnName: 'process_defn_name',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
} as const;

const ONE = sql(`SELECT ${COLUMNS} FROM process_tokens WHERE tenant_id = $1 AND id = $2`);
const ADD = sql(`INSERT INTO process_tokens (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
  $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)`);
const TAKE = sql(`UPDATE process_tokens SET counter = counter + 1 WHERE tenant_id = $1 AND id = $2
  AND (environment = $3 OR $3 = '') AND status = 'ACTIVE'
  AND (not_before_at IS NULL OR not_before_at <= $4) AND (not_after_at IS NULL OR not_after_at > $4)
  AND (max_count IS NULL OR counter < max_count)
  AND (definition_id IS NULL OR EXISTS (SELECT 1 FROM process_definitions d
    WHERE d.tenant_id = $1 AND d.id = process_tokens.definition_id AND d.status = 'DEPLOYED_ACTIVE'))
  RETURNING id, environment, counter, definition_id, process_defn_tag, ui_url, max_process_duration, parameters`);
const COUNT_LIKE = sql(`SELECT count(*) AS total FROM process_tokens
  WHERE tenant_id = $1 AND environment = $2 AND name_folded LIKE $3 ESCAPE '\\'`);

const counterOf = (environment: Environment) => `processTokens/${environment}`;

export function findToken(db: TenantReads, id: string): Promise<TokenRow | undefined> {
  return db.get<TokenRow>(ONE, [db.tenantId, id]);
}

/** The page that a token names for its journeys. Undefined if there is no such token. */
export async function uiUrlOfToken(db: TenantReads, id: string): Promise<string | null | undefined> {
  return (await findToken(db, id))?.ui_url;
}

export type TakenToken = Pick<
  TokenRow,
  | 'id'
  | 'environment'
  | 'counter'
  | 'definition_id'
  | 'process_defn_tag'
  | 'ui_url'
  | 'max_process_duration'
  | 'parameters'
>;

/**
 * Takes one use, if there is one to take now and the definition that the token is bound to is deployed. However many
 * try at once, no more than there are get one.
 */
export function takeUse(
  tx: TenantTx,
  id: string,
  { environment, now }: { environment: Environment | undefined; now: number },
): Promise<TakenToken | undefined> {
  return tx.get<TakenToken>(TAKE, [tx.tenantId, id, environment ?? '', now]);
}

export async function addToken(tx: TenantTx, row: TokenRow): Promise<void> {
  await tx.run(ADD, [
    tx.tenantId,
    ...[row.id, row.environment, row.name, row.name_folded, row.description, row.process_defn_name],
    ...[row.process_defn_version, row.process_defn_tag, row.definition_id, row.ui_url, row.status, row.type],
    ...[row.not_before_at, row.not_after_at, row.max_count, row.counter, row.max_process_duration, row.for_test],
    ...[row.parameters, row.created_at, row.created_by, row.last_updated_at, row.last_updated_by],
  ]);
  await addToCounter(tx, counterOf(row.environment), 1);
}

/** Of both environments. */
export async function countTokens(db: TenantReads): Promise<number> {
  return (await readCounter(db, counterOf('live'))) + (await readCounter(db, counterOf('test')));
}

export async function pageTokens(
  db: TenantReads,
  { environment, pattern }: { environment: Environment; pattern: string | undefined },
  paging: Paging,
): Promise<{ rows: TokenRow[]; total: number }> {
  const values = [db.tenantId, environment, paging.size, paging.offset];
  if (pattern === undefined) {
    const rows = await db.all<TokenRow>(pageStatement(paging, false), values);
    return { rows, total: await readCounter(db, counterOf(environment)) };
  }
  const counted = await db.get<{ total: number }>(COUNT_LIKE, [db.tenantId, environment, pattern]);
  return {
    total: counted?.total ?? 0,
    rows: await db.all<TokenRow>(pageStatement(paging, true), [...values, pattern]),
  };
}

const prepared = new Map<string, Sql>();

/** Orders by one property are kept prepared; there are only so many. */
function pageStatement({ orderBy, sorts }: Paging, filtered: boolean): Sql {
  const key = filtered ? `filtered ${orderBy}` : orderBy;
  const known = prepared.get(key);
  if (known) return known;
  const text = `SELECT ${COLUMNS} FROM process_tokens WHERE tenant_id = $1 AND environment = $2
    ${filtered ? "AND name_folded LIKE $5 ESCAPE '\\'" : ''} ORDER BY ${orderBy} LIMIT $3 + 0 OFFSET $4 + 0`;
  if (sorts > 1) return unprepared(text);
  const statement = sql(text);
  prepared.set(key, statement);
  return statement;
}
