import type { TenantTx } from '../../db/db.ts';
import { statement } from '../../db/sql/statement.ts';
import { type Erasable, REPLAYED_BY } from '../../erasure-log/replay-erasures.ts';
import { ApiError, isGone } from '../../kernel/errors.ts';
import { isFinal } from '../engine/state.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import { lockChain } from '../instances/lock-chain.ts';
import { recordEvent } from '../instances/notify-events.ts';
import { type InstanceRow, redactRows } from '../instances/process-instances.repository.ts';
import type { Drive } from '../runtime/drive.ts';
import { instancesAmong, oldestInstance } from './among-instances.repository.ts';
import type { Deletion } from './begin-erasure.ts';
import type { DeleteInstanceDeps } from './delete-instance.ts';
import { type DeletedRow, lockDescendants } from './due.repository.ts';
import { forgetParameters } from './forget-parameters.ts';
import { REDACTING_TEXTS } from './instance-parts.ts';
import { redactChecks } from './redact-checks.ts';

export type RedactInstanceDeps = Omit<DeleteInstanceDeps, 'drive'>;

export type Redaction = Omit<Deletion, 'reason'>;

const CHANGES = REDACTING_TEXTS.map((text) => statement(text));

/**
 * Removes the personal data of an instance and its descendants, and keeps the decisions. The caller has locked the chain
 * down to the instance. An instance that was redacted before stays unchanged.
 */
export async function redactInChain(
  tx: TenantTx,
  chain: readonly InstanceRow[],
  redaction: Redaction,
  deps: RedactInstanceDeps,
): Promise<void> {
  const row = chain.at(-1) as InstanceRow;
  if (row.redacted_at !== null) return;
  const descendants = await lockDescendants(tx, [row]);
  if (![...chain, ...descendants].every(({ status }) => isFinal(status))) {
    throw new ApiError(100056, { detail: 'the journey is under way: it can be redacted after it has ended' });
  }
  await redactInstances(tx, [row, ...descendants], redaction, deps);
}

/** The caller has locked the rows. */
async function redactInstances(
  tx: TenantTx,
  all: readonly DeletedRow[],
  redaction: Redaction,
  { vault, beginErasure, notifyEvents }: RedactInstanceDeps,
): Promise<void> {
  const rows = all.filter(({ redacted_at }) => redacted_at === null);
  const { at } = redaction;
  const ids = rows.map(({ id }) => id);
  await beginErasure(tx, rows, { ...redaction, reason: 'REDACTION' });
  await vault.destroySubjects(tx, ids.map(instanceSubject));
  await redactChecks(tx, ids);
  for (const change of CHANGES) change.send(tx, { ids });
  await redactRows(tx, rows, at);
  const tokenIds = new Set(rows.flatMap(({ token_id }) => token_id ?? []));
  await forgetParameters(tx, [...tokenIds], at);
  for (const row of rows) {
    await recordEvent({ tx, notifyEvents, now: at }, row, { type: 'instance.redacted', status: row.status });
  }
}

/** Repeats the redaction of instances that a backup brought back. A journey that is running in the backup ends first. */
export function redactedInstances(deps: RedactInstanceDeps & { drive: Pick<Drive, 'apply'> }): Erasable {
  const redact = async (tx: TenantTx, id: string, at: number): Promise<boolean> => {
    const before = (await lockChain(tx, id)).at(-1) as InstanceRow;
    if (before.redacted_at !== null) return false;
    for (const each of [before, ...(await lockDescendants(tx, [before]))]) {
      if (!isFinal(each.status)) await deps.drive.apply(tx, each.id, { type: 'cancel' }, at);
    }
    const row = (await lockChain(tx, id)).at(-1) as InstanceRow;
    await redactInstances(tx, [row, ...(await lockDescendants(tx, [row]))], { by: REPLAYED_BY, at }, deps);
    return true;
  };
  return {
    kind: 'redacted-instance',
    oldest: oldestInstance,
    async eraseAgain(db, ids, at) {
      let redacted = 0;
      for (const id of await instancesAmong(db, ids)) {
        if (await db.write((tx) => redact(tx, id, at)).catch(isGone)) redacted += 1;
      }
      return redacted;
    },
  };
}
