import type { TenantTx } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { fold } from '../../kernel/pages.ts';
import type { Definition } from '../engine/definition.ts';
import {
  addDefinition,
  countDefinitions,
  type DefinitionRow,
  findDefinitionForUpdate,
  lockDefinitions,
  versionsOf,
} from './definitions.repository.ts';

/** How versions of definitions are stored. */
const MAX_VERSIONS_OF_A_NAME = 1000;
const MAX_DEFINITIONS_PER_TENANT = 10_000;

/** The row as it stays until the transaction ends. */
export async function lockedDefinition(tx: TenantTx, id: string): Promise<DefinitionRow> {
  await lockDefinitions(tx);
  const row = await findDefinitionForUpdate(tx, id);
  if (!row) throw new ApiError(100023);
  return row;
}

type NewVersion = { now: number; by: string; deployed?: boolean };

/** Adds the next version of the name that the definition has. */
export async function storeNewVersion(
  tx: TenantTx,
  definition: Definition,
  { now, by, deployed = false }: NewVersion,
): Promise<Omit<DefinitionRow, 'tenant_id'>> {
  await lockDefinitions(tx);
  const { total, newest } = await versionsOf(tx, definition.name);
  if (total >= MAX_VERSIONS_OF_A_NAME) {
    throw new ApiError(100065, { detail: `there are ${total} versions of this process definition` });
  }
  const all = await countDefinitions(tx);
  if (all >= MAX_DEFINITIONS_PER_TENANT) throw new ApiError(100065, { detail: `there are ${all} process definitions` });
  const row: Omit<DefinitionRow, 'tenant_id'> = {
    ...columnsOf(definition),
    id: newId(now),
    name: definition.name,
    name_folded: fold(definition.name),
    version: newest + 1,
    status: deployed ? 'DEPLOYED_ACTIVE' : 'EDITABLE',
    created_at: now,
    created_by: by,
    last_updated_at: now,
    last_updated_by: by,
    deployed_at: deployed ? now : null,
  };
  await addDefinition(tx, row);
  return row;
}

/** What the document says, in columns of its own where lists show it. */
export function columnsOf(definition: Definition) {
  return {
    description: definition.description ?? null,
    definition_type: definition.processDefinitionType,
    retention_days: definition.retentionDays,
    document: JSON.stringify(definition),
  };
}
