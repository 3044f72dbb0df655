import type { TenantReads, TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';
import type { PageFile } from './check-files.ts';

export type FileRow = { path: string; content_type: string; bytes: number; sha256: string };
export type StoredFile = FileRow & { content: Uint8Array };

const COLUMNS = 'f.path, f.content_type, f.bytes, f.sha256';
const ADD_CONTENT =
  statement(`INSERT INTO custom_page_contents (tenant_id, sha256, content) VALUES (:tenant_id, :sha256, :content)
  ON CONFLICT (tenant_id, sha256) DO NOTHING`);
const ADD_FILE = statement(`INSERT INTO custom_page_files (tenant_id, page_id, path, content_type, bytes, sha256)
  VALUES (:tenant_id, :pageId, :path, :contentType, :length, :sha256)`);
const CONTENT = query<Pick<StoredFile, 'content'>>()(
  'SELECT content FROM custom_page_contents WHERE tenant_id = :tenant_id AND sha256 = :sha256',
);
const FORGET = statement(`DELETE FROM custom_page_contents WHERE tenant_id = :tenant_id AND sha256 = :sha256
  AND NOT EXISTS (SELECT 1 FROM custom_page_files f WHERE f.tenant_id = :tenant_id AND f.sha256 = :sha256)`);

export async function addFiles(tx: TenantTx, pageId: string, files: readonly PageFile[]): Promise<void> {
  for (const { path, contentType, sha256, content } of files) {
    await ADD_CONTENT.run(tx, { sha256, content });
    await ADD_FILE.run(tx, { pageId, path, contentType, length: content.length, sha256 });
  }
}

export const filesOf =
  query<FileRow>()(`SELECT ${COLUMNS} FROM custom_page_files f WHERE f.tenant_id = :tenant_id AND f.page_id = :pageId
  ORDER BY f.path`).all;

/** Throws if the file was deleted meanwhile. */
export async function contentOf(db: TenantReads, { sha256 }: FileRow): Promise<Uint8Array> {
  const row = await CONTENT.get(db, { sha256 });
  if (!row) throw new Error('the file of the custom page was deleted');
  return row.content;
}

/** Finds a file that everybody with the URL may see: of a deployed version, or of a preview that has not expired. */
export const findShownFile = query<
  StoredFile & { preview: number }
>()(`SELECT ${COLUMNS}, c.content, CASE WHEN p.hash = :hash THEN 0 ELSE 1 END AS preview
  FROM custom_pages p JOIN custom_page_files f ON f.tenant_id = p.tenant_id AND f.page_id = p.id
  JOIN custom_page_contents c ON c.tenant_id = f.tenant_id AND c.sha256 = f.sha256
  WHERE p.tenant_id = :tenant_id AND f.path = :path
    AND ((p.hash = :hash AND p.status = 'DEPLOYED_ACTIVE') OR (p.preview_hash = :hash AND p.preview_until > :now)) LIMIT 1`).get;

/** Deletes contents that no version uses any more. The caller has already removed the files of the version. */
export async function forgetContents(tx: TenantTx, files: readonly FileRow[]): Promise<void> {
  for (const { sha256 } of files) await FORGET.run(tx, { sha256 });
}
