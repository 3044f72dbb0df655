import type { TenantReads } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { findTheme } from './themes.repository.ts';

/** Whether a definition may name this theme. */
export async function isThemeName(db: TenantReads, name: string, environment: Environment): Promise<boolean> {
  return (await findTheme(db, { environment, theme: name })) !== undefined;
}
