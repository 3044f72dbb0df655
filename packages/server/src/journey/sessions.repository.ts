import type { TenantReads } from '../db/db.ts';
import { inList } from '../db/sql/dialect.ts';
import { query, statement } from '../db/sql/statement.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../db/sql/table.ts';
import type { SessionState } from '../kernel/context.ts';

/** A browser of an end user. Its secret is stored as a hash. */
const sessions = table('journey_sessions', {
  tenant_id: text(),
  id: text(),
  instance_id: text(),
  token_hash: bytes(),
  state: text<SessionState>(),
  browser: text(),
  offered_by: optional(text()),
  number: optional(integer()),
  created_at: integer(),
  expires_at: integer(),
  /** Sealed: `session-facts.ts`. */
  facts: optional(bytes()),
});
const { columns } = sessions;
export type SessionRow = RowOf<typeof sessions>;

const OPEN_AMONG = query<{ id: string }>()(`SELECT id FROM journey_sessions
  WHERE tenant_id = :tenant_id AND id ${inList(':ids')} AND state <> 'CLOSED' AND expires_at > :now`);

export const findSession = sessions.select(columns, 'WHERE tenant_id = :tenant_id AND id = :id').get;

/** The sessions of an instance, the oldest first. There are only a few. */
export const sessionsOf = sessions.select(
  columns,
  `WHERE tenant_id = :tenant_id AND instance_id = :instanceId
  ORDER BY created_at, id`,
).all;

/** `offers` is the number of open offers of the session to continue on another device. */
export type SessionWithOffers = SessionRow & { offers: number };

export const sessionsWithOffers = query<SessionWithOffers>()(`SELECT ${columns.join(', ')},
    (SELECT count(*) FROM journey_codes c WHERE c.tenant_id = s.tenant_id AND c.instance_id = s.instance_id
      AND c.kind = 'HANDOFF' AND c.session_id = s.id AND c.expires_at > :now) AS offers
  FROM journey_sessions s WHERE tenant_id = :tenant_id AND instance_id = :instanceId`).all;

/** The ids of these sessions that exist, are not closed and have not expired. */
export async function openSessionsAmong(db: TenantReads, ids: readonly string[], now: number): Promise<string[]> {
  const rows = await OPEN_AMONG.all(db, { ids, now });
  return rows.map(({ id }) => id);
}

export const addSession = sessions.insert().send;
export const setSessionState = sessions.update(['state'], 'WHERE tenant_id = :tenant_id AND id = :id').send;

export const setSessionFacts = sessions.update(['facts'], 'WHERE tenant_id = :tenant_id AND id = :id').send;

/** Makes the acting session a watching one. */
export const demoteActive = statement(`UPDATE journey_sessions SET state = 'WATCHING'
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND state = 'ACTIVE'`).send;

/** Makes the acting session a watching one, and closes the unconfirmed ones. */
export const quietenSessions = statement(`UPDATE journey_sessions
  SET state = CASE state WHEN 'ACTIVE' THEN 'WATCHING' ELSE 'CLOSED' END
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND state IN ('ACTIVE', 'UNCONFIRMED')`).send;

/** Returns the number of removed rows. */
export const closeUnconfirmed = statement(`UPDATE journey_sessions SET state = 'CLOSED'
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND state = 'UNCONFIRMED'`).run;

export const removeSession = sessions.delete('WHERE tenant_id = :tenant_id AND id = :id').send;

export type JourneyStanding = {
  instance_id: string;
  id: string;
  state: SessionState;
  revision: number | null;
  /** The number of its messages that were sent or given up. */
  messages: number;
};

/** The state of each journey and of each of its devices. */
export const standingsOf = query<JourneyStanding>()(`SELECT s.instance_id, s.id, s.state, j.revision,
    (SELECT count(*) FROM journey_messages m
      WHERE m.tenant_id = s.tenant_id AND m.instance_id = s.instance_id AND m.state IN ('SENT', 'FAILED')) AS messages
  FROM journey_sessions s
  LEFT JOIN journeys j ON j.tenant_id = s.tenant_id AND j.instance_id = s.instance_id
  WHERE s.tenant_id = :tenant_id AND s.instance_id ${inList(':instanceIds')} ORDER BY s.instance_id, s.id`).all;
