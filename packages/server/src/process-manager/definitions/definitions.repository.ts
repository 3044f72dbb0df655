import type { TenantReads, TenantTx } from '../../db/db.ts';
import { lockName } from '../../db/named-lock.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { NAME_FILTER } from '../../db/sql/list.ts';
import { query } from '../../db/sql/statement.ts';
import { integer, optional, type RowOf, TRACKED, table, text, WITH_NAME } from '../../db/sql/table.ts';
import { type Environment, seenFrom } from '../../kernel/environment.ts';

export type DefinitionStatus = 'EDITABLE' | 'DEPLOYED_ACTIVE' | 'ARCHIVED';

const definitions = table('process_definitions', {
  ...WITH_NAME,
  version: integer(),
  status: text<DefinitionStatus>(),
  description: optional(text()),
  definition_type: text<'VERIFICATION' | 'AUTHENTICATION'>(),
  retention_days: integer(),
  /** JSON, with all defaults. */
  document: text(),
  ...TRACKED,
  deployed_at: optional(integer()),
});
const { columns } = definitions;
export type DefinitionRow = RowOf<typeof definitions>;

/** The row of a list, without the document, which may be long. */
export type DefinitionView = Omit<DefinitionRow, 'document' | 'name_folded'>;
const VIEW = columns.filter((name) => name !== 'document' && name !== 'name_folded');

/** The sortable properties of a list. Absent values come first, on both engines. */
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

const ONE = 'WHERE tenant_id = :tenant_id AND id = :id';
const BY_NAME = `tenant_id = :tenant_id AND ${seenFrom(':environment')} AND name = :name` as const;
const ONE_VERSION = definitions.select(
  columns,
  `WHERE ${BY_NAME} AND version = :version
  ORDER BY CASE status WHEN 'DEPLOYED_ACTIVE' THEN 0 ELSE 1 END, environment DESC LIMIT 1`,
);
const NEWEST_DEPLOYED = definitions.select(
  columns,
  `WHERE ${BY_NAME} AND status = 'DEPLOYED_ACTIVE' ORDER BY environment DESC, version DESC LIMIT 1`,
);
const VERSIONS = query<{ total: number; newest: number }>()(`SELECT count(*) AS total,
  coalesce(max(version), 0) AS newest FROM process_definitions
  WHERE tenant_id = :tenant_id AND environment = :environment AND name = :name`);

export const findDefinition = definitions.select(columns, ONE).get;

/**
 * Ensures that one transaction at a time changes the definitions and tags of a tenant. They change seldom, and many rules
 * concern several of them: the next version, the number of tags, circles of subprocesses.
 */
export function lockDefinitions(tx: TenantTx): void {
  lockName(tx, 'process_definitions');
}

/** Locks the version, so that it stays deployed until the transaction ends. */
export const findDefinitionForUpdate = definitions.select(columns, `${ONE} ${FOR_UPDATE}`).get;

/**
 * Without a version, finds the newest deployed one; a test caller gets the newest deployed test version if there is one. With
 * a version, finds that one whatever its status, so that the caller can distinguish "not deployed" from "not found".
 */
export function findDeployed(
  db: TenantReads,
  { environment, name, version }: { environment: Environment; name: string; version?: number | undefined },
): Promise<DefinitionRow | undefined> {
  return version === undefined
    ? NEWEST_DEPLOYED.get(db, { environment, name })
    : ONE_VERSION.get(db, { environment, name, version });
}

/** The version with the tag in that environment. */
export const findTagged = definitions.select(
  columns,
  `WHERE tenant_id = :tenant_id AND id = (SELECT definition_id FROM process_definition_tags WHERE ${BY_NAME}
    ORDER BY environment DESC LIMIT 1)`,
).get;

export const countDefinitions = definitions.count('WHERE tenant_id = :tenant_id AND environment = :environment');

/** The number of versions of a name in an environment, and the number of the newest one; 0 if there are none. */
export async function versionsOf(
  db: TenantReads,
  environment: Environment,
  name: string,
): Promise<{ total: number; newest: number }> {
  const row = await VERSIONS.get(db, { environment, name });
  return row ?? { total: 0, newest: 0 };
}

export const addDefinition = definitions.insert().run;

export const changeDefinition = definitions.update(
  ['description', 'definition_type', 'retention_days', 'document', 'last_updated_at', 'last_updated_by'],
  `${ONE} AND status = 'EDITABLE'`,
).run;

export const setStatus = definitions.update(['status', 'deployed_at', 'last_updated_at', 'last_updated_by'], ONE).run;
export const removeDefinition = definitions.delete(ONE).run;

/** `only` is the environment of the filter, `environment` that of the caller. */
export const pageDefinitions = definitions.list(VIEW, `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')}`, {
  ...NAME_FILTER,
  only: 'AND environment = :only',
  status: 'AND status = :status',
});
