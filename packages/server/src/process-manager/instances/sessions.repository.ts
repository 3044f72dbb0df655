import type { TenantReads } from '../../db/db.ts';
import { query } from '../../db/sql/statement.ts';
import { toDtm } from '../../kernel/clock.ts';
import { openFacts } from './session-facts.ts';

type Row = {
  id: string;
  browser: string;
  offered_by: string | null;
  created_at: number;
  expires_at: number;
  facts: Uint8Array | null;
};

const MAX_SESSIONS = 1000;
const OF_INSTANCE = query<Row>()(`SELECT id, browser, offered_by, created_at, expires_at, facts FROM journey_sessions
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId ORDER BY created_at, id LIMIT ${MAX_SESSIONS}`);

/** The browsers and networks in which the journey of an instance was used, the oldest first. */
export async function sessionsOf(db: TenantReads, instanceId: string) {
  const rows = await OF_INSTANCE.all(db, { instanceId });
  return Promise.all(rows.map((row) => toSession(db, row)));
}

async function toSession(db: TenantReads, { id, browser, offered_by, created_at, expires_at, facts }: Row) {
  const { networks = [], timeZone, countryCode } = facts ? await openFacts(db, id, facts) : {};
  return {
    browser,
    handedOver: offered_by !== null,
    createdDtm: toDtm(created_at),
    expiringDtm: toDtm(expires_at),
    networks: networks.map(({ network, at }) => ({ network, firstSeenDtm: toDtm(at) })),
    ...(timeZone && { timeZone }),
    ...(countryCode && { countryCode }),
  };
}
