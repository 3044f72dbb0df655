import type { TenantDb, TenantTx } from '../src/db/db.ts';
import { newId } from '../src/kernel/ids.ts';
import { fold } from '../src/kernel/pages.ts';
import { addDefinition, type DefinitionRow } from '../src/process-manager/definitions/definitions.repository.ts';
import type { Definition } from '../src/process-manager/engine/definition.ts';
import { addToken, type TokenRow } from '../src/process-manager/tokens/process-tokens.repository.ts';

/** Definitions and tokens as they are stored, for the tests of what is made from them. */
const AT = 1_700_000_000_000;

export async function addTestDefinition(
  db: TenantDb,
  more: Partial<Definition> & { version?: number; status?: DefinitionRow['status'] } = {},
): Promise<DefinitionRow> {
  const { version = 1, status = 'DEPLOYED_ACTIVE', ...overrides } = more;
  const document: Definition = {
    name: 'test-process',
    processDefinitionType: 'VERIFICATION',
    retentionDays: 30,
    theme: 'default',
    maxDuration: 'PT48H',
    attributes: { searchable: [] },
    steps: [{ id: 'decide', type: 'decision', onAnyFailure: 'FAIL' }],
    ...overrides,
  };
  const row: DefinitionRow = {
    id: newId(AT),
    environment: 'live',
    name: document.name,
    name_folded: fold(document.name),
    version,
    status,
    description: null,
    definition_type: document.processDefinitionType,
    retention_days: document.retentionDays,
    document: JSON.stringify(document),
    created_at: AT,
    created_by: 'Test',
    last_updated_at: AT,
    last_updated_by: 'Test',
    deployed_at: status === 'EDITABLE' ? null : AT,
  };
  await db.write((tx) => addDefinition(tx, row));
  return row;
}

let tokens = 0;

export async function addTestToken(
  db: TenantDb,
  definition: Pick<DefinitionRow, 'id' | 'name' | 'version'>,
  more: Partial<TokenRow> = {},
): Promise<TokenRow> {
  return db.write((tx) => insertTestToken(tx, definition, more));
}

async function insertTestToken(
  tx: TenantTx,
  definition: Pick<DefinitionRow, 'id' | 'name' | 'version'>,
  more: Partial<TokenRow>,
): Promise<TokenRow> {
  tokens += 1;
  const name = more.name ?? `test token ${tokens}`;
  const row: TokenRow = {
    id: newId(AT),
    environment: 'live',
    name,
    name_folded: fold(name),
    description: null,
    process_defn_name: definition.name,
    process_defn_version: definition.version,
    process_defn_tag: null,
    definition_id: definition.id,
    ui_url: null,
    status: 'ACTIVE',
    type: 'UNLIMITED',
    not_before_at: null,
    not_after_at: null,
    max_count: null,
    counter: 0,
    max_process_duration: 'PT48H',
    for_test: null,
    parameters: '{}',
    created_at: AT,
    created_by: 'Test',
    last_updated_at: AT,
    last_updated_by: 'Test',
    ...more,
  };
  await addToken(tx, row);
  return row;
}

/** More would only wait for a connection, and on a busy machine too long. */
const AT_ONCE = 64;

/** Runs the work that many times, with as many at once as is useful. */
export async function inParallel<T>(times: number, work: () => Promise<T>): Promise<PromiseSettledResult<T>[]> {
  let remaining = times;
  const results: PromiseSettledResult<T>[] = [];
  const worker = async () => {
    while (remaining > 0) {
      remaining -= 1;
      results.push(...(await Promise.allSettled([work()])));
    }
  };
  await Promise.all(Array.from({ length: Math.min(times, AT_ONCE) }, worker));
  return results;
}
