import type { TenantReads } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { findProcessSettings, type ProcessSettings } from './settings.repository.ts';

/** How many persons each API key of an environment may read in an hour. */
export async function readBudgetOf(db: TenantReads, environment: Environment): Promise<ProcessSettings['readBudget']> {
  return (await findProcessSettings(db, environment)).readBudget;
}
