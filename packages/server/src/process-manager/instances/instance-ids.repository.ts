import { type Sql, sql, type TenantReads, unprepared, type Value } from '../../db/db.ts';
import { query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { InstanceStatus } from '../engine/state.ts';

/**
 * The ids of instances in the order of their creation. Each list is one index read from one end, so that nothing is
 * sorted and nothing is read that is not shown; lists of several definitions are merged.
 */
export type IdRange = { readonly from: string; readonly below: string };
export const EVERY_ID: IdRange = { from: '', below: '~' };

export type Direction = 'ASC' | 'DESC';
/** All of an environment, those with a status, or those of a definition with a status. */
export type IdList = { readonly definitionId?: string; readonly status?: InstanceStatus };
export type Window = { readonly size: number; readonly offset: number; readonly direction: Direction };

const MATCHES = {
  all: { where: '', values: 2 },
  status: { where: 'AND status = $3', values: 3 },
  definition: { where: 'AND definition_id = $3 AND status = $4', values: 4 },
} as const;

function statementsOf(kind: keyof typeof MATCHES) {
  const { where, values } = MATCHES[kind];
  const param = (next: number) => `$${values + next}`;
  const from = `FROM process_instances WHERE tenant_id = $1 AND environment = $2 ${where}
    AND id >= ${param(1)} AND id < ${param(2)}`;
  const page = (direction: Direction) =>
    sql(`SELECT id ${from} ORDER BY id ${direction} LIMIT ${param(3)} + 0 OFFSET ${param(4)} + 0`, ([id]) => ({ id }));
  return {
    ASC: page('ASC'),
    DESC: page('DESC'),
    count: sql(`SELECT count(*) AS total FROM (SELECT 1 ${from} LIMIT ${param(3)} + 0) AS counted`),
  };
}

export const ID_STATEMENTS = {
  all: statementsOf('all'),
  status: statementsOf('status'),
  definition: statementsOf('definition'),
} as const;

function of(list: IdList): { statements: ReturnType<typeof statementsOf>; values: Value[] } {
  const { definitionId, status } = list;
  if (definitionId !== undefined) {
    return { statements: ID_STATEMENTS.definition, values: [definitionId, status ?? ''] };
  }
  return status === undefined
    ? { statements: ID_STATEMENTS.all, values: [] }
    : { statements: ID_STATEMENTS.status, values: [status] };
}

export async function idsOf(
  db: TenantReads,
  environment: Environment,
  list: IdList,
  { from, below }: IdRange,
  { size, offset, direction }: Window,
): Promise<string[]> {
  const { statements, values } = of(list);
  const all = [db.tenantId, environment, ...values, from, below, size, offset];
  return (await db.all<{ id: string }>(statements[direction], all)).map(({ id }) => id);
}

/** How many there are, but no more than `most`. */
export async function countIds(
  db: TenantReads,
  environment: Environment,
  list: IdList,
  { from, below }: IdRange,
  most: number,
): Promise<number> {
  const { statements, values } = of(list);
  const row = await db.get<{ total: number }>(statements.count, [
    db.tenantId,
    environment,
    ...values,
    from,
    below,
    most,
  ]);
  return row?.total ?? 0;
}

/** For orders that are not the order of creation, and for pages far down a list of several definitions. */
export type AnyOrder = {
  environment: Environment;
  definitionIds: readonly string[] | undefined;
  status: InstanceStatus | undefined;
  orderBy: string;
  size: number;
  offset: number;
};

export async function idsInAnyOrder(db: TenantReads, page: AnyOrder): Promise<string[]> {
  const { statement, values } = anyOrderStatement(db.tenantId, page);
  return (await db.all<{ id: string }>(statement, values)).map(({ id }) => id);
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

/** As many definitions as a filter by name may find. */
export const MAX_DEFINITIONS = 1000;
const DEFINITIONS_LIKE = query<{ id: string }>()(`SELECT id FROM process_definitions
  WHERE tenant_id = :tenant_id AND name_folded LIKE :pattern ESCAPE '\\' ORDER BY id DESC LIMIT :MAX_DEFINITIONS + 0`);

export async function definitionIdsLike(db: TenantReads, pattern: string): Promise<string[]> {
  const rows = await DEFINITIONS_LIKE.all(db, { pattern, MAX_DEFINITIONS });
  return rows.map(({ id }) => id);
}
