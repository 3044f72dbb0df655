import type { TenantReads, TenantTx } from '../../db/db.ts';
import { FOR_UPDATE, SKIP_LOCKED } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import { integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';

/** A session of one kind cannot be used as one of another kind. */
export type CeremonyKind =
  | 'PASSKEY_REGISTRATION'
  | 'PASSKEY_AUTHENTICATION'
  | 'APPKEY_REGISTRATION'
  | 'APPKEY_AUTHENTICATION';

const ceremonies = table('ceremonies', {
  tenant_id: text(),
  id: text(),
  store_id: text(),
  kind: text<CeremonyKind>(),
  user_id: optional(text()),
  rp_id: optional(text()),
  policy_name: optional(text()),
  username: optional(text()),
  /** A JSON object. */
  data: text(),
  created_at: integer(),
  expires_at: integer(),
});
const { columns } = ceremonies;
export type CeremonyRow = RowOf<typeof ceremonies>;

/** The most sessions that one statement deletes. A user never has more open sessions. */
const MOST_AT_ONCE = 1000;
const COLUMNS = columns.join(', ');
const ADD = ceremonies.insert();
const OPEN_OF = ceremonies.select(
  columns,
  `WHERE tenant_id = :tenant_id AND user_id = :userId AND expires_at > :now
  ORDER BY id DESC`,
);

const placeOf = (id: string) => `ceremony:${id}`;

/** The prefix of a sealed name. A session of an earlier release has a name without it; that name is not shown. */
const SEALED = 'sealed:';

/** Seals the name of the user; the text column holds it as base64. */
async function sealName(tx: TenantTx, { id, username }: CeremonyRow): Promise<string | null> {
  const seal = username === null ? undefined : await tx.personal();
  if (!seal || username === null) return null;
  return `${SEALED}${Buffer.from(seal.seal(placeOf(id), username)).toString('base64')}`;
}

async function openNames(db: TenantReads, rows: CeremonyRow[]): Promise<CeremonyRow[]> {
  const seal = rows.some(({ username }) => username !== null) ? await db.personal() : undefined;
  return rows.map((row) => {
    if (!row.username?.startsWith(SEALED) || !seal) return { ...row, username: null };
    const sealed = Buffer.from(row.username.slice(SEALED.length), 'base64');
    return { ...row, username: seal.open(placeOf(row.id), sealed) };
  });
}

export async function addCeremony(tx: TenantTx, row: CeremonyRow): Promise<void> {
  ADD.send(tx, { ...row, username: await sealName(tx, row) });
}

const OPEN = 'tenant_id = :tenant_id AND store_id = :storeId AND kind = :kind AND id = :id AND expires_at > :now';
const LOCK_USER = query<CeremonyRow>()(`SELECT id FROM identity_users WHERE tenant_id = :tenant_id
  AND id = (SELECT user_id FROM ceremonies WHERE ${OPEN}) ${FOR_UPDATE}`);
const REMOVE = query<CeremonyRow>()(`DELETE FROM ceremonies WHERE ${OPEN} RETURNING ${COLUMNS}`);

type OpenCeremony = { storeId: string; kind: CeremonyKind; id: string; now: number };

/**
 * Removes and returns the session. Locks its user first, as the deletion of a user does: in the other order, each of the
 * two could wait for the other. The name of the user stays sealed, because the completion does not need it.
 */
export async function removeCeremony(tx: TenantTx, ceremony: OpenCeremony): Promise<CeremonyRow | undefined> {
  if (tx.hasOneWriter) return REMOVE.get(tx, ceremony);
  const [, removed] = await Promise.all([LOCK_USER.get(tx, ceremony), REMOVE.get(tx, ceremony)]);
  return removed;
}

// Skips a session that another transaction is completing.
export const keepNewestCeremonies = ceremonies.delete(`WHERE tenant_id = :tenant_id AND id IN (
    SELECT id FROM ceremonies WHERE tenant_id = :tenant_id AND user_id = :userId ORDER BY id DESC
      LIMIT ${MOST_AT_ONCE} OFFSET :keep + 0 ${SKIP_LOCKED})`).send;

/** Returns the open sessions, newest first. The limit per user keeps the list short. */
export async function openCeremoniesOf(db: TenantReads, userId: string, now: number): Promise<CeremonyRow[]> {
  return openNames(db, await OPEN_OF.all(db, { userId, now }));
}

export const removeExpiredCeremonies = ceremonies.delete(`WHERE tenant_id = :tenant_id AND id IN (
    SELECT id FROM ceremonies WHERE tenant_id = :tenant_id AND expires_at <= :now ORDER BY expires_at LIMIT :limit
    ${SKIP_LOCKED})`).run;
