import { type Sql, type TenantReads, unprepared, type Value } from '../../db/db.ts';
import { prepare, query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { IdRange } from '../../kernel/id-range.ts';
import { scanRows } from '../../kernel/scan-rows.ts';
import { lineOf } from '../../kernel/take-turns.ts';
import type { InstanceStatus } from '../engine/state.ts';
import { type InstanceRow, instances } from './instance-row.ts';

/**
 * The ids of instances in the order of creation. Each list reads one index from one end, so nothing is sorted and only shown
 * rows are read. The lists of several definitions are merged.
 */
export type Direction = 'ASC' | 'DESC';
export type IdList = { readonly definitionId?: string; readonly status?: InstanceStatus };
export type Window = { readonly size: number; readonly offset: number; readonly direction: Direction };

const MATCHES = {
  all: '',
  status: 'AND status = :status',
  definition: 'AND definition_id = :definitionId AND status = :status',
} as const;

function statementsOf(kind: keyof typeof MATCHES) {
  const from = `FROM process_instances WHERE tenant_id = :tenant_id AND environment = :environment ${MATCHES[kind]}
    AND id >= :from AND id < :below`;
  const page = (direction: Direction) =>
    prepare<object, { id: string }>(`SELECT id ${from} ORDER BY id ${direction} LIMIT :size + 0 OFFSET :offset + 0`, [
      'id',
    ]);
  return {
    ASC: page('ASC'),
    DESC: page('DESC'),
    count: prepare<object, { total: number }>(
      `SELECT count(*) AS total FROM (SELECT 1 ${from} LIMIT :most + 0) AS counted`,
      ['total'],
    ),
  };
}

export const ID_STATEMENTS = {
  all: statementsOf('all'),
  status: statementsOf('status'),
  definition: statementsOf('definition'),
} as const;

function statementsFor({ definitionId, status }: IdList) {
  if (definitionId !== undefined) return ID_STATEMENTS.definition;
  return status === undefined ? ID_STATEMENTS.all : ID_STATEMENTS.status;
}

export async function idsOf(
  db: TenantReads,
  environment: Environment,
  list: IdList,
  range: IdRange,
  { direction, ...slice }: Window,
): Promise<string[]> {
  const rows = await statementsFor(list)[direction].all(db, { status: '', ...list, environment, ...range, ...slice });
  return rows.map(({ id }) => id);
}

export async function countIds(
  db: TenantReads,
  environment: Environment,
  list: IdList,
  range: IdRange,
  most: number,
): Promise<number> {
  const row = await statementsFor(list).count.get(db, { status: '', ...list, environment, ...range, most });
  return row?.total ?? 0;
}

/** A list in another order, or a page far down a list of several definitions. */
export type AnyOrder = {
  environment: Environment;
  definitionIds: readonly string[] | undefined;
  status: InstanceStatus | undefined;
  orderBy: string;
  size: number;
  offset: number;
};

/** Whether an instance of a definition and status matches the filter. */
export function matcherOf({ definitionIds, status: wantedStatus }: Pick<AnyOrder, 'definitionIds' | 'status'>) {
  const wantedIds = definitionIds && new Set(definitionIds);
  return (definitionId: string, status: InstanceStatus): boolean =>
    (wantedStatus === undefined || status === wantedStatus) && (!wantedIds || wantedIds.has(definitionId));
}

const SCAN = instances.select(
  ['id', 'definition_id', 'status', 'expiring_at'],
  'WHERE tenant_id = :tenant_id AND environment = :environment AND id > :after ORDER BY id LIMIT :limit + 0',
);

type ScannedRow = Pick<InstanceRow, 'id' | 'definition_id' | 'status'>;

export async function idsInAnyOrder(db: TenantReads, page: AnyOrder): Promise<string[]> {
  const { environment } = page;
  if (isIndexed(page)) {
    const { statement, values } = anyOrderStatement(db.tenantId, page);
    return (await db.all<{ id: string }>(statement, values)).map(({ id }) => id);
  }
  const isWanted = matcherOf(page);
  const batch = (after: string, limit: number) => SCAN.all(db, { environment, after, limit });
  const scan = { batch, matches: (row: ScannedRow) => isWanted(row.definition_id, row.status) };
  return (await scanRows(lineOf(db.tenantId, environment), scan, page)).ids;
}

/** Whether an index has the list in this order, so that only the rows before the end of the page are read. */
function isIndexed({ orderBy, definitionIds, status }: AnyOrder): boolean {
  if (/^status (\w+), id \1$/.test(orderBy)) return definitionIds === undefined || definitionIds.length === 1;
  return /^expiring_at (\w+), id \1$/.test(orderBy) && definitionIds === undefined && status === undefined;
}

export function anyOrderStatement(tenantId: string, page: AnyOrder): { statement: Sql; values: Value[] } {
  const values: Value[] = [tenantId, page.environment];
  const placeholder = (value: Value) => `$${values.push(value)}`;
  const status = page.status === undefined ? '' : `AND status = ${placeholder(page.status)}`;
  const definitions = page.definitionIds
    ? `AND definition_id IN (${page.definitionIds.map(placeholder).join(', ') || "''"})`
    : '';
  const statement = unprepared(
    `SELECT id FROM process_instances WHERE tenant_id = $1 AND environment = $2 ${status} ${definitions}
    ORDER BY ${page.orderBy} LIMIT ${placeholder(page.size)} + 0 OFFSET ${placeholder(page.offset)} + 0`,
    ([id]) => ({ id }),
  );
  return { statement, values };
}

/** The most definitions that a filter by name may match. */
export const MAX_DEFINITIONS = 1000;
const DEFINITIONS_LIKE = query<{ id: string }>()(`SELECT id FROM process_definitions
  WHERE tenant_id = :tenant_id AND name_folded LIKE :pattern ESCAPE '\\' ORDER BY id DESC LIMIT :MAX_DEFINITIONS + 0`);

export async function definitionIdsLike(db: TenantReads, pattern: string): Promise<string[]> {
  const rows = await DEFINITIONS_LIKE.all(db, { pattern, MAX_DEFINITIONS });
  return rows.map(({ id }) => id);
}
