import type { Audit } from '../../audit/audit.ts';
import type { Db, TenantDb } from '../../db/db.ts';
import type { Scrub } from '../../db/sqlite/scrub.ts';
import type { Blobs } from '../../engines/blobs/blobs.ts';
import type { ErasureLog } from '../../erasure-log/erasure-log.ts';
import { MAX_IDS_OF_ENTRY } from '../../erasure-log/log-entries.ts';
import { defineJob, type JobDefinition } from '../../jobs/define-job.ts';
import { oneAtATime } from '../../jobs/one-at-a-time.ts';
import { UNTIL_ERASED } from '../../jobs/patience.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { TenantId } from '../../kernel/ids.ts';
import type { SignDocument } from '../../kernel/sign-document.ts';
import { confirmErasure, type ErasureRow, unfinishedErasures } from './erasures.repository.ts';
import { receiptClaims } from './receipt-claims.ts';

export type FinishErasures = Record<never, never>;

export type FinishDeps = {
  db: Db;
  clock: Clock;
  blobs: Pick<Blobs, 'delete'>;
  scrub: Scrub;
  sign: SignDocument;
  erasureLog: Pick<ErasureLog, 'writeDown'>;
  audit: Pick<Audit, 'record'>;
  baseUrlOf(tenantId: string): string;
  everyTenantId(): AsyncIterable<TenantId>;
};

/** Each batch costs one scrub of the files and one entry of the log, however many instances it has. */
const BATCH = MAX_IDS_OF_ENTRY;
const BLOBS_AT_ONCE = 8;

/**
 * The second half of every deletion: blobs go, files are scrubbed, the receipt is signed, and only then is the erasure
 * confirmed. Every step can be done again, so whoever comes after a crash begins at the first.
 */
export type FinishErasuresOf = (db: TenantDb, signal?: AbortSignal) => Promise<void>;

export function erasureFinisher(deps: FinishDeps): FinishErasuresOf {
  const { blobs, scrub, sign, erasureLog, audit, clock } = deps;

  const confirm = async (db: TenantDb, row: ErasureRow) => {
    const at = clock.now();
    const { jws } = await sign.claims('grove-erasure+jwt', receiptClaims(row, { tenantId: db.tenantId, at, deps }));
    await db.write(async (tx) => {
      const { instance_id: instanceId, environment } = row;
      if (!(await confirmErasure(tx, { instanceId, at, receipt: jws }))) return;
      await audit.record(tx, { action: 'instance.erased', environment, actor: 'Erasure', at, instanceId });
    });
  };

  const finish = async (db: TenantDb, signal?: AbortSignal) => {
    for (let more = true; more; ) {
      const rows = await unfinishedErasures(db, BATCH);
      if (rows.length === 0) return;
      more = rows.length === BATCH;
      const keys = rows.flatMap(({ blob_keys }) => JSON.parse(blob_keys) as string[]);
      for (let from = 0; from < keys.length; from += BLOBS_AT_ONCE) {
        signal?.throwIfAborted();
        await Promise.all(keys.slice(from, from + BLOBS_AT_ONCE).map((key) => blobs.delete(key)));
      }
      await scrub();
      // No receipt for what an older copy of the database would bring back.
      const ids = rows.map(({ instance_id }) => instance_id);
      await erasureLog.writeDown({ tenantId: db.tenantId, kind: 'instance', ids });
      signal?.throwIfAborted();
      for (let from = 0; from < rows.length; from += BLOBS_AT_ONCE) {
        await Promise.all(rows.slice(from, from + BLOBS_AT_ONCE).map((row) => confirm(db, row)));
      }
    }
  };
  return oneAtATime(finish);
}

export function finishErasuresJob(finish: FinishErasuresOf): JobDefinition<FinishErasures> {
  return defineJob<FinishErasures>({
    kind: 'process-manager.finish-erasures',
    does: 'removes blobs, scrubs the database files, signs the receipt',
    ...UNTIL_ERASED,
    run: (_payload, { tenant, signal }) => finish(tenant(), signal),
  });
}

/** What a server that was killed left behind, at once: the leases of its jobs last up to a minute longer. */
export async function finishAllErasures(
  { db, everyTenantId }: Pick<FinishDeps, 'db' | 'everyTenantId'>,
  finish: FinishErasuresOf,
  signal: AbortSignal,
): Promise<void> {
  for await (const tenantId of everyTenantId()) {
    signal.throwIfAborted();
    await finish(db.of(tenantId), signal);
  }
}
