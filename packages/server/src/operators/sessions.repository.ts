import { sql, type TenantReads, type TenantTx } from '../db/db.ts';
import type { OperatorStatus } from './operators.repository.ts';

export type OperatorSessionRow = {
  id: string;
  operator_id: string;
  token_hash: Uint8Array;
  browser: string;
  network: string;
  created_at: number;
  authenticated_at: number;
  last_seen_at: number;
  expires_at: number;
};

/** A session with its operator, and the operator's role if it is one of the tenant's own. */
export type SessionInUse = OperatorSessionRow & {
  name: string;
  email: string;
  role: string;
  status: OperatorStatus;
  permissions: string | null;
  environments: string | null;
};

const NAMES = 'id, operator_id, token_hash, browser, network, created_at, authenticated_at, last_seen_at, expires_at';
const OF_SESSION = NAMES.split(', ')
  .map((name) => `s.${name}`)
  .join(', ');
const ADD = sql(`INSERT INTO operator_sessions (tenant_id, ${NAMES}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);
const IN_USE = sql(`SELECT ${OF_SESSION}, o.name, o.email, o.role, o.status, r.permissions, r.environments
  FROM operator_sessions s
  JOIN operators o ON o.tenant_id = s.tenant_id AND o.id = s.operator_id
  LEFT JOIN operator_roles r ON r.tenant_id = o.tenant_id AND r.name = o.role
  WHERE s.tenant_id = $1 AND s.id = $2`);
const OF_OPERATOR = sql(`SELECT ${NAMES} FROM operator_sessions WHERE tenant_id = $1 AND operator_id = $2
  ORDER BY id DESC LIMIT 100`);
const SEEN = sql(
  'UPDATE operator_sessions SET last_seen_at = $3 WHERE tenant_id = $1 AND id = $2 AND last_seen_at < $3',
);
const CONFIRMED = sql(`UPDATE operator_sessions SET authenticated_at = $3, last_seen_at = $3
  WHERE tenant_id = $1 AND id = $2`);
const REMOVE = sql('DELETE FROM operator_sessions WHERE tenant_id = $1 AND operator_id = $2 AND id = $3');
const REMOVE_OF = sql('DELETE FROM operator_sessions WHERE tenant_id = $1 AND operator_id = $2');
const REMOVE_DEAD = sql(`DELETE FROM operator_sessions
  WHERE tenant_id = $1 AND operator_id = $2 AND (expires_at <= $3 OR last_seen_at <= $4)`);

export async function addSession(tx: TenantTx, row: OperatorSessionRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.operator_id, row.token_hash, row.browser, row.network],
    ...[row.created_at, row.authenticated_at, row.last_seen_at, row.expires_at],
  ]);
}

export function findSessionInUse(db: TenantReads, id: string): Promise<SessionInUse | undefined> {
  return db.get<SessionInUse>(IN_USE, [db.tenantId, id]);
}

/** The newest first. */
export function sessionsOf(db: TenantReads, operatorId: string): Promise<OperatorSessionRow[]> {
  return db.all<OperatorSessionRow>(OF_OPERATOR, [db.tenantId, operatorId]);
}

export async function markSeen(tx: TenantTx, id: string, now: number): Promise<void> {
  await tx.run(SEEN, [tx.tenantId, id, now]);
}

export async function markAuthenticated(tx: TenantTx, id: string, now: number): Promise<void> {
  await tx.run(CONFIRMED, [tx.tenantId, id, now]);
}

export async function removeSession(tx: TenantTx, operatorId: string, id: string): Promise<boolean> {
  return (await tx.run(REMOVE, [tx.tenantId, operatorId, id])) > 0;
}

export async function removeSessionsOf(tx: TenantTx, operatorId: string): Promise<void> {
  await tx.run(REMOVE_OF, [tx.tenantId, operatorId]);
}

export async function removeDeadSessions(
  tx: TenantTx,
  operatorId: string,
  { now, idleSince }: { now: number; idleSince: number },
): Promise<void> {
  await tx.run(REMOVE_DEAD, [tx.tenantId, operatorId, now, idleSince]);
}
