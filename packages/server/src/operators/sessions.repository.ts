import { query, statement } from '../db/sql/statement.ts';
import { bytes, integer, type RowOf, table, text } from '../db/sql/table.ts';
import type { OperatorRow } from './operators.repository.ts';

const sessions = table('operator_sessions', {
  tenant_id: text(),
  id: text(),
  operator_id: text(),
  token_hash: bytes(),
  browser: text(),
  network: text(),
  created_at: integer(),
  authenticated_at: integer(),
  last_seen_at: integer(),
  expires_at: integer(),
});
const { columns } = sessions;
export type OperatorSessionRow = RowOf<typeof sessions>;

/** A session with its operator, and the operator's role if it is stored. */
export type SessionInUse = OperatorSessionRow &
  Pick<OperatorRow, 'name' | 'email' | 'role' | 'status' | 'of_installation'> & {
    permissions: string | null;
    environments: string | null;
    masked: 0 | 1 | null;
  };

const NAMES = columns.join(', ');
const OF_SESSION = NAMES.split(', ')
  .map((name) => `s.${name}`)
  .join(', ');

export const addSession = sessions.insert().run;

export const findSessionInUse =
  query<SessionInUse>()(`SELECT ${OF_SESSION}, o.name, o.email, o.role, o.status, o.of_installation, r.permissions, r.environments, r.masked
  FROM operator_sessions s
  JOIN operators o ON o.tenant_id = s.tenant_id AND o.id = s.operator_id
  LEFT JOIN operator_roles r ON r.tenant_id = o.tenant_id AND r.name = o.role
  WHERE s.tenant_id = :tenant_id AND s.id = :id`).get;

export const sessionsOf = sessions.select(
  columns,
  `WHERE tenant_id = :tenant_id AND operator_id = :operatorId
  ORDER BY id DESC LIMIT 100`,
).all;

export const markSeen = statement(
  'UPDATE operator_sessions SET last_seen_at = :now WHERE tenant_id = :tenant_id AND id = :id AND last_seen_at < :now',
).run;

export const markAuthenticated = statement(`UPDATE operator_sessions SET authenticated_at = :now, last_seen_at = :now
  WHERE tenant_id = :tenant_id AND id = :id`).run;

export const removeSession = sessions.delete(
  'WHERE tenant_id = :tenant_id AND operator_id = :operatorId AND id = :id',
).changes;

export const removeSessionsOf = sessions.delete('WHERE tenant_id = :tenant_id AND operator_id = :operatorId').run;

export const removeDeadSessions = sessions.delete(
  'WHERE tenant_id = :tenant_id AND operator_id = :operatorId AND (expires_at <= :now OR last_seen_at <= :idleSince)',
).run;

export const removeSessionsOfAccounts =
  statement(`DELETE FROM operator_sessions WHERE tenant_id = :tenant_id AND operator_id IN (
  SELECT id FROM operators WHERE tenant_id = :tenant_id AND sso_account <> '')`).run;
