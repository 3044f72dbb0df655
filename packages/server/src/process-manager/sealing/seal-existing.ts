import { getPersonalSeal, type TenantDb, type TenantTx } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
import type { Scrub } from '../../db/sqlite/scrub.ts';
import { findSetting, putSetting } from '../../db/tenant-settings.ts';
import type { Feature, Platform } from '../../kernel/feature.ts';
import { toStored } from '../instances/instance-seal.ts';
import { addTerms, findStoredInstance, removeTerms } from '../instances/process-instances.repository.ts';
import { setTokenParameters } from '../tokens/process-tokens.repository.ts';

/**
 * Seals data that an earlier release stored unsealed, before requests are served. Its progress is stored with every batch, so
 * a killed start continues where it stopped. SQLite overwrites deleted data, and the log is written into the file at the end.
 */
export type SealExistingDeps = Pick<Platform, 'db' | 'everyTenantId'> & {
  scrub: Scrub;
  /** The data of other features: each seals a batch after an id, and resolves to the ids. */
  others: Readonly<Record<'users' | 'members', (tx: TenantTx, after: string, limit: number) => Promise<string[]>>>;
  onProgress(progress: { tenantId: string; what: string; sealed: number }): void;
};

const BATCH = 500;
const MARK = 'personal.sealed';
const DONE = 'done';

const INSTANCES_AFTER = query<{
  id: string;
}>()(`SELECT id FROM process_instances WHERE tenant_id = :tenant_id AND id > :after AND sealed IS NULL
  AND (parameters <> '{}' OR terms <> '[]' OR name IS NOT NULL OR description IS NOT NULL OR review_comment IS NOT NULL)
  ORDER BY id LIMIT ${BATCH} ${FOR_UPDATE}`);
const SEAL_INSTANCE =
  statement(`UPDATE process_instances SET sealed = :sealed, terms = :terms, first_name = NULL, last_name = NULL,
  email = NULL, phone_number = NULL, review_comment = NULL, extended_terms = NULL, name = NULL, description = NULL,
  parameters = '{}' WHERE tenant_id = :tenant_id AND id = :id`);
const TOKENS_AFTER = query<{ id: string; parameters: string }>()(`SELECT id, parameters FROM process_tokens
  WHERE tenant_id = :tenant_id AND id > :after AND sealed IS NULL AND parameters <> '{}' ORDER BY id LIMIT ${BATCH}
  ${FOR_UPDATE}`);

export function sealExisting(deps: SealExistingDeps): Feature {
  return { prepare: () => sealAll(deps) };
}

async function sealAll({ db, scrub, everyTenantId, others, onProgress }: SealExistingDeps): Promise<void> {
  let any = false;
  const batchOf = (what: 'users' | 'members') => async (tx: TenantTx, after: string) => {
    const ids = await others[what](tx, after, BATCH);
    return { last: ids.at(-1) ?? DONE, sealed: ids.length };
  };
  for await (const tenantId of everyTenantId()) {
    const tenant = db.of(tenantId);
    const parts = {
      instances: sealInstances,
      tokens: sealTokens,
      users: batchOf('users'),
      members: batchOf('members'),
    };
    for (const [what, sealBatch] of Object.entries(parts)) {
      let sealed = 0;
      for (let last = ''; last !== DONE; ) {
        const batch = await sealPart(tenant, what, sealBatch);
        ({ last } = batch);
        sealed += batch.sealed;
        if (batch.sealed > 0) onProgress({ tenantId, what, sealed });
      }
      any ||= sealed > 0;
    }
  }
  if (any) await scrub();
}

type Batch = { last: string; sealed: number };

function sealPart(
  db: TenantDb,
  what: string,
  sealBatch: (tx: TenantTx, after: string) => Promise<Batch>,
): Promise<Batch> {
  const name = `${MARK}.${what}`;
  return db.write(async (tx) => {
    const after = (await findSetting(tx, { name }))?.value ?? '';
    if (after === DONE) return { last: DONE, sealed: 0 };
    const batch = await sealBatch(tx, after);
    await putMark(tx, name, batch.last);
    return batch;
  });
}

async function sealInstances(tx: TenantTx, after: string): Promise<Batch> {
  const ids = await INSTANCES_AFTER.all(tx, { after });
  let sealed = 0;
  for (const { id } of ids) {
    const row = await findStoredInstance(tx, { id });
    if (!row) continue;
    const stored = toStored(await getPersonalSeal(tx), row);
    await removeTerms(tx, row);
    await SEAL_INSTANCE.run(tx, { id, sealed: stored.sealed ?? null, terms: stored.terms });
    await addTerms(tx, stored);
    sealed += 1;
  }
  return { last: ids.at(-1)?.id ?? DONE, sealed };
}

/** Marks a new tenant, which has no data of an earlier release. */
export async function markSealed(tx: TenantTx): Promise<void> {
  for (const what of ['instances', 'tokens', 'users', 'members']) await putMark(tx, `${MARK}.${what}`, DONE);
}

async function sealTokens(tx: TenantTx, after: string): Promise<Batch> {
  const rows = await TOKENS_AFTER.all(tx, { after });
  for (const { id, parameters } of rows) await setTokenParameters(tx, id, parameters);
  return { last: rows.at(-1)?.id ?? DONE, sealed: rows.length };
}

async function putMark(tx: TenantTx, name: string, last: string): Promise<void> {
  await putSetting(tx, { name, value: last, last_updated_at: 0, last_updated_by: 'Sealing' });
}
