import type { Audit } from '../../audit/audit.ts';
import type { Db, TenantDb } from '../../db/db.ts';
import type { Scrub } from '../../db/sqlite/scrub.ts';
import type { Blobs } from '../../engines/blobs/blobs.ts';
import type { ErasureLog } from '../../erasure-log/erasure-log.ts';
import { type ErasedKind, MAX_IDS_OF_ENTRY } from '../../erasure-log/log-entries.ts';
import { defineJob, type JobDefinition } from '../../jobs/define-job.ts';
import { oneAtATime, type PassOf } from '../../jobs/one-at-a-time.ts';
import { UNTIL_ERASED } from '../../jobs/patience.ts';
import { SECOND, toDtm } from '../../kernel/clock.ts';
import type { Platform } from '../../kernel/feature.ts';
import type { SignDocument } from '../../kernel/sign-document.ts';
import { deletions, type ErasureRow, type ErasureStore, redactions } from './erasures.repository.ts';

/** Without ids, all unfinished erasures of the tenant. */
export type FinishErasures = { ids?: readonly string[] };

export type FinishDeps = Pick<Platform, 'db' | 'clock' | 'baseUrlOf' | 'everyTenantId'> & {
  blobs: Pick<Blobs, 'deleteAll'>;
  scrub: Scrub;
  sign: SignDocument;
  erasureLog: Pick<ErasureLog, 'writeDown'>;
  audit: Pick<Audit, 'recordAll'>;
};

/** How each kind of erasure is written to the log outside the database, and whether its end is audited. */
const KINDS = [
  { store: deletions, kind: 'instance', action: 'instance.erased' },
  { store: redactions, kind: 'redacted-instance', action: undefined },
] as const satisfies readonly { store: ErasureStore; kind: ErasedKind; action: 'instance.erased' | undefined }[];
type Kind = (typeof KINDS)[number];

/** Each batch costs one scrub of the files and one entry of the log, however many instances it has. */
const BATCH = MAX_IDS_OF_ENTRY;

/**
 * The second half of every deletion and redaction: removes the blobs, scrubs the files, signs the receipt, and only then
 * confirms the erasure. Every step can be repeated, so after a crash the work begins again with the first one.
 */
export type Finisher = {
  all: PassOf;
  /** Finishes the erasures up to a moment. */
  leftBehind(db: TenantDb, deletedUntil: number, signal?: AbortSignal): Promise<void>;
  some(db: TenantDb, ids: readonly string[], signal?: AbortSignal): Promise<void>;
};

export function erasureFinisher(deps: FinishDeps): Finisher {
  const { blobs, scrub, sign, erasureLog, audit, clock } = deps;

  const confirm = async (db: TenantDb, { store, action }: Kind, rows: readonly ErasureRow[]) => {
    const at = clock.now();
    const receiptOf = async (row: ErasureRow) => {
      const claims = receiptClaims(row, { tenantId: db.tenantId, at, deps });
      return [row.instance_id, (await sign.claims('grove-erasure+jwt', claims)).jws] as const;
    };
    const receipts = await Promise.all(rows.map(receiptOf));
    await db.write(async (tx) => {
      const confirmed = await store.confirm(tx, { at, receipts });
      if (!action) return;
      const own = rows.filter(({ instance_id }) => confirmed.has(instance_id));
      const change = { action, actor: 'Erasure', at } as const;
      await audit.recordAll(
        tx,
        own.map(({ instance_id, environment }) => ({ ...change, environment, instanceId: instance_id })),
      );
    });
  };

  const finish = async (db: TenantDb, kind: Kind, rows: readonly ErasureRow[], signal?: AbortSignal) => {
    if (rows.length === 0) return;
    signal?.throwIfAborted();
    await blobs.deleteAll(rows.flatMap(({ blob_keys }) => JSON.parse(blob_keys) as string[]));
    await scrub();
    // The log comes first: no receipt is signed for data that an older copy of the database would bring back.
    const ids = rows.map(({ instance_id }) => instance_id);
    await erasureLog.writeDown({ tenantId: db.tenantId, kind: kind.kind, ids });
    signal?.throwIfAborted();
    await confirm(db, kind, rows);
  };

  const leftBehind = async (db: TenantDb, deletedUntil: number, signal?: AbortSignal) => {
    for (const kind of KINDS) {
      for (let more = true; more; ) {
        const rows = await kind.store.unfinished(db, { deletedUntil, limit: BATCH });
        await finish(db, kind, rows, signal);
        more = rows.length === BATCH;
      }
    }
  };
  return {
    all: oneAtATime((db, signal) => leftBehind(db, Number.MAX_SAFE_INTEGER, signal)),
    leftBehind,
    async some(db, ids, signal) {
      for (const kind of KINDS) await finish(db, kind, await kind.store.unfinishedAmong(db, ids), signal);
    },
  };
}

/** A single server finishes all erasures in one pass; several servers share them by ids. */
export function finishErasuresJob(
  finisher: Pick<Finisher, 'all' | 'some'>,
  { isSingleServer }: Pick<Db, 'isSingleServer'>,
): JobDefinition<FinishErasures> {
  return defineJob<FinishErasures>({
    kind: 'process-manager.finish-erasures',
    does: 'removes blobs, scrubs the database files, signs the receipt',
    ...UNTIL_ERASED,
    run: ({ ids }, { tenant, signal }) =>
      ids === undefined || isSingleServer ? finisher.all(tenant(), signal) : finisher.some(tenant(), ids, signal),
  });
}

/** Finishes at once what a killed server left, because the leases of its jobs last up to another minute. */
export async function finishAllErasures(
  { db, everyTenantId }: Pick<FinishDeps, 'db' | 'everyTenantId'>,
  finish: PassOf,
  signal: AbortSignal,
): Promise<void> {
  for await (const tenantId of everyTenantId()) {
    signal.throwIfAborted();
    await finish(db.of(tenantId), signal);
  }
}

type Confirmation = { tenantId: string; at: number; deps: { baseUrlOf(tenantId: string): string } };

/** The claims of a receipt: which instance was deleted, when, by whom and why, how much it was, and when it was gone. */
function receiptClaims(row: ErasureRow, { tenantId, at, deps }: Confirmation) {
  return {
    iss: deps.baseUrlOf(tenantId),
    aud: tenantId,
    sub: row.instance_id,
    iat: Math.floor(at / SECOND),
    processDefnId: row.definition_id,
    environment: row.environment,
    reason: row.reason,
    createdDtm: toDtm(row.created_at),
    deletedDtm: toDtm(row.deleted_at),
    deletedBy: row.deleted_by,
    rowsRemoved: row.rows_removed,
    blobsRemoved: row.blobs_removed,
    confirmedDtm: toDtm(at),
  };
}
