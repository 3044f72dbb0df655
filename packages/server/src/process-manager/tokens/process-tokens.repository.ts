import { addToCounter, addToCounters, readCounter, takeCounters } from '../../db/counters.ts';
import { getPersonalSeal, type TenantReads, type TenantTx } from '../../db/db.ts';
import { FOR_UPDATE, inList, LIMIT } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, TRACKED, table, text, WITH_NAME } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import { forEachInSlices, rowsInOrder } from '../../kernel/in-slices.ts';
import { likeMatch } from '../../kernel/like-match.ts';
import { type Paging, sortable, tiesAlike } from '../../kernel/pages.ts';
import { scanRows } from '../../kernel/scan-rows.ts';
import { lineOf } from '../../kernel/take-turns.ts';
import { gatherUses, usesOf, withUses } from './token-uses.repository.ts';

export type TokenType = 'UNLIMITED' | 'MULTI_USE_COUNT_LIMITED' | 'MULTI_USE_TIME_LIMITED';
export type TokenStatus = 'ACTIVE' | 'INACTIVE';
/** The purposes for which Grove itself creates tokens. */
export type MadeFor = 'PUSH_NOTIFICATION';

const tokens = table('process_tokens', {
  ...WITH_NAME,
  description: optional(text()),
  process_defn_name: text(),
  process_defn_version: optional(integer()),
  process_defn_tag: optional(text()),
  definition_id: optional(text()),
  ui_url: optional(text()),
  status: text<TokenStatus>(),
  type: text<TokenType>(),
  not_before_at: optional(integer()),
  not_after_at: optional(integer()),
  max_count: optional(integer()),
  counter: integer(),
  max_process_duration: text(),
  for_test: optional(integer()),
  /** A JSON object of strings. Sealed in the database. */
  parameters: text(),
  ...TRACKED,
  /** Null if a caller created it. */
  made_for: optional(text<MadeFor>()),
  sealed: optional(bytes()),
});
const { columns } = tokens;
export type TokenRow = Omit<RowOf<typeof tokens>, 'made_for' | 'sealed'> & {
  made_for?: MadeFor | null;
  sealed?: Uint8Array | null;
};

const IN_ANY_ORDER = sortable('id', 'name', 'status', 'type', 'processDefnName', 'lastUpdatedDtm');
/** Ids are in the order of creation. */
export const SORTABLE = { ...IN_ANY_ORDER, createdDtm: 'id' } as const;
const SCANNED = ['id', 'name_folded', 'status', 'type', 'process_defn_name', 'last_updated_at'] as const;

/** Tokens of callers that cannot create more instances. Each condition has an index. */
const IS_USED_UP = "made_for IS NULL AND type <> 'UNLIMITED' AND max_count IS NOT NULL AND counter >= max_count";
const HAS_ENDED = 'made_for IS NULL AND not_after_at IS NOT NULL AND not_after_at <= :over';
const HAS_NO_INSTANCE = `NOT EXISTS (SELECT 1 FROM process_instances i
  WHERE i.tenant_id = :tenant_id AND i.token_id = process_tokens.id)`;

/** All remaining instances of the token were redacted. */
const HAS_NO_PERSON = `NOT EXISTS (SELECT 1 FROM process_instances i
  WHERE i.tenant_id = :tenant_id AND i.token_id = process_tokens.id AND i.redacted_at IS NULL)`;

const ONE = tokens.select(columns, 'WHERE tenant_id = :tenant_id AND id = :id');
const ADD = tokens.insert();
const OF_ENVIRONMENT = 'WHERE tenant_id = :tenant_id AND environment = :environment';
const BY_CALLERS = `${OF_ENVIRONMENT} AND made_for IS NULL` as const;
const BY_GROVE = `${OF_ENVIRONMENT} AND made_for IS NOT NULL` as const;
const NEXT = 'AND id > :after ORDER BY id LIMIT :limit + 0';
const OF_CALLERS = { list: tokens.list(columns, BY_CALLERS), scan: tokens.select(SCANNED, `${BY_CALLERS} ${NEXT}`) };
const OF_GROVE = { list: tokens.list(columns, BY_GROVE), scan: tokens.select(SCANNED, `${BY_GROVE} ${NEXT}`) };
const AMONG = tokens.select(columns, `WHERE tenant_id = :tenant_id AND id ${inList(':ids')}`);
const CLOSE = statement(`UPDATE process_tokens SET status = 'INACTIVE', last_updated_at = :now
  WHERE tenant_id = :tenant_id AND id = :id AND made_for IS NOT NULL AND status = 'ACTIVE'`);
const REMOVE_OVER = tokens.delete(`WHERE tenant_id = :tenant_id AND id IN (
    SELECT id FROM process_tokens WHERE tenant_id = :tenant_id AND made_for IS NOT NULL AND not_after_at <= :over
    ORDER BY not_after_at LIMIT :limit + 0)`);

