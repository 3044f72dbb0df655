import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import type { PageFile } from './check-files.ts';

export type FileRow = { path: string; content_type: string; bytes: number; sha256: string };
export type StoredFile = FileRow & { content: Uint8Array };

const COLUMNS = 'f.path, f.content_type, f.bytes, f.sha256';
const ADD_CONTENT = sql(`INSERT INTO custom_page_contents (tenant_id, sha256, content) VALUES ($1, $2, $3)
  ON CONFLICT (tenant_id, sha256) DO NOTHING`);
const ADD_FILE = sql(`INSERT INTO custom_page_files (tenant_id, page_id, path, content_type, bytes, sha256)
  VALUES ($1, $2, $3, $4, $5, $6)`);
const OF_PAGE = sql(`SELECT ${COLUMNS} FROM custom_page_files f WHERE f.tenant_id = $1 AND f.page_id = $2
  ORDER BY f.path`);
const WITH_CONTENT = `FROM custom_page_files f JOIN custom_page_contents c
  ON c.tenant_id = f.tenant_id AND c.sha256 = f.sha256`;
const CONTENTS = sql(`SELECT ${COLUMNS}, c.content ${WITH_CONTENT} WHERE f.tenant_id = $1 AND f.page_id = $2
  ORDER BY f.path`);
const SHOWN = sql(`SELECT ${COLUMNS}, c.content, CASE WHEN p.hash = $2 THEN 0 ELSE 1 END AS preview
  FROM custom_pages p JOIN custom_page_files f ON f.tenant_id = p.tenant_id AND f.page_id = p.id
  JOIN custom_page_contents c ON c.tenant_id = f.tenant_id AND c.sha256 = f.sha256
  WHERE p.tenant_id = $1 AND f.path = $3
    AND ((p.hash = $2 AND p.status = 'DEPLOYED_ACTIVE') OR (p.preview_hash = $2 AND p.preview_until > $4)) LIMIT 1`);
const FORGET = sql(`DELETE FROM custom_page_contents WHERE tenant_id = $1 AND sha256 = $2
  AND NOT EXISTS (SELECT 1 FROM custom_page_files f WHERE f.tenant_id = $1 AND f.sha256 = $2)`);

export async function addFiles(tx: TenantTx, pageId: string, files: readonly PageFile[]): Promise<void> {
  for (const { path, contentType, sha256, content } of files) {
    await tx.run(ADD_CONTENT, [tx.tenantId, sha256, content]);
    await tx.run(ADD_FILE, [tx.tenantId, pageId, path, contentType, content.length, sha256]);
  }
}

export function filesOf(db: TenantReads, pageId: string): Promise<FileRow[]> {
  return db.all<FileRow>(OF_PAGE, [db.tenantId, pageId]);
}

export function contentsOf(db: TenantReads, pageId: string): Promise<StoredFile[]> {
  return db.all<StoredFile>(CONTENTS, [db.tenantId, pageId]);
}

/** A file as whoever has the address may see it: of a version that is deployed, or of a preview that still stands. */
export function findShownFile(
  db: TenantReads,
  { hash, path, now }: { hash: string; path: string; now: number },
): Promise<(StoredFile & { preview: number }) | undefined> {
  return db.get(SHOWN, [db.tenantId, hash, path, now]);
}

/** Those that no version has any more. The files of the version are gone already. */
export async function forgetContents(tx: TenantTx, files: readonly FileRow[]): Promise<void> {
  for (const { sha256 } of files) await tx.run(FORGET, [tx.tenantId, sha256]);
}
