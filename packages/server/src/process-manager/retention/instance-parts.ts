import { byLanguage, inList, jsonLength, zeroBytes } from '../../db/sql/dialect.ts';
import { instanceSubject } from '../instances/instance-subject.ts';

/**
 * Every table whose rows hang on an instance. A deletion removes all of them. What a redaction does with them is said here
 * and nowhere else; a test compares the list with the tables of the database.
 */
export type InstancePart = {
  readonly table: string;
  /** `keep`: its rows hold no personal data. A text: the columns that lose their values, as SQL. */
  readonly redaction: 'remove' | 'keep' | { readonly set: string };
  /** The oldest tables: their ids have no collation of their own, and PostgreSQL uses an index only where both sides agree. */
  readonly isOld?: true;
  /** No foreign key removes its rows with the instance. */
  readonly isLoose?: true;
  /** The column that names the instance, if it is not `instance_id`. */
  readonly column?: string;
  /** What the index of that column begins with besides the tenant, as SQL. */
  readonly indexedWith?: string;
  /** A deletion leaves it: an id of an instance that is gone leads nowhere. */
  readonly outlivesDeletion?: true;
};

/** No secret has this hash, and it has the length of one. */
const NO_HASH = zeroBytes(32);

export const INSTANCE_PARTS: readonly InstancePart[] = [
  { table: 'journey_messages', redaction: 'remove' },
  { table: 'instance_faces', redaction: 'remove' },
  { table: 'liveness_challenges', redaction: 'remove' },
  { table: 'step_ceremonies', redaction: 'remove' },
  { table: 'step_views', redaction: 'keep' },
  { table: 'instance_links', redaction: 'remove' },
  { table: 'instance_notes', redaction: 'remove' },
  // The comment goes, the verdict stays.
  { table: 'review_verdicts', redaction: { set: 'sealed = NULL' } },
  { table: 'instance_events', redaction: 'keep', isOld: true },
  { table: 'journeys', redaction: { set: 'sealed = NULL, due_at = NULL' }, isOld: true },
  // The kind of browser stays for the figures of usage. Nobody can use the session any more.
  {
    table: 'journey_sessions',
    redaction: {
      set: `facts = NULL, offered_by = NULL, number = NULL, state = 'CLOSED', expires_at = 0, token_hash = ${NO_HASH}`,
    },
    isOld: true,
  },
  { table: 'journey_codes', redaction: 'remove', isOld: true },
  // What a check found besides is reduced by `redact-checks.ts`.
  { table: 'instance_checks', redaction: 'keep', isOld: true },
  { table: 'instance_images', redaction: 'remove', isOld: true },
  { table: 'idempotency_keys', redaction: 'remove', isOld: true, isLoose: true },
  // Both are about users of identity stores, and would say whose verdict it is.
  {
    table: 'identity_events',
    column: 'parent_process_instance_id',
    indexedWith: "environment IN ('live', 'test')",
    redaction: { set: 'parent_process_instance_id = NULL' },
    isLoose: true,
    outlivesDeletion: true,
  },
  {
    table: 'push_notifications',
    column: 'process_instance_id',
    redaction: { set: 'process_instance_id = NULL' },
    isLoose: true,
    outlivesDeletion: true,
  },
];

const OLD_ID = byLanguage('i.id');
const countOf = ({ table, isOld }: InstancePart) =>
  `(SELECT count(*) FROM ${table} WHERE ${table}.tenant_id = :tenant_id AND ${table}.instance_id = ${isOld ? OLD_ID : 'i.id'})`;

/** How many rows of these parts an instance `i` has, with its key, the words it is found by and the mentions of its notes. */
const countOfAll = (parts: readonly InstancePart[]) => `
  (SELECT count(*) FROM data_keys k WHERE k.tenant_id = :tenant_id AND k.subject = '${instanceSubject('')}' || ${OLD_ID})
  + (SELECT count(*) FROM instance_notes n JOIN instance_note_mentions m ON m.tenant_id = n.tenant_id AND m.note_id = n.id
      WHERE n.tenant_id = :tenant_id AND n.instance_id = i.id)
  + ${jsonLength('i.terms')}
  + ${parts.map(countOf).join('\n  + ')}`;

const isRemoved = ({ redaction }: InstancePart) => redaction === 'remove';

const goesWithInstance = ({ outlivesDeletion }: InstancePart) => !outlivesDeletion;

/** With the row of the instance itself. */
export const ROWS_OF_DELETION = `1 + ${countOfAll(INSTANCE_PARTS.filter(goesWithInstance))}`;
export const ROWS_OF_REDACTION = countOfAll(INSTANCE_PARTS.filter(isRemoved));

const IMAGES_OF_INSTANCE = `FROM instance_images m WHERE m.tenant_id = :tenant_id AND m.instance_id = ${OLD_ID}`;
/** Each blob of an instance `i` once, also those that its images had before they were packed. */
export const BLOBS_OF_INSTANCE = `FROM (SELECT m.blob_key ${IMAGES_OF_INSTANCE}
    UNION SELECT m.former_key ${IMAGES_OF_INSTANCE} AND m.former_key IS NOT NULL) AS blobs`;

/** PostgreSQL uses an index of the rows that name an instance only if the statement says that it wants no others. */
function ofInstances({ column = 'instance_id', indexedWith, isLoose }: InstancePart) {
  const more = `${indexedWith ? ` AND ${indexedWith}` : ''}${isLoose ? ` AND ${column} IS NOT NULL` : ''}`;
  return `WHERE tenant_id = :tenant_id${more} AND ${column} ${inList(':ids')}` as const;
}

/** What a redaction does, in the order of the list. */
export const REDACTING_TEXTS = INSTANCE_PARTS.flatMap((part) => {
  const { table, redaction } = part;
  if (redaction === 'keep') return [];
  const change = redaction === 'remove' ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${redaction.set}`;
  return [`${change} ${ofInstances(part)}` as const];
});

/** What a deletion removes by itself, because no foreign key does. */
export const DELETING_TEXTS = INSTANCE_PARTS.filter((part) => part.isLoose && goesWithInstance(part)).map(
  (part) => `DELETE FROM ${part.table} ${ofInstances(part)}` as const,
);
