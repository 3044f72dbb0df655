import { api } from '@grove/contract';
import type { TenantReads } from '../db/db.ts';
import { implement } from '../kernel/implement.ts';
import { operatorName } from '../kernel/operator-name.ts';
import { activeAmong, activeOperators } from './operators.repository.ts';
import { ensureLive } from './role-rules.ts';

export async function operatorNames(db: TenantReads, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = ids.length === 0 ? [] : await activeAmong(db, { ids });
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The name under which an active operator is shown as a reviewer. */
export async function reviewerName(db: TenantReads, operatorId: string): Promise<string | undefined> {
  const [row] = await activeAmong(db, { ids: [operatorId] });
  return row && operatorName(row);
}

export function colleagueHandlers() {
  return implement(api.colleagues, {
    async list({ db, principal }) {
      // A person who works in test alone may still mention colleagues.
      if (!principal.operator) ensureLive(principal);
      const rows = await activeOperators(db);
      return { colleagues: rows.map(({ id, name }) => ({ operatorId: id, name })) };
    },
  });
}
