import type { TenantTx } from '../../db/db.ts';
import { type Environment, ensureOwn, isSeenFrom } from '../../kernel/environment.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { fold } from '../../kernel/pages.ts';
import { creation } from '../../kernel/tracked.ts';
import type { Definition } from '../engine/definition.ts';
import {
  addDefinition,
  countDefinitions,
  type DefinitionRow,
  findDefinitionForUpdate,
  lockDefinitions,
  versionsOf,
} from './definitions.repository.ts';

/** Stores versions of definitions. */
const MAX_VERSIONS_OF_A_NAME = 1000;
const MAX_DEFINITIONS = 10_000;

/** Locks the row until the transaction ends. Ensures that a caller of that environment sees it. */
export async function lockedDefinition(tx: TenantTx, environment: Environment, id: string): Promise<DefinitionRow> {
  lockDefinitions(tx);
  const row = await findDefinitionForUpdate(tx, { id });
  if (!row || !isSeenFrom(environment, row)) throw new ApiError(100023);
  return row;
}

/** Locks the row for a change. Ensures that it belongs to the environment of the caller. */
export async function ownDefinition(tx: TenantTx, environment: Environment, id: string): Promise<DefinitionRow> {
  const row = await lockedDefinition(tx, environment, id);
  ensureOwn(environment, row, 'process definition');
  return row;
}

type NewVersion = { environment: Environment; now: number; by: string; deployed?: boolean };

/** Adds the next version of the definition's name. Each environment has its own numbers. */
export async function storeNewVersion(
  tx: TenantTx,
  definition: Definition,
  { environment, now, by, deployed = false }: NewVersion,
): Promise<DefinitionRow> {
  lockDefinitions(tx);
  const { total, newest } = await versionsOf(tx, environment, definition.name);
  if (total >= MAX_VERSIONS_OF_A_NAME) {
    throw new ApiError(100065, { detail: `there are ${total} versions of this process definition` });
  }
  const all = await countDefinitions(tx, { environment });
  if (all >= MAX_DEFINITIONS) throw new ApiError(100065, { detail: `there are ${all} process definitions` });
  const row: DefinitionRow = {
    ...columnsOf(definition),
    id: newId(now),
    environment,
    name: definition.name,
    name_folded: fold(definition.name),
    version: newest + 1,
    status: deployed ? 'DEPLOYED_ACTIVE' : 'EDITABLE',
    ...creation(by, now),
    deployed_at: deployed ? now : null,
  };
  await addDefinition(tx, row);
  return row;
}

/** The parts of the document that lists show, as columns. */
export function columnsOf(definition: Definition) {
  return {
    description: definition.description ?? null,
    definition_type: definition.processDefinitionType,
    retention_days: definition.retentionDays,
    document: JSON.stringify(definition),
  };
}
