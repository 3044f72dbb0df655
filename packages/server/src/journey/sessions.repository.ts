import { sql, type TenantReads, type TenantTx } from '../db/db.ts';
import type { SessionState } from '../kernel/context.ts';

/** A browser of an end user. Its secret is stored as a hash. */
export type SessionRow = {
  id: string;
  instance_id: string;
  token_hash: Uint8Array;
  state: SessionState;
  browser: string;
  offered_by: string | null;
  number: number | null;
  created_at: number;
  expires_at: number;
};

const COLUMNS = 'id, instance_id, token_hash, state, browser, offered_by, number, created_at, expires_at';
const ONE = sql(`SELECT ${COLUMNS} FROM journey_sessions WHERE tenant_id = $1 AND id = $2`);
const OF_INSTANCE = sql(`SELECT ${COLUMNS} FROM journey_sessions WHERE tenant_id = $1 AND instance_id = $2
  ORDER BY created_at, id`);
const ADD = sql(`INSERT INTO journey_sessions (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);
const SET_STATE = sql('UPDATE journey_sessions SET state = $3 WHERE tenant_id = $1 AND id = $2');
const DEMOTE = sql(`UPDATE journey_sessions SET state = 'WATCHING'
  WHERE tenant_id = $1 AND instance_id = $2 AND state = 'ACTIVE'`);
const CLOSE_UNCONFIRMED = sql(`UPDATE journey_sessions SET state = 'CLOSED'
  WHERE tenant_id = $1 AND instance_id = $2 AND state = 'UNCONFIRMED'`);
const REMOVE = sql('DELETE FROM journey_sessions WHERE tenant_id = $1 AND id = $2');
/** How many instances are asked about at a time: one statement, prepared once, filled up with what finds nothing. */
const AT_ONCE = 50;
const PLACES = Array.from({ length: AT_ONCE }, (_, at) => `$${at + 2}`).join(', ');
const STANDINGS = sql(`SELECT s.instance_id, s.id, s.state, j.revision, (SELECT count(*) FROM journey_messages m
    WHERE m.tenant_id = s.tenant_id AND m.instance_id = s.instance_id AND m.state IN ('SENT', 'FAILED')) AS messages
  FROM journey_sessions s
  LEFT JOIN journeys j ON j.tenant_id = s.tenant_id AND j.instance_id = s.instance_id
  WHERE s.tenant_id = $1 AND s.instance_id IN (${PLACES}) ORDER BY s.instance_id, s.id`);

export function findSession(db: TenantReads, id: string): Promise<SessionRow | undefined> {
  return db.get<SessionRow>(ONE, [db.tenantId, id]);
}

/** The oldest first. There are never more than a few. */
export function sessionsOf(db: TenantReads, instanceId: string): Promise<SessionRow[]> {
  return db.all<SessionRow>(OF_INSTANCE, [db.tenantId, instanceId]);
}

export async function addSession(tx: TenantTx, row: SessionRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.instance_id, row.token_hash, row.state, row.browser, row.offered_by, row.number],
    ...[row.created_at, row.expires_at],
  ]);
}

export async function setSessionState(tx: TenantTx, id: string, state: SessionState): Promise<void> {
  await tx.run(SET_STATE, [tx.tenantId, id, state]);
}

/** The session that acted looks on from now on. */
export async function demoteActive(tx: TenantTx, instanceId: string): Promise<void> {
  await tx.run(DEMOTE, [tx.tenantId, instanceId]);
}

/** How many there were. */
export function closeUnconfirmed(tx: TenantTx, instanceId: string): Promise<number> {
  return tx.run(CLOSE_UNCONFIRMED, [tx.tenantId, instanceId]);
}

export async function removeSession(tx: TenantTx, id: string): Promise<void> {
  await tx.run(REMOVE, [tx.tenantId, id]);
}

export type Standing = {
  instance_id: string;
  id: string;
  state: SessionState;
  revision: number | null;
  /** How many of its messages have been sent or given up. */
  messages: number;
};

/** How far each journey has come, and what each of its devices does. */
export async function standingsOf(db: TenantReads, instanceIds: readonly string[]): Promise<Standing[]> {
  const found: Standing[] = [];
  for (let from = 0; from < instanceIds.length; from += AT_ONCE) {
    const some = instanceIds.slice(from, from + AT_ONCE);
    const values = [...some, ...new Array<string>(AT_ONCE - some.length).fill('')];
    found.push(...(await db.all<Standing>(STANDINGS, [db.tenantId, ...values])));
  }
  return found;
}
