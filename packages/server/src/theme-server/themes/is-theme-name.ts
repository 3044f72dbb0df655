import type { TenantReads } from '../../db/db.ts';
import { findTheme } from './themes.repository.ts';

/** For definitions that name a theme. */
export async function isThemeName(db: TenantReads, name: string): Promise<boolean> {
  return (await findTheme(db, name)) !== undefined;
}