const LOCK = tokens.select(
  columns,
  `WHERE tenant_id = :tenant_id AND id = :id AND made_for IS NULL
  ${FOR_UPDATE}`,
);
const CHANGE = tokens.update(
  [
    'name',
    'name_folded',
    'description',
    'ui_url',
    'status',
    'type',
    'not_before_at',
    'not_after_at',
    'max_count',
    'max_process_duration',
    'for_test',
    'sealed',
    'parameters',
    'last_updated_at',
    'last_updated_by',
  ],
  'WHERE tenant_id = :tenant_id AND id = :id',
);
const REMOVE = tokens.delete(`WHERE tenant_id = :tenant_id AND id ${inList(':ids')}`);
const USED_UP_AFTER = query<EndedToken>()(`SELECT id, 0 AS at FROM process_tokens
  WHERE tenant_id = :tenant_id AND ${IS_USED_UP} AND id > :id ORDER BY id ${LIMIT}`);
const ENDED_AFTER = query<EndedToken>()(`SELECT id, not_after_at AS at FROM process_tokens
  WHERE tenant_id = :tenant_id AND ${HAS_ENDED} AND (not_after_at, id) > (:at, :id)
  ORDER BY not_after_at, id ${LIMIT}`);
const LOCK_OVER = tokens.select(
  ['id', 'environment'],
  `WHERE tenant_id = :tenant_id AND id ${inList(':ids')}
  AND ((${IS_USED_UP}) OR (${HAS_ENDED})) AND ${HAS_NO_INSTANCE} ORDER BY id ${FOR_UPDATE}`,
);

const counterOf = (environment: Environment) => `processTokens/${environment}`;

export async function findToken(db: TenantReads, id: string): Promise<TokenRow | undefined> {
  const row = await ONE.get(db, { id });
  return row && openParameters(db, row);
}

const NO_PARAMETERS = '{}';
const sealContext = (id: string) => `token:${id}`;

type SealedParameters = Pick<TokenRow, 'id' | 'parameters'> & { sealed?: Uint8Array | null };

/** Opens the parameters of a token. */
export async function openToken<R extends SealedParameters>(db: TenantReads, row: R): Promise<R> {
  if (!row.sealed) return row;
  row.parameters = (await getPersonalSeal(db)).openAgain(sealContext(row.id), row.sealed);
  return row;
}

async function openParameters(db: TenantReads, row: TokenRow): Promise<TokenRow> {
  await withUses(db, [row]);
  return openToken(db, row);
}

/** Null if there are no parameters. */
async function sealParameters(tx: TenantTx, id: string, parameters: string): Promise<Uint8Array | null> {
  if (parameters === NO_PARAMETERS) return null;
  return (await getPersonalSeal(tx)).seal(sealContext(id), parameters);
}

const SET_PARAMETERS = statement(
  `UPDATE process_tokens SET sealed = :sealed, parameters = '{}' WHERE tenant_id = :tenant_id AND id = :id`,
);

/** Seals and stores the parameters of a token, and changes nothing else. */
export async function setTokenParameters(tx: TenantTx, id: string, parameters: string): Promise<void> {
  SET_PARAMETERS.send(tx, { id, sealed: await sealParameters(tx, id, parameters) });
}

const WITH_PARAMETERS = `WHERE tenant_id = :tenant_id AND id ${inList(':ids')}
  AND (sealed IS NOT NULL OR parameters <> '{}')` as const;
const LOCK_WITH_PARAMETERS = tokens.select(['id'], `${WITH_PARAMETERS} ORDER BY id ${FOR_UPDATE}`);
export const TOKENS_WITHOUT_INSTANCES = tokens.select(columns, `${WITH_PARAMETERS} AND ${HAS_NO_PERSON} ORDER BY id`);

/**
 * The tokens with parameters whose instances were all deleted or redacted, in the order of their ids. Locks the tokens
 * first: of two transactions that remove the last two instances at once, each would still see the instance of the other.
 */
export async function tokensWithoutInstances(tx: TenantTx, ids: readonly string[]): Promise<TokenRow[]> {
  const [, rows] = await Promise.all([
    LOCK_WITH_PARAMETERS.all(tx, { ids }),
    TOKENS_WITHOUT_INSTANCES.all(tx, { ids }),
  ]);
  await withUses(tx, rows);
  return Promise.all(rows.map((row) => openToken(tx, row)));
}

/** The page of a token for its journeys. Undefined if there is no such token. */
export async function uiUrlOfToken(db: TenantReads, id: string): Promise<string | null | undefined> {
  return (await findToken(db, id))?.ui_url;
}

