import { appliedMigrations, planMigrations, readMigrations } from '../db/migrate.ts';
import type { View } from '../db/view.ts';
import { type Check, fault, ok, warning } from './check.ts';

export async function checkMigrations(view: View): Promise<Check[]> {
  const name = 'migrations';
  const done = await appliedMigrations(view);
  try {
    const { applied, pending } = planMigrations(done, readMigrations());
    if (pending.length === 0) return [ok(name, `All ${applied.length} are applied.`)];
    const names = pending.map((each) => each.name).join(', ');
    return [warning(name, `Not yet applied: ${names}.`, 'Run grove migrate; the next start does so, too.')];
  } catch (error) {
    return [fault(name, (error as Error).message, 'Run the release that made this database, or a later one.')];
  }
}
