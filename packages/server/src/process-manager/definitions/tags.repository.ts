import type { TenantReads } from '../../db/db.ts';
import { listOf, NAME_FILTER } from '../../db/sql/list.ts';
import { query } from '../../db/sql/statement.ts';
import { integer, type RowOf, table, text } from '../../db/sql/table.ts';
import { type Environment, seenFrom } from '../../kernel/environment.ts';

const tags = table('process_definition_tags', {
  tenant_id: text(),
  environment: text<Environment>(),
  name: text(),
  name_folded: text(),
  definition_id: text(),
  /** When and by whom the tag was moved to its current version. */
  created_at: integer(),
  created_by: text(),
});
const { columns } = tags;
export type TagRow = RowOf<typeof tags>;

export type TagView = TagRow & { definition_name: string; definition_version: number };

export const SORTABLE_TAGS = {
  name: 'name_folded',
  environment: 'environment',
  processDefinitionId: 'definition_id',
  processDefnName: 'definition_name',
  processDefnVersion: 'definition_version',
  createdDtm: 'created_at',
  createdBy: 'created_by',
} as const;

/** The tags that a caller sees: a test tag replaces the live tag of the same name. */
const VISIBLE_TAGS = `t.tenant_id = :tenant_id AND ${seenFrom(':environment', 't.environment')} AND NOT EXISTS (SELECT 1
  FROM process_definition_tags own WHERE own.tenant_id = :tenant_id AND own.environment = :environment
  AND own.name = t.name
    AND own.environment <> t.environment)` as const;
const FROM = 'FROM process_definition_tags t';
const OF_ONE = query<{ name: string }>()(
  `SELECT name ${FROM} WHERE ${VISIBLE_TAGS} AND definition_id = :definitionId ORDER BY name`,
);
const OF_ALL = query<Pick<TagRow, 'name' | 'definition_id'>>()(
  `SELECT name, definition_id ${FROM} WHERE ${VISIBLE_TAGS} ORDER BY name`,
);

export const findTag = tags.select(
  columns,
  'WHERE tenant_id = :tenant_id AND environment = :environment AND name = :name',
).get;

export async function tagsOf(db: TenantReads, environment: Environment, definitionId: string): Promise<string[]> {
  const rows = await OF_ONE.all(db, { environment, definitionId });
  return rows.map(({ name }) => name);
}

/** The tags of each definition. A tenant has so few tags that it is cheaper to read all of them than those of a page. */
export async function tagsByDefinition(
  db: TenantReads,
  environment: Environment,
): Promise<ReadonlyMap<string, string[]>> {
  const rows = await OF_ALL.all(db, { environment });
  const tags = new Map<string, string[]>();
  for (const { name, definition_id } of rows) tags.set(definition_id, [...(tags.get(definition_id) ?? []), name]);
  return tags;
}

export const countTags = tags.count('WHERE tenant_id = :tenant_id AND environment = :environment');

export const putTag =
  tags.insert(`ON CONFLICT (tenant_id, environment, name) DO UPDATE SET definition_id = excluded.definition_id,
    created_at = excluded.created_at, created_by = excluded.created_by`).run;

export const removeTag = tags.delete(
  'WHERE tenant_id = :tenant_id AND environment = :environment AND name = :name AND definition_id = :definitionId',
).changes;

// The name is the id of a tag, so it breaks ties.
export const pageTags = listOf<TagView>()(
  `${columns.join(', ')}, definition_name, definition_version`,
  `FROM (SELECT t.tenant_id, t.name AS id, t.environment, t.name, t.name_folded, t.definition_id, t.created_at,
      t.created_by, d.name AS definition_name, d.version AS definition_version
    FROM process_definition_tags t JOIN process_definitions d ON d.tenant_id = t.tenant_id AND d.id = t.definition_id
    WHERE ${VISIBLE_TAGS}) AS tags WHERE tenant_id = :tenant_id`,
  { filters: NAME_FILTER },
);
