import pg from 'pg';

/**
 * The servers that a DATABASE_URL names, each as its own URL. Several are written as in libpq:
 * `postgres://user@one:5432,two:5432/grove?target_session_attrs=read-write`. Only one of them can be written to, and which
 * one changes when a standby is promoted. Undefined if the text is no such URL.
 */
export function hostUrls(url: string): string[] | undefined {
  const [, start, hosts, rest] = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/.exec(url) ?? [];
  if (start === undefined || hosts === undefined || rest === undefined) return undefined;
  const names = hosts.split(',');
  const [path = '', query] = rest.split('?');
  const parameters = new URLSearchParams(query);
  const sessionAttributes = parameters.get(SESSION_ATTRIBUTES);
  // Grove always writes: a session that may be read-only is of no use to it.
  if (sessionAttributes !== null && !WRITABLE.includes(sessionAttributes)) return undefined;
  parameters.delete(SESSION_ATTRIBUTES);
  const tail =
    path +
    (sessionAttributes === null ? (query === undefined ? '' : `?${query}`) : withPrefix('?', String(parameters)));
  const urls = names.map((name) => `${start}${name}${tail}`);
  if (names.length > MAX_HOSTS || (names.length > 1 && names.includes(''))) return undefined;
  // A database behind a local socket has no host: postgres://user@/database?host=/folder.
  const isValid = (each: string) => URL.canParse(each.replace(/(@|:\/\/)\//, '$1localhost/'));
  return urls.every(isValid) ? urls : undefined;
}

/**
 * Whether the URL leads to a pooler that lends its connections for one transaction, as PgBouncer does:
 * `postgres://user@pgbouncer:6432/grove?pgbouncer=true`.
 */
export function isPooled(url: string): boolean {
  return new URLSearchParams(url.split('?')[1]).get('pgbouncer') === 'true';
}

const SESSION_ATTRIBUTES = 'target_session_attrs';
const WRITABLE = ['read-write', 'primary'];
const MAX_HOSTS = 8;

const withPrefix = (prefix: string, text: string) => (text ? `${prefix}${text}` : '');

/** Whether the server accepts changes. A standby answers every read and refuses every change. */
export async function isWritable(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  return rows[0]?.transaction_read_only === 'off';
}

const CONNECT_TIMEOUT_MS = 10_000;

/** A new connection to the first server of the URL that can be written to. */
export async function connectWritable(url: string, options: pg.ClientConfig): Promise<pg.Client> {
  let failure: unknown = new Error('no server of DATABASE_URL can be written to');
  for (const connectionString of hostUrls(url) ?? [url]) {
    const client = new pg.Client({ ...options, connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    // A lost connection fails the statement that runs; without a listener it would end the process as well.
    client.on('error', () => undefined);
    try {
      await client.connect();
      if (await isWritable(client)) return client;
    } catch (error) {
      failure = error;
    }
    await client.end().catch(() => undefined);
  }
  throw failure;
}
