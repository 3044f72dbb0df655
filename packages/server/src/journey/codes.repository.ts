import { sql, type TenantReads, type TenantTx } from '../db/db.ts';

/** One-time codes other than the first of an instance. */
export type CodeRow = {
  code_hash: Uint8Array;
  kind: 'RESUME' | 'HANDOFF';
  instance_id: string;
  session_id: string | null;
  number: number | null;
  /** Of a hand-off: where the device is that offered it, as JSON. */
  place: string | null;
  created_at: number;
  expires_at: number;
};

const COLUMNS = 'code_hash, kind, instance_id, session_id, number, place, created_at, expires_at';
const ONE = sql(`SELECT ${COLUMNS} FROM journey_codes WHERE tenant_id = $1 AND code_hash = $2 AND expires_at > $3`);
const TAKE = sql(`DELETE FROM journey_codes WHERE tenant_id = $1 AND code_hash = $2 AND expires_at > $3
  RETURNING ${COLUMNS}`);
const ADD = sql(`INSERT INTO journey_codes (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);
const REMOVE_OFFERS = sql(`DELETE FROM journey_codes WHERE tenant_id = $1 AND instance_id = $2 AND kind = 'HANDOFF'`);
const OFFER = sql(`SELECT ${COLUMNS} FROM journey_codes
  WHERE tenant_id = $1 AND instance_id = $2 AND kind = 'HANDOFF' AND session_id = $3 AND expires_at > $4`);

export function findCode(db: TenantReads, hash: Uint8Array, now: number): Promise<CodeRow | undefined> {
  return db.get<CodeRow>(ONE, [db.tenantId, hash, now]);
}

/** Spends a code: of any number of callers, one gets it. */
export function takeCode(tx: TenantTx, hash: Uint8Array, now: number): Promise<CodeRow | undefined> {
  return tx.get<CodeRow>(TAKE, [tx.tenantId, hash, now]);
}

export async function addCode(tx: TenantTx, row: CodeRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.code_hash, row.kind, row.instance_id, row.session_id, row.number],
    ...[row.place, row.created_at, row.expires_at],
  ]);
}

/** How many there were. */
export function removeOffers(tx: TenantTx, instanceId: string): Promise<number> {
  return tx.run(REMOVE_OFFERS, [tx.tenantId, instanceId]);
}

export type OfferOf = { instanceId: string; sessionId: string };

/** The offer of a session that nobody has taken up yet. */
export function findOffer(
  db: TenantReads,
  { instanceId, sessionId }: OfferOf,
  now: number,
): Promise<CodeRow | undefined> {
  return db.get<CodeRow>(OFFER, [db.tenantId, instanceId, sessionId, now]);
}
