import { type Sql, sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { keptStatement, pageStatement } from '../../db/sql/kept-statement.ts';
import { type Environment, seenFrom } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';

export type TagRow = {
  environment: Environment;
  name: string;
  name_folded: string;
  definition_id: string;
  /** When and by whom it was put where it is. */
  created_at: number;
  created_by: string;
};

/** With the definition it is on. */
export type TagView = TagRow & { definition_name: string; definition_version: number };

/** The properties a list can be sorted by. */
export const SORTABLE_TAGS = {
  name: 'name_folded',
  environment: 'environment',
  processDefinitionId: 'definition_id',
  processDefnName: 'definition_name',
  processDefnVersion: 'definition_version',
  createdDtm: 'created_at',
  createdBy: 'created_by',
} as const;

const COLUMNS = 'environment, name, name_folded, definition_id, created_at, created_by';
/** What a caller sees: a live tag counts for a test caller unless there is a test tag of the same name. */
const SEEN = `t.tenant_id = $1 AND ${seenFrom('$2', 't.environment')} AND NOT EXISTS (SELECT 1
  FROM process_definition_tags own WHERE own.tenant_id = $1 AND own.environment = $2 AND own.name = t.name
    AND own.environment <> t.environment)`;
const FROM = 'FROM process_definition_tags t';
const ONE = sql(`SELECT ${COLUMNS} ${FROM} WHERE tenant_id = $1 AND environment = $2 AND name = $3`);
const OF_ONE = sql(`SELECT name ${FROM} WHERE ${SEEN} AND definition_id = $3 ORDER BY name`);
const OF_ALL = sql(`SELECT name, definition_id ${FROM} WHERE ${SEEN} ORDER BY name`);
const COUNT = sql(`SELECT count(*) AS total ${FROM} WHERE tenant_id = $1 AND environment = $2`);
const PUT = sql(`INSERT INTO process_definition_tags (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (tenant_id, environment, name) DO UPDATE SET definition_id = excluded.definition_id,
    created_at = excluded.created_at, created_by = excluded.created_by`);
const REMOVE = sql(`DELETE FROM process_definition_tags
  WHERE tenant_id = $1 AND environment = $2 AND name = $3 AND definition_id = $4`);

export function findTag(db: TenantReads, environment: Environment, name: string): Promise<TagRow | undefined> {
  return db.get<TagRow>(ONE, [db.tenantId, environment, name]);
}

export async function tagsOf(db: TenantReads, environment: Environment, definitionId: string): Promise<string[]> {
  const rows = await db.all<{ name: string }>(OF_ONE, [db.tenantId, environment, definitionId]);
  return rows.map(({ name }) => name);
}

/** By definition. A tenant has so few that reading all of them costs less than asking for those of a page. */
export async function tagsByDefinition(
  db: TenantReads,
  environment: Environment,
): Promise<ReadonlyMap<string, string[]>> {
  const rows = await db.all<Pick<TagRow, 'name' | 'definition_id'>>(OF_ALL, [db.tenantId, environment]);
  const found = new Map<string, string[]>();
  for (const { name, definition_id } of rows) found.set(definition_id, [...(found.get(definition_id) ?? []), name]);
  return found;
}

export async function countTags(db: TenantReads, environment: Environment): Promise<number> {
  return (await db.get<{ total: number }>(COUNT, [db.tenantId, environment]))?.total ?? 0;
}

/** Adds the tag, or moves it from where it was. */
export async function putTag(tx: TenantTx, row: TagRow): Promise<void> {
  const { environment, name, name_folded, definition_id, created_at, created_by } = row;
  await tx.run(PUT, [tx.tenantId, environment, name, name_folded, definition_id, created_at, created_by]);
}

/** False if the tag is not on that definition. */
export async function removeTag(
  tx: TenantTx,
  { environment, name, definitionId }: { environment: Environment; name: string; definitionId: string },
): Promise<boolean> {
  return (await tx.run(REMOVE, [tx.tenantId, environment, name, definitionId])) === 1;
}

export async function pageTags(
  db: TenantReads,
  { environment, pattern }: { environment: Environment; pattern: string | undefined },
  paging: Paging,
): Promise<{ rows: TagView[]; total: number }> {
  const wanted = [db.tenantId, environment, ...(pattern === undefined ? [] : [pattern])];
  const counted = await db.get<{ total: number }>(tagsStatement(pattern !== undefined), wanted);
  const rows = await db.all<TagView>(tagsStatement(pattern !== undefined, paging), [
    ...wanted,
    paging.size,
    paging.offset,
  ]);
  return { rows, total: counted?.total ?? 0 };
}

/** Counts without a paging. */
function tagsStatement(filtered: boolean, paging?: Paging): Sql {
  const [size, offset] = filtered ? [4, 5] : [3, 4];
  // The name is the id of a tag: it breaks ties.
  const tags = `(SELECT t.name AS id, t.environment, t.name, t.name_folded, t.definition_id, t.created_at, t.created_by,
      d.name AS definition_name, d.version AS definition_version
    FROM process_definition_tags t JOIN process_definitions d ON d.tenant_id = t.tenant_id AND d.id = t.definition_id
    WHERE ${SEEN} ${filtered ? "AND t.name_folded LIKE $3 ESCAPE '\\'" : ''}) AS tags`;
  if (!paging) return keptStatement(`SELECT count(*) AS total FROM ${tags}`);
  const text = `SELECT ${COLUMNS}, definition_name, definition_version FROM ${tags}
    ORDER BY ${paging.orderBy} LIMIT $${size} + 0 OFFSET $${offset} + 0`;
  return pageStatement(paging, text);
}
