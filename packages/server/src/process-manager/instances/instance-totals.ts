import { addToCounters, type Counter, countersBetween } from '../../db/counters.ts';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import type { InstanceStatus } from '../engine/state.ts';

/**
 * Counters of instances for each environment, definition and status, written in the transactions that create, move and
 * delete instances. Every total that a list needs is a sum of a few rows.
 */
type Group = { environment: string; definition_id: string; status: InstanceStatus };

export type Total = { definitionId: string; status: InstanceStatus; total: number };

const nameOf = ({ environment, definition_id, status }: Group) => `instances/${environment}/${definition_id}/${status}`;

export const countOf = (group: Group): Counter => ({ name: nameOf(group), value: 1 });

export async function discountAll(tx: TenantTx, rows: readonly Group[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1);
  addToCounters(
    tx,
    [...counts].map(([name, count]) => ({ name, value: -count })),
  );
}

export async function moveOne(tx: TenantTx, from: Group, to: Group): Promise<void> {
  addToCounters(tx, [
    { name: nameOf(from), value: -1 },
    { name: nameOf(to), value: 1 },
  ]);
}

/** The totals of an environment, or of one definition in it, that are not zero. */
export async function totalsOf(db: TenantReads, environment: string, definitionId?: string): Promise<Total[]> {
  const prefix = definitionId === undefined ? `instances/${environment}/` : `instances/${environment}/${definitionId}/`;
  // The character after the slash: everything that begins with the prefix lies between the two.
  const counters = await countersBetween(db, { from: prefix, to: `${prefix.slice(0, -1)}0` });
  return counters.flatMap(({ name, value }) => {
    const [, , id = '', status = ''] = name.split('/');
    return value > 0 ? [{ definitionId: id, status: status as InstanceStatus, total: value }] : [];
  });
}
