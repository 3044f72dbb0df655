import type { TenantReads, TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { bytes, integer, type RowOf, table, text } from '../../db/sql/table.ts';
import type { PageFile } from './check-files.ts';

const pageFiles = table('custom_page_files', {
  tenant_id: text(),
  page_id: text(),
  path: text(),
  content_type: text(),
  bytes: integer(),
  sha256: text(),
});
const contents = table('custom_page_contents', { tenant_id: text(), sha256: text(), content: bytes() });
const FILE = ['path', 'content_type', 'bytes', 'sha256'] as const;
export type FileRow = Pick<RowOf<typeof pageFiles>, (typeof FILE)[number]>;

const ADD_CONTENT = contents.insert('ON CONFLICT (tenant_id, sha256) DO NOTHING');
const ADD_FILE = pageFiles.insert();
const CONTENT = contents.select(['content'], 'WHERE tenant_id = :tenant_id AND sha256 = :sha256');
const FORGET = statement(`DELETE FROM custom_page_contents WHERE tenant_id = :tenant_id AND sha256 = :sha256
  AND NOT EXISTS (SELECT 1 FROM custom_page_files f WHERE f.tenant_id = :tenant_id AND f.sha256 = :sha256)`);

export async function addFiles(tx: TenantTx, pageId: string, files: readonly PageFile[]): Promise<void> {
  for (const { path, contentType, sha256, content } of files) {
    await ADD_CONTENT.run(tx, { sha256, content });
    await ADD_FILE.run(tx, { page_id: pageId, path, content_type: contentType, bytes: content.length, sha256 });
  }
}

export const filesOf = pageFiles.select(FILE, 'WHERE tenant_id = :tenant_id AND page_id = :pageId ORDER BY path').all;

/** Undefined if the file was deleted meanwhile. */
export async function findContent(db: TenantReads, { sha256 }: FileRow): Promise<Uint8Array | undefined> {
  return (await CONTENT.get(db, { sha256 }))?.content;
}

/** Throws if the file was deleted meanwhile. */
export async function contentOf(db: TenantReads, file: FileRow): Promise<Uint8Array> {
  const content = await findContent(db, file);
  if (!content) throw new Error('the file of the custom page was deleted');
  return content;
}

/** Finds a file that everybody with the URL may see: of a deployed version, or of a preview that has not expired. */
export const findShownFile = query<
  FileRow & { preview: number }
>()(`SELECT ${FILE.map((name) => `f.${name}`).join(', ')}, CASE WHEN p.hash = :hash THEN 0 ELSE 1 END AS preview
  FROM custom_pages p JOIN custom_page_files f ON f.tenant_id = p.tenant_id AND f.page_id = p.id
  WHERE p.tenant_id = :tenant_id AND f.path = :path
    AND ((p.hash = :hash AND p.status = 'DEPLOYED_ACTIVE') OR (p.preview_hash = :hash AND p.preview_until > :now)) LIMIT 1`).get;

/** Deletes contents that no version uses any more. The caller has already removed the files of the version. */
export async function forgetContents(tx: TenantTx, files: readonly FileRow[]): Promise<void> {
  for (const { sha256 } of files) await FORGET.run(tx, { sha256 });
}
