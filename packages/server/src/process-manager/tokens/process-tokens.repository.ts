import { addToCounter, readCounter } from '../../db/counters.ts';
import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { keptStatement, pageStatement } from '../../db/sql/kept-statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';

export type TokenType = 'UNLIMITED' | 'MULTI_USE_COUNT_LIMITED' | 'MULTI_USE_TIME_LIMITED';
export type TokenStatus = 'ACTIVE' | 'INACTIVE';
/** What Grove itself makes tokens for. */
export type MadeFor = 'PUSH_NOTIFICATION';

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
  /** A JSON object of strings. Sealed in the database. */
  parameters: string;
  created_at: number;
  created_by: string;
  last_updated_at: number;
  last_updated_by: string;
  /** Nothing if a caller made it. */
  made_for?: MadeFor | null;
};

const COLUMNS = `id, environment, name, name_folded, description, process_defn_name, process_defn_version,
  process_defn_tag, definition_id, ui_url, status, type, not_before_at, not_after_at, max_count, counter,
  max_process_duration, for_test, parameters, created_at, created_by, last_updated_at, last_updated_by,
  made_for, sealed`;

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

/** Tokens of callers that make no more instances. Each condition has an index. */
const IS_USED_UP = "made_for IS NULL AND type <> 'UNLIMITED' AND max_count IS NOT NULL AND counter >= max_count";
const HAS_ENDED = 'made_for IS NULL AND not_after_at IS NOT NULL AND not_after_at <= $2';
const HAS_NO_INSTANCE = `NOT EXISTS (SELECT 1 FROM process_instances i
  WHERE i.tenant_id = $1 AND i.token_id = process_tokens.id)`;

const ONE = sql(`SELECT ${COLUMNS} FROM process_tokens WHERE tenant_id = $1 AND id = $2`);
const ADD = sql(`INSERT INTO process_tokens (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
  $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)`);
const TAKE = sql(`UPDATE process_tokens SET counter = counter + 1 WHERE tenant_id = $1 AND id = $2
  AND (environment = $3 OR $3 = '') AND status = 'ACTIVE'
  AND (not_before_at IS NULL OR not_before_at <= $4) AND (not_after_at IS NULL OR not_after_at > $4)
  AND (type = 'UNLIMITED' OR max_count IS NULL OR counter < max_count)
  AND (definition_id IS NULL OR EXISTS (SELECT 1 FROM process_definitions d
    WHERE d.tenant_id = $1 AND d.id = process_tokens.definition_id AND d.status = 'DEPLOYED_ACTIVE'))
  RETURNING id, environment, counter, definition_id, process_defn_tag, ui_url, max_process_duration, parameters, sealed`);
const OF_CALLERS = 'tenant_id = $1 AND environment = $2 AND made_for IS NULL';
const OF_GROVE = 'tenant_id = $1 AND environment = $2 AND made_for IS NOT NULL';
const CLOSE = sql(`UPDATE process_tokens SET status = 'INACTIVE', last_updated_at = $3
  WHERE tenant_id = $1 AND id = $2 AND made_for IS NOT NULL AND status = 'ACTIVE'`);
const REMOVE_OVER = sql(`DELETE FROM process_tokens WHERE tenant_id = $1 AND id IN (
    SELECT id FROM process_tokens WHERE tenant_id = $1 AND made_for IS NOT NULL AND not_after_at <= $2
    ORDER BY not_after_at LIMIT $3 + 0)`);

const LOCK = sql(`SELECT ${COLUMNS} FROM process_tokens WHERE tenant_id = $1 AND id = $2 AND made_for IS NULL
  ${FOR_UPDATE}`);
const CHANGE = sql(`UPDATE process_tokens SET name = $3, name_folded = $4, description = $5, ui_url = $6, status = $7,
  type = $8, not_before_at = $9, not_after_at = $10, max_count = $11, max_process_duration = $12, for_test = $13,
  sealed = $14, parameters = '{}', last_updated_at = $15, last_updated_by = $16 WHERE tenant_id = $1 AND id = $2`);
