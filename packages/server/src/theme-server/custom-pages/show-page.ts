import type { Db, TenantReads } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { findDeployedPage } from './custom-pages.repository.ts';
import { findShownFile } from './page-files.repository.ts';
import { labelOf, readLabel } from './page-label.ts';

/** A file of a page, for everybody who knows the URL. */
export type ShownFile = {
  readonly tenantId: TenantId;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  /** True for a preview, which must not be cached. */
  readonly preview: boolean;
};

const PATH = /^[A-Za-z0-9._/-]{0,200}$/;

/**
 * Finds the file at a path below the label of a page. The empty path shows `index.html`; other folders have no index.
 */
export function pageFileFinder({ db, clock }: { db: Db; clock: Clock }) {
  return async (label: string, path: string): Promise<ShownFile | undefined> => {
    const labelParts = readLabel(label);
    // No stored file has another name. Some of these names would also be refused by the database.
    if (!labelParts || !PATH.test(path)) return undefined;
    const { tenantId, hash } = labelParts;
    const filePath = path === '' ? 'index.html' : path;
    const row = await findShownFile(db.of(tenantId), { hash, path: filePath, now: clock.now() });
    if (!row) return undefined;
    const { content_type: contentType, content: bytes, sha256, preview } = row;
    return { tenantId, contentType, bytes, sha256, preview: preview === 1 };
  };
}

/** Returns the label of the version that journeys show now. */
export async function deployedLabel(
  db: TenantReads,
  environment: Environment,
  name: string,
): Promise<string | undefined> {
  const row = await findDeployedPage(db, { environment, name });
  return row && labelOf(db.tenantId, row.hash);
}

/** Whether a definition may name this page. */
export async function isPageName(db: TenantReads, name: string, environment: Environment): Promise<boolean> {
  return (await findDeployedPage(db, { environment, name })) !== undefined;
}