export async function addToken(tx: TenantTx, row: TokenRow): Promise<void> {
  const sealed = await sealParameters(tx, row.id, row.parameters);
  await ADD.run(tx, { ...row, made_for: row.made_for ?? null, parameters: NO_PARAMETERS, sealed });
  // Tokens of Grove itself are removed automatically and do not count towards the limit.
  if (!row.made_for) await addToCounter(tx, counterOf(row.environment), 1);
}

/** Locks a token that a caller created. */
export async function findTokenForUpdate(tx: TenantTx, id: string): Promise<TokenRow | undefined> {
  const row = await LOCK.get(tx, { id });
  return row && openParameters(tx, row);
}

/** Changes all columns but the bound definition and the uses. */
export async function changeToken(tx: TenantTx, row: TokenRow): Promise<void> {
  const sealed = await sealParameters(tx, row.id, row.parameters);
  if (row.type !== 'UNLIMITED') await gatherUses(tx, row.id);
  await CHANGE.run(tx, { ...row, parameters: NO_PARAMETERS, sealed });
}

type OfEnvironment = Pick<TokenRow, 'id' | 'environment'>;

/** Removes tokens that the caller has locked. */
export async function removeTokens(tx: TenantTx, rows: readonly OfEnvironment[]): Promise<void> {
  await REMOVE.run(tx, { ids: rows.map(({ id }) => id) });
  await takeCounters(
    tx,
    rows.map(({ id }) => usesOf(id)),
  );
  const groups = Map.groupBy(rows, ({ environment }) => counterOf(environment));
  addToCounters(
    tx,
    [...groups].map(([name, { length }]) => ({ name, value: -length })),
  );
}

export type EndedToken = Pick<TokenRow, 'id'> & { at: number };
export type EndedPage = {
  readonly over: number;
  readonly after: Pick<EndedToken, 'id' | 'at'>;
  readonly limit: number;
};

/** The next tokens of callers that are used up, or whose time was over by then. */
export function tokensOver(db: TenantReads, kind: 'usedUp' | 'ended', page: EndedPage): Promise<EndedToken[]> {
  const { over, after, limit } = page;
  const { id, at } = after;
  return kind === 'usedUp' ? USED_UP_AFTER.all(db, { id, limit }) : ENDED_AFTER.all(db, { over, at, id, limit });
}

/**
 * Removes those tokens that are still over and have no instance. Locks all of them before any counter, as callers that
 * delete one token do, so that neither waits for the other in a circle.
 */
export async function removeThoseOver(tx: TenantTx, ids: readonly string[], over: number): Promise<number> {
  const rows = await LOCK_OVER.all(tx, { ids, over });
  if (rows.length > 0) await removeTokens(tx, rows);
  return rows.length;
}

/** Closes a token of Grove itself, so that it creates no more instances. */
export async function closeToken(tx: TenantTx, id: string, now: number): Promise<void> {
  await CLOSE.run(tx, { id, now });
}

/** Removes tokens of Grove itself whose time was over by then. */
export function removeTokensOver(tx: TenantTx, over: number, limit: number): Promise<number> {
  return REMOVE_OVER.run(tx, { over, limit });
}

/** Counts the tokens that callers of the environment created. */
export async function countTokens(db: TenantReads, environment: Environment): Promise<number> {
  return readCounter(db, counterOf(environment));
}

export type ListedTokens = { environment: Environment; pattern: string | undefined; madeFor?: MadeFor | undefined };

export async function pageTokens(db: TenantReads, listed: ListedTokens, paging: Paging): Promise<TokenPage> {
  const page = await readPage(db, listed, paging);
  await forEachInSlices(db, page.rows, async (row) => void (await openToken(db, row)));
  await withUses(db, page.rows);
  return page;
}

type TokenPage = { rows: TokenRow[]; total: number };

/** Only ids have an index in each list, and names in that of callers: all else looks at every token of the list. */
async function readPage(
  db: TenantReads,
  { environment, pattern, madeFor }: ListedTokens,
  paging: Paging,
): Promise<TokenPage> {
  const { list, scan } = madeFor ? OF_GROVE : OF_CALLERS;
  const orderBy = tiesAlike(paging);
  if (pattern === undefined && (/^id /.test(orderBy) || (!madeFor && /^name_folded (\w+), id \1$/.test(orderBy)))) {
    const rows: TokenRow[] = await list.page(db, { environment }, { ...paging, orderBy });
    return { rows, total: await (madeFor ? list.count(db, { environment }) : countTokens(db, environment)) };
  }
  const matches = pattern === undefined ? () => true : likeMatch(pattern).matches;
  const batch = (after: string, limit: number) => scan.all(db, { environment, after, limit });
  const { ids, total } = await scanRows(
    lineOf(db.tenantId, environment),
    { batch, matches: ({ name_folded }) => matches(name_folded) },
    { ...paging, orderBy },
  );
  return { rows: await rowsInOrder(db, ids, (some) => AMONG.all(db, { ids: some })), total };
}
