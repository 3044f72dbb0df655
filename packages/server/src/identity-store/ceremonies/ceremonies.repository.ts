import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { SKIP_LOCKED } from '../../db/sql/dialect.ts';

/** A session of one kind is no session of another. */
export type CeremonyKind =
  | 'PASSKEY_REGISTRATION'
  | 'PASSKEY_AUTHENTICATION'
  | 'APPKEY_REGISTRATION'
  | 'APPKEY_AUTHENTICATION';

export type CeremonyRow = {
  id: string;
  store_id: string;
  kind: CeremonyKind;
  user_id: string | null;
  rp_id: string | null;
  policy_name: string | null;
  username: string | null;
  /** A JSON object. */
  data: string;
  created_at: number;
  expires_at: number;
};

/** More are never there. */
const MOST_AT_ONCE = 1000;
const COLUMNS = 'id, store_id, kind, user_id, rp_id, policy_name, username, data, created_at, expires_at';
const ADD = sql(`INSERT INTO ceremonies (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`);
const TAKE = sql(`DELETE FROM ceremonies
  WHERE tenant_id = $1 AND store_id = $2 AND kind = $3 AND id = $4 AND expires_at > $5 RETURNING ${COLUMNS}`);
// One that is being completed at this moment is left to whoever completes it.
const KEEP_NEWEST = sql(`DELETE FROM ceremonies WHERE tenant_id = $1 AND id IN (
    SELECT id FROM ceremonies WHERE tenant_id = $1 AND user_id = $2 ORDER BY id DESC
      LIMIT ${MOST_AT_ONCE} OFFSET $3 + 0 ${SKIP_LOCKED})`);
const OPEN_OF = sql(`SELECT ${COLUMNS} FROM ceremonies WHERE tenant_id = $1 AND user_id = $2 AND expires_at > $3
  ORDER BY id DESC`);
const REMOVE_EXPIRED = sql(`DELETE FROM ceremonies WHERE tenant_id = $1 AND id IN (
    SELECT id FROM ceremonies WHERE tenant_id = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3)`);

const placeOf = (id: string) => `ceremony:${id}`;

/** Before what is sealed. A session of an earlier release has a name without it, which is not shown. */
const SEALED = 'sealed:';

/** Names of users are sealed: base64 in a column of text. */
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
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.store_id, row.kind, row.user_id, row.rp_id, row.policy_name, await sealName(tx, row)],
    ...[row.data, row.created_at, row.expires_at],
  ]);
}

/** Nobody who takes one needs the name of its user: it is not opened. */
export function removeCeremony(
  tx: TenantTx,
  { kind, storeId, id, now }: { kind: CeremonyKind; storeId: string; id: string; now: number },
): Promise<Omit<CeremonyRow, 'username'> | undefined> {
  return tx.get<CeremonyRow>(TAKE, [tx.tenantId, storeId, kind, id, now]);
}

export async function keepNewestCeremonies(tx: TenantTx, userId: string, keep: number): Promise<void> {
  await tx.run(KEEP_NEWEST, [tx.tenantId, userId, keep]);
}

/** The newest first. There are only so many. */
export async function openCeremoniesOf(db: TenantReads, userId: string, now: number): Promise<CeremonyRow[]> {
  return openNames(db, await db.all<CeremonyRow>(OPEN_OF, [db.tenantId, userId, now]));
}

export function removeExpiredCeremonies(tx: TenantTx, now: number, limit: number): Promise<number> {
  return tx.run(REMOVE_EXPIRED, [tx.tenantId, now, limit]);
}
