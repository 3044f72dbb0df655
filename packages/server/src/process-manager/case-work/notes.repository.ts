import type { TenantReads, TenantTx } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { listOf } from '../../db/sql/list.ts';
import { bytes, integer, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';

const notes = table('instance_notes', {
  tenant_id: text(),
  id: text(),
  instance_id: text(),
  environment: text<Environment>(),
  at: integer(),
  author: text(),
  sealed: bytes(),
});
const { columns } = notes;
export type NoteRow = RowOf<typeof notes>;

const ADD = notes.insert();
const OF_INSTANCE = notes.list(columns, 'WHERE tenant_id = :tenant_id AND instance_id = :instance_id', {});
const mentionTable = table('instance_note_mentions', {
  tenant_id: text(),
  operator_id: text(),
  note_id: text(),
  environment: text<Environment>(),
});
const MENTION = mentionTable.insert('ON CONFLICT (tenant_id, operator_id, note_id) DO NOTHING');
const MENTIONED = mentionTable.select(
  ['note_id', 'operator_id'],
  `WHERE tenant_id = :tenant_id AND note_id ${inList(':noteIds')} ORDER BY note_id, operator_id`,
);
const OF_OPERATOR = listOf<NoteRow>()(
  columns.map((name) => `n.${name}`).join(', '),
  `FROM instance_note_mentions m JOIN instance_notes n ON n.tenant_id = m.tenant_id AND n.id = m.note_id
  WHERE m.tenant_id = :tenant_id AND m.operator_id = :operatorId AND m.environment = :environment`,
);

export async function addNote(tx: TenantTx, row: NoteRow, mentions: readonly string[]): Promise<void> {
  await ADD.run(tx, row);
  const { id: note_id, environment } = row;
  for (const operator_id of mentions) await MENTION.run(tx, { operator_id, note_id, environment });
}

export const countNotes = OF_INSTANCE.count;

export function pageNotes(db: TenantReads, instanceId: string, paging: Paging) {
  return OF_INSTANCE(db, { instance_id: instanceId }, paging);
}

export function pageMentions(db: TenantReads, operatorId: string, environment: Environment, paging: Paging) {
  return OF_OPERATOR(db, { operatorId, environment }, { ...paging, orderBy: 'n.id DESC' });
}

/** The operators that each of the notes mentions. */
export async function mentionsOf(db: TenantReads, noteIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = noteIds.length === 0 ? [] : await MENTIONED.all(db, { noteIds });
  const byNote = Map.groupBy(rows, ({ note_id }) => note_id);
  return new Map([...byNote].map(([id, of]) => [id, of.map(({ operator_id }) => operator_id)]));
}