const REMOVE = sql('DELETE FROM process_tokens WHERE tenant_id = $1 AND id = $2 AND made_for IS NULL');
const OVER_AFTER = {
  usedUp: sql(`SELECT id, environment, 0 AS at FROM process_tokens WHERE tenant_id = $1 AND ${IS_USED_UP}
    AND id > $2 ORDER BY id LIMIT $3 + 0`),
  ended: sql(`SELECT id, environment, not_after_at AS at FROM process_tokens WHERE tenant_id = $1 AND ${HAS_ENDED}
    AND (not_after_at, id) > ($3, $4) ORDER BY not_after_at, id LIMIT $5 + 0`),
};
const REMOVE_IF_OVER = sql(`DELETE FROM process_tokens WHERE tenant_id = $1 AND id = $3
  AND ((${IS_USED_UP}) OR (${HAS_ENDED})) AND ${HAS_NO_INSTANCE}`);

const counterOf = (environment: Environment) => `processTokens/${environment}`;

export async function findToken(db: TenantReads, id: string): Promise<TokenRow | undefined> {
  const row = await db.get<TokenRow>(ONE, [db.tenantId, id]);
  return row && openToken(db, row);
}

const NO_PARAMETERS = '{}';
const placeOf = (id: string) => `token:${id}`;

type Sealed = Pick<TokenRow, 'id' | 'parameters'> & { sealed?: Uint8Array | null };

/** With its parameters as they were given. */
async function openToken<R extends Sealed>(db: TenantReads, row: R): Promise<R> {
  if (!row.sealed) return row;
  const seal = await db.personal();
  if (!seal) throw new Error('the key of personal data is gone');
  row.parameters = seal.openAgain(placeOf(row.id), row.sealed);
  return row;
}

/** Nothing if there are none. */
async function sealParameters(tx: TenantTx, id: string, parameters: string): Promise<Uint8Array | null> {
  if (parameters === NO_PARAMETERS) return null;
  const seal = await tx.personal();
  if (!seal) throw new Error('there is no key of personal data');
  return seal.seal(placeOf(id), parameters);
}

const SET_PARAMETERS = sql(`UPDATE process_tokens SET sealed = $3, parameters = '{}' WHERE tenant_id = $1 AND id = $2`);

