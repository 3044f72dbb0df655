import type { View } from '../db/view.ts';
import { type Check, fault, ok, warning } from './check.ts';

const NAME = 'database';
const POSTGRES_MAJOR = 14;

type PostgresFacts = {
  version: number;
  role: string;
  superuser: boolean;
  bypasses: boolean;
  allowed: number;
  used: number;
};

const FACTS = `SELECT current_setting('server_version_num')::int / 10000 AS version, rolname AS role,
  rolsuper AS superuser, rolbypassrls AS bypasses, current_setting('max_connections')::int AS allowed,
  (SELECT count(*)::int FROM pg_stat_activity) AS used FROM pg_roles WHERE rolname = current_user`;

const UNFORCED = `SELECT c.relname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE a.attname = 'tenant_id' AND c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
    AND NOT a.attisdropped AND NOT (c.relrowsecurity AND c.relforcerowsecurity) ORDER BY c.relname LIMIT 100`;

export async function checkPostgres(view: View, wantedConnections: number): Promise<Check[]> {
  const facts = await view.system.get<PostgresFacts>({ text: FACTS }, []);
  if (!facts) throw new Error('the database does not know the role that asks');
  const unforced = (await view.system.all<{ name: string }>({ text: UNFORCED }, [])).map(({ name }) => name);
  return checkPostgresFacts({ ...facts, unforced, wantedConnections });
}

export function checkPostgresFacts(facts: PostgresFacts & { unforced: string[]; wantedConnections: number }): Check[] {
  const { version, role, superuser, bypasses, allowed, used, unforced, wantedConnections } = facts;
  const powers = superuser ? 'a superuser' : 'exempt from row-level security (BYPASSRLS)';
  return [
    version >= POSTGRES_MAJOR
      ? ok(NAME, `PostgreSQL ${version} answers.`)
      : warning(NAME, `PostgreSQL ${version} is old.`, `Use PostgreSQL ${POSTGRES_MAJOR} or newer.`),
    superuser || bypasses
      ? fault(NAME, `The role ${role} is ${powers}.`, 'Connect as an ordinary role that owns the tables.')
      : ok(NAME, `The role ${role} is subject to row-level security.`),
    unforced.length === 0
      ? ok(NAME, 'Row-level security is forced on every table of tenants.')
      : fault(
          NAME,
          `Row-level security is not forced on ${unforced.join(', ')}.`,
          'ALTER TABLE … FORCE ROW LEVEL SECURITY',
        ),
    used + wantedConnections <= allowed
      ? ok(NAME, `${used} of ${allowed} connections are in use; this server keeps up to ${wantedConnections}.`)
      : warning(
          NAME,
          `${used} of ${allowed} connections are in use; there may be no room for the ${wantedConnections} of this server.`,
          'Lower DATABASE_POOL, or raise max_connections.',
        ),
  ];
}

export function postgresUnreachable(message: string): Check {
  return fault(NAME, `PostgreSQL does not answer: ${message}.`, 'Start the database, or correct DATABASE_URL.');
}
