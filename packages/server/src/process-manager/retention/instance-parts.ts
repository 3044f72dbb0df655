import { byLanguage, inList, jsonLength, zeroBytes } from '../../db/sql/dialect.ts';
import { instanceSubject } from '../instances/instance-subject.ts';

/**
 * Every table whose rows belong to an instance. A deletion removes all of them; the list says what a redaction does. A test
 * compares the list with the tables of the database, so that none is forgotten.
 */
export type InstancePart = {
  readonly table: string;
  /** `keep`: its rows hold no personal data. A text: the columns that lose their values, as SQL. */
  readonly redaction: 'remove' | 'keep' | { readonly set: string };
  /** One of the oldest tables, whose ids have the default collation: PostgreSQL uses an index only if both sides agree. */
  readonly isOld?: true;
  /** No foreign key removes its rows with the instance. */
  readonly isLoose?: true;
  /** The column that names the instance, if it is not `instance_id`. */
  readonly column?: string;
  /** The condition for the columns of that index between the tenant and the column, as SQL. */
  readonly indexedWith?: string;
  /**
   * What a deletion does with the rows, if it does not remove them. `keep`: the id of a deleted instance leads nowhere.
   * `redact`: they lose what a redaction takes from them.
   */
  readonly deletion?: 'keep' | 'redact';
};

/** The hash of no secret, with the length of a hash. */
const NO_HASH = zeroBytes(32);

export const INSTANCE_PARTS: readonly InstancePart[] = [
  { table: 'journey_messages', redaction: 'remove' },
  { table: 'instance_faces', redaction: 'remove' },
  { table: 'liveness_challenges', redaction: 'remove' },
  { table: 'step_ceremonies', redaction: 'remove' },
  { table: 'step_views', redaction: 'keep' },
  { table: 'instance_links', redaction: 'remove' },
  { table: 'instance_notes', redaction: 'remove' },
  // A redaction removes the comment and keeps the verdict.
  { table: 'review_verdicts', redaction: { set: 'sealed = NULL' } },
  { table: 'instance_events', redaction: 'keep', isOld: true },
  { table: 'journeys', redaction: { set: 'sealed = NULL, due_at = NULL' }, isOld: true },
  // The kind of browser stays for the usage figures. Nobody can use the session any more.
  {
    table: 'journey_sessions',
    redaction: {
      set: `facts = NULL, offered_by = NULL, number = NULL, state = 'CLOSED', expires_at = 0, token_hash = ${NO_HASH}`,
    },
    isOld: true,
  },
  { table: 'journey_codes', redaction: 'remove', isOld: true },
  // `redact-checks.ts` reduces the metadata of the checks.
  { table: 'instance_checks', redaction: 'keep', isOld: true },
  { table: 'instance_images', redaction: 'remove', isOld: true },
  { table: 'idempotency_keys', redaction: 'remove', isOld: true, isLoose: true },
  // The log of deliveries stays. What a receiver answered may tell of the person.
  {
    table: 'webhook_deliveries',
    indexedWith: 'last_answer IS NOT NULL',
    redaction: { set: 'last_answer = NULL' },
    isOld: true,
    isLoose: true,
    deletion: 'redact',
  },
  // These belong to users of identity stores, and would reveal whose verdict it is.
  {
    table: 'identity_events',
    column: 'parent_process_instance_id',
    indexedWith: "environment IN ('live', 'test')",
    redaction: { set: 'parent_process_instance_id = NULL' },
    isLoose: true,
    deletion: 'keep',
  },
  {
    table: 'push_notifications',
    column: 'process_instance_id',
    // The token was made for this instance alone, and the instance still names it.
    redaction: { set: 'process_instance_id = NULL, process_token_id = NULL' },
    isLoose: true,
    deletion: 'keep',
  },
  {
    table: 'push_notifications',
    column: 'parent_instance_id',
    redaction: { set: 'parent_instance_id = NULL' },
    isLoose: true,
    deletion: 'keep',
  },
];

const OLD_ID = byLanguage('i.id');
const countOf = ({ table, isOld }: InstancePart) =>
  `(SELECT count(*) FROM ${table} WHERE ${table}.tenant_id = :tenant_id AND ${table}.instance_id = ${isOld ? OLD_ID : 'i.id'})`;

/** Counts the rows of these parts of an instance `i`, with its key, its search terms and the mentions in its notes. */
const countOfAll = (parts: readonly InstancePart[]) => `
  (SELECT count(*) FROM data_keys k WHERE k.tenant_id = :tenant_id AND k.subject = '${instanceSubject('')}' || ${OLD_ID})
  + (SELECT count(*) FROM instance_notes n JOIN instance_note_mentions m ON m.tenant_id = n.tenant_id AND m.note_id = n.id
      WHERE n.tenant_id = :tenant_id AND n.instance_id = i.id)
  + ${jsonLength('i.terms')}
  + ${parts.map(countOf).join('\n  + ')}`;

const isRemoved = ({ redaction }: InstancePart) => redaction === 'remove';

const goesWithInstance = ({ deletion }: InstancePart) => deletion === undefined;

/** Counts the row of the instance as well. */
export const ROWS_OF_DELETION = `1 + ${countOfAll(INSTANCE_PARTS.filter(goesWithInstance))}`;
export const ROWS_OF_REDACTION = countOfAll(INSTANCE_PARTS.filter(isRemoved));

const IMAGES_OF_INSTANCE = `FROM instance_images m WHERE m.tenant_id = :tenant_id AND m.instance_id = ${OLD_ID}`;
/** Each blob of an instance `i` once, including those of its images before they were packed. */
export const BLOBS_OF_INSTANCE = `FROM (SELECT m.blob_key ${IMAGES_OF_INSTANCE}
    UNION SELECT m.former_key ${IMAGES_OF_INSTANCE} AND m.former_key IS NOT NULL) AS blobs`;

/** PostgreSQL uses a partial index of the rows with an instance only if the statement excludes all others. */
function ofInstances({ column = 'instance_id', indexedWith, isLoose }: InstancePart) {
  const more = `${indexedWith ? ` AND ${indexedWith}` : ''}${isLoose ? ` AND ${column} IS NOT NULL` : ''}`;
  return `WHERE tenant_id = :tenant_id${more} AND ${column} ${inList(':ids')}` as const;
}

/** None if the redaction keeps the rows. */
function redactingText(part: InstancePart) {
  const { table, redaction } = part;
  if (redaction === 'keep') return [];
  const change = redaction === 'remove' ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${redaction.set}`;
  return [`${change} ${ofInstances(part)}` as const];
}

/** The statements of a redaction, in the order of the list. */
export const REDACTING_TEXTS = INSTANCE_PARTS.flatMap(redactingText);

/** The statements of a deletion for the rows that no foreign key removes. */
export const DELETING_TEXTS = INSTANCE_PARTS.filter((part) => part.isLoose).flatMap((part) => {
  if (part.deletion === 'keep') return [];
  return part.deletion === 'redact' ? redactingText(part) : [`DELETE FROM ${part.table} ${ofInstances(part)}` as const];
});