/** Nothing else changes the parameters of a token. */
export async function setTokenParameters(tx: TenantTx, id: string, parameters: string): Promise<void> {
  await tx.run(SET_PARAMETERS, [tx.tenantId, id, await sealParameters(tx, id, parameters)]);
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
export async function takeUse(
  tx: TenantTx,
  id: string,
  { environment, now }: { environment: Environment | undefined; now: number },
): Promise<TakenToken | undefined> {
  const row = await tx.get<TakenToken>(TAKE, [tx.tenantId, id, environment ?? '', now]);
  return row && openToken(tx, row);
}

export async function addToken(tx: TenantTx, row: TokenRow): Promise<void> {
  const sealed = await sealParameters(tx, row.id, row.parameters);
  await tx.run(ADD, [
    tx.tenantId,
    ...[row.id, row.environment, row.name, row.name_folded, row.description, row.process_defn_name],
    ...[row.process_defn_version, row.process_defn_tag, row.definition_id, row.ui_url, row.status, row.type],
    ...[row.not_before_at, row.not_after_at, row.max_count, row.counter, row.max_process_duration, row.for_test],
    ...[NO_PARAMETERS, row.created_at, row.created_by, row.last_updated_at, row.last_updated_by, row.made_for ?? null],
    sealed,
  ]);
  // Those that Grove makes come and go by themselves, and take nobody's place.
  if (!row.made_for) await addToCounter(tx, counterOf(row.environment), 1);
}

/** A token that a caller made, for whoever changes it. */
export async function findTokenForUpdate(tx: TenantTx, id: string): Promise<TokenRow | undefined> {
  const row = await tx.get<TokenRow>(LOCK, [tx.tenantId, id]);
  return row && openToken(tx, row);
}

/** Everything but the definition that it is bound to and its uses. */
export async function changeToken(tx: TenantTx, row: TokenRow): Promise<void> {
  const sealed = await sealParameters(tx, row.id, row.parameters);
  await tx.run(CHANGE, [
    ...[tx.tenantId, row.id, row.name, row.name_folded, row.description, row.ui_url, row.status, row.type],
    ...[row.not_before_at, row.not_after_at, row.max_count, row.max_process_duration, row.for_test],
    ...[sealed, row.last_updated_at, row.last_updated_by],
  ]);
}

export async function removeToken(tx: TenantTx, { id, environment }: Pick<TokenRow, 'id' | 'environment'>) {
  if ((await tx.run(REMOVE, [tx.tenantId, id])) === 1) await addToCounter(tx, counterOf(environment), -1);
}

export type OverToken = Pick<TokenRow, 'id' | 'environment'> & { at: number };
export type OverPlace = { readonly over: number; readonly after: Pick<OverToken, 'id' | 'at'>; readonly limit: number };

/** The next tokens of callers whose uses were all taken, or whose time was over by then. */
export function tokensOver(db: TenantReads, kind: 'usedUp' | 'ended', place: OverPlace): Promise<OverToken[]> {
  const { over, after, limit } = place;
  const from = kind === 'usedUp' ? [after.id] : [over, after.at, after.id];
  return db.all<OverToken>(OVER_AFTER[kind], [db.tenantId, ...from, limit]);
}

/** Removes it if it is still over and no instance of it is left. */
export async function removeIfOver(tx: TenantTx, { id, environment }: OverToken, over: number): Promise<boolean> {
  const isGone = (await tx.run(REMOVE_IF_OVER, [tx.tenantId, over, id])) === 1;
  if (isGone) await addToCounter(tx, counterOf(environment), -1);
  return isGone;
}

/** No instance can be made from it any more. Only for tokens that Grove made. */
export async function closeToken(tx: TenantTx, id: string, now: number): Promise<void> {
  await tx.run(CLOSE, [tx.tenantId, id, now]);
}

/** Removes tokens that Grove made and whose time was over by then. */
export function removeTokensOver(tx: TenantTx, over: number, limit: number): Promise<number> {
  return tx.run(REMOVE_OVER, [tx.tenantId, over, limit]);
}

/** As callers of the environment made them. */
export async function countTokens(db: TenantReads, environment: Environment): Promise<number> {
  return readCounter(db, counterOf(environment));
}

export type ListedTokens = { environment: Environment; pattern: string | undefined; madeFor?: MadeFor | undefined };

export async function pageTokens(
  db: TenantReads,
  { environment, pattern, madeFor }: ListedTokens,
  paging: Paging,
): Promise<{ rows: TokenRow[]; total: number }> {
  const values = [db.tenantId, environment, ...(pattern === undefined ? [] : [pattern])];
  const filter = pattern === undefined ? '' : " AND name_folded LIKE $3 ESCAPE '\\'";
  const from = `FROM process_tokens WHERE ${madeFor ? OF_GROVE : OF_CALLERS}${filter}`;
  const [size, offset] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const page = `SELECT ${COLUMNS} ${from} ORDER BY ${paging.orderBy} LIMIT ${size} + 0 OFFSET ${offset} + 0`;
  const stored = await db.all<TokenRow>(pageStatement(paging, page), [...values, paging.size, paging.offset]);
  const rows = await Promise.all(stored.map((row) => openToken(db, row)));
  if (pattern === undefined && !madeFor) return { rows, total: await readCounter(db, counterOf(environment)) };
  const counted = await db.get<{ total: number }>(keptStatement(`SELECT count(*) AS total ${from}`), values);
  return { rows, total: counted?.total ?? 0 };
}
