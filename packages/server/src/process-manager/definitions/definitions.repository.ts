import { type Sql, sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { lockName } from '../../db/named-lock.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { keptStatement, pageStatement } from '../../db/sql/kept-statement.ts';
import { rowOf } from '../../db/sql/row-maker.ts';
import { type Environment, seenFrom } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';

export type DefinitionStatus = 'EDITABLE' | 'DEPLOYED_ACTIVE' | 'ARCHIVED';

/** What a list shows: all but the document, which may be long. */
export type DefinitionView = {
  id: string;
  environment: Environment;
  name: string;
  version: number;
  status: DefinitionStatus;
  description: string | null;
  definition_type: 'VERIFICATION' | 'AUTHENTICATION';
  retention_days: number;
  created_at: number;
  created_by: string;
  last_updated_at: number;
  last_updated_by: string;
  deployed_at: number | null;
};

export type DefinitionRow = DefinitionView & {
  tenant_id: string;
  name_folded: string;
  /** JSON, with every default written out. */
  document: string;
};

const VIEW = `id, name, version, status, description, definition_type, retention_days, created_at, created_by,
  last_updated_at, last_updated_by, deployed_at, environment`;
const toView = rowOf(VIEW);
const COLUMNS = `${VIEW}, tenant_id, name_folded, document`;

/** The properties a list can be sorted by. What may be absent comes first, on both engines. */
export const SORTABLE = {
  id: 'id',
  environment: 'environment',
  name: 'name_folded',
  version: 'version',
  status: 'status',
  description: "coalesce(description, '')",
  processDefinitionType: 'definition_type',
  retentionDays: 'retention_days',
  createdDtm: 'created_at',
  createdBy: 'created_by',
  lastUpdatedDtm: 'last_updated_at',
  lastUpdatedBy: 'last_updated_by',
  deployedDtm: 'coalesce(deployed_at, 0)',
} as const;

const FROM = 'FROM process_definitions';
const ONE = sql(`SELECT ${COLUMNS} ${FROM} WHERE tenant_id = $1 AND id = $2`);
const ONE_FOR_UPDATE = sql(`SELECT ${COLUMNS} ${FROM} WHERE tenant_id = $1 AND id = $2 ${FOR_UPDATE}`);
const NAMED = `tenant_id = $1 AND ${seenFrom('$2')} AND name = $3`;
const ONE_VERSION = sql(`SELECT ${COLUMNS} ${FROM} WHERE ${NAMED} AND version = $4
  ORDER BY CASE status WHEN 'DEPLOYED_ACTIVE' THEN 0 ELSE 1 END, environment DESC LIMIT 1`);
const NEWEST_DEPLOYED = sql(`SELECT ${COLUMNS} ${FROM} WHERE ${NAMED} AND status = 'DEPLOYED_ACTIVE'
  ORDER BY environment DESC, version DESC LIMIT 1`);
const TAGGED = sql(`SELECT ${COLUMNS} ${FROM} WHERE tenant_id = $1
  AND id = (SELECT definition_id FROM process_definition_tags WHERE ${NAMED} ORDER BY environment DESC LIMIT 1)`);
const COUNT = sql(`SELECT count(*) AS total ${FROM} WHERE tenant_id = $1 AND environment = $2`);
const VERSIONS = sql(`SELECT count(*) AS total, coalesce(max(version), 0) AS newest ${FROM}
  WHERE tenant_id = $1 AND environment = $2 AND name = $3`);
const ADD = sql(`INSERT INTO process_definitions (${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`);
const CHANGE = sql(`UPDATE process_definitions SET description = $3, definition_type = $4, retention_days = $5,
  document = $6, last_updated_at = $7, last_updated_by = $8 WHERE tenant_id = $1 AND id = $2 AND status = 'EDITABLE'`);
const SET_STATUS = sql(`UPDATE process_definitions SET status = $3, deployed_at = $4, last_updated_at = $5,
  last_updated_by = $6 WHERE tenant_id = $1 AND id = $2`);
const REMOVE = sql('DELETE FROM process_definitions WHERE tenant_id = $1 AND id = $2');

export function findDefinition(db: TenantReads, id: string): Promise<DefinitionRow | undefined> {
  return db.get<DefinitionRow>(ONE, [db.tenantId, id]);
}

/**
 * Definitions and tags of a tenant are changed by one transaction after another. They change seldom, and many rules are
 * about several of them: the next version, the number of tags, circles of subprocesses.
 */
export async function lockDefinitions(tx: TenantTx): Promise<void> {
  await lockName(tx, 'process_definitions');
}

/** What starts instances may lock the version to see that it stays deployed until its transaction ends. */
export function findDefinitionForUpdate(tx: TenantTx, id: string): Promise<DefinitionRow | undefined> {
  return tx.get<DefinitionRow>(ONE_FOR_UPDATE, [tx.tenantId, id]);
}

/**
 * Without a version the newest that is deployed, for a test caller the newest of the test versions if one of them is. With one that very version, whatever its status, so that the caller can
 * tell "not deployed" from "not found".
 */
export function findDeployed(
  db: TenantReads,
  { environment, name, version }: { environment: Environment; name: string; version?: number | undefined },
): Promise<DefinitionRow | undefined> {
  return version === undefined
    ? db.get<DefinitionRow>(NEWEST_DEPLOYED, [db.tenantId, environment, name])
    : db.get<DefinitionRow>(ONE_VERSION, [db.tenantId, environment, name, version]);
}

/** The version that bears the tag in that environment. */
export function findTagged(
  db: TenantReads,
  environment: Environment,
  tagName: string,
): Promise<DefinitionRow | undefined> {
  return db.get<DefinitionRow>(TAGGED, [db.tenantId, environment, tagName]);
}

export async function countDefinitions(db: TenantReads, environment: Environment): Promise<number> {
  return (await db.get<{ total: number }>(COUNT, [db.tenantId, environment]))?.total ?? 0;
}

/** How many versions of a name there are in an environment, and the number of the newest; 0 if there are none. */
export async function versionsOf(
  db: TenantReads,
  environment: Environment,
  name: string,
): Promise<{ total: number; newest: number }> {
  const found = await db.get<{ total: number; newest: number }>(VERSIONS, [db.tenantId, environment, name]);
  return found ?? { total: 0, newest: 0 };
}

export async function addDefinition(tx: TenantTx, row: Omit<DefinitionRow, 'tenant_id'>): Promise<void> {
  await tx.run(ADD, [
    row.id,
    row.name,
    row.version,
    row.status,
    row.description,
    row.definition_type,
    row.retention_days,
    row.created_at,
    row.created_by,
    row.last_updated_at,
    row.last_updated_by,
    row.deployed_at,
    row.environment,
    tx.tenantId,
    row.name_folded,
    row.document,
  ]);
}

export async function changeDefinition(tx: TenantTx, row: DefinitionRow): Promise<void> {
  await tx.run(CHANGE, [
    tx.tenantId,
    row.id,
    row.description,
    row.definition_type,
    row.retention_days,
    row.document,
    row.last_updated_at,
    row.last_updated_by,
  ]);
}

export async function setStatus(tx: TenantTx, row: DefinitionView): Promise<void> {
  const { id, status, deployed_at, last_updated_at, last_updated_by } = row;
  await tx.run(SET_STATUS, [tx.tenantId, id, status, deployed_at, last_updated_at, last_updated_by]);
}

export async function removeDefinition(tx: TenantTx, id: string): Promise<void> {
  await tx.run(REMOVE, [tx.tenantId, id]);
}

export type DefinitionFilter = {
  /** Of the caller. */
  environment: Environment;
  /** Only those of this environment. */
  only: Environment | undefined;
  pattern: string | undefined;
  status: DefinitionStatus | undefined;
};

export async function pageDefinitions(
  db: TenantReads,
  filter: DefinitionFilter,
  paging: Paging,
): Promise<{ rows: DefinitionView[]; total: number }> {
  const { environment, only, pattern, status } = filter;
  const wanted = [db.tenantId, environment, only, pattern, status].filter((each) => each !== undefined);
  const counted = await db.get<{ total: number }>(statement(filter), wanted);
  const rows = await db.all<DefinitionView>(statement(filter, paging), [...wanted, paging.size, paging.offset]);
  return { rows, total: counted?.total ?? 0 };
}

/** Counts without a paging. */
function statement({ only, pattern, status }: DefinitionFilter, paging?: Paging): Sql {
  let place = 2;
  const of = only === undefined ? '' : `AND environment = $${++place}`;
  const like = pattern === undefined ? '' : `AND name_folded LIKE $${++place} ESCAPE '\\'`;
  const having = status === undefined ? '' : `AND status = $${++place}`;
  const where = `${FROM} WHERE tenant_id = $1 AND ${seenFrom('$2')} ${of} ${like} ${having}`;
  if (!paging) return keptStatement(`SELECT count(*) AS total ${where}`);
  const text = `SELECT ${VIEW} ${where} ORDER BY ${paging.orderBy} LIMIT $${++place} + 0 OFFSET $${++place} + 0`;
  return pageStatement(paging, text, toView);
}
