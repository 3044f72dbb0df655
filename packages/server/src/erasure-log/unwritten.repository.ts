import { inList } from '../db/sql/dialect.ts';
import { table, text } from '../db/sql/table.ts';
import type { ErasedKind } from './log-entries.ts';

/** Erasures that are not yet written to the log outside the database. */
const unwritten = table('unwritten_erasures', { tenant_id: text(), kind: text<ErasedKind>(), id: text() });

export const addUnwritten = unwritten.insert('ON CONFLICT (tenant_id, kind, id) DO NOTHING').run;

/** The rows grouped by kind. */
export const someUnwritten = unwritten.select(
  ['kind', 'id'],
  'WHERE tenant_id = :tenant_id ORDER BY kind, id LIMIT :limit + 0',
).all;

export const removeUnwritten = unwritten.delete(
  `WHERE tenant_id = :tenant_id AND kind = :kind AND id ${inList(':ids')}`,
).run;
