import type { TenantId } from '../../kernel/ids.ts';
import type { Line } from '../../kernel/take-turns.ts';
import { type Db, DbError, type PersonalSeals, type Sql, tenantDb, type Value, type Writes } from '../db.ts';
import type { User } from './fair-places.ts';
import { hostUrls, isPooled, isWritable } from './hosts.ts';
import { firstMonth, tendMonths } from './months.ts';
import { openPool, type Pool } from './pool.ts';
import { openReader } from './reads.ts';
import { ownSession, pooledSession, type Session } from './session.ts';
import { openPostgresSignals } from './signals.ts';
import { toDbError } from './statements.ts';

/** PostgreSQL: two pools of connections, and the handles on them. */
const NOBODY: User = { tenant: '' };
/** Connections for health checks, queues and signals, which go on while callers use all other connections. */
const MAX_CONNECTIONS_ASIDE = 2;

export type PostgresOptions = { url: string; maxConnections: number; onIdleError(error: Error): void };

export function openPostgres({ url, maxConnections, onIdleError }: PostgresOptions): Db {
  const pooled = isPooled(url);
  const session = pooled ? pooledSession : ownSession;
  const poolOf = (max: number) =>
    openPool({ urls: hostUrls(url) ?? [url], maxConnections: max, isPooled: pooled, onIdleError });
  const [main, side] = [poolOf(maxConnections), poolOf(MAX_CONNECTIONS_ASIDE)];
  const seals: PersonalSeals = {};
  const aside = handlesOn(side, session, seals);
  const signals = openPostgresSignals({
    url,
    canListen: !pooled,
    notify: (channel, payload) => aside.system.all({ text: 'SELECT pg_notify($1, $2)' }, [channel, payload]),
  });
  return {
    engine: 'postgres',
    isSingleServer: false,
    seals,
    signals,
    ...handlesOn(main, session, seals),
    aside,
    ready: () =>
      side.use(NOBODY, async ({ connection }) => {
        const canWrite = await isWritable(connection).catch((error) => {
          throw toDbError(error);
        });
        if (!canWrite) throw new DbError('unavailable', new Error('the database is read-only'));
      }),
    tendMonths: (table) => tendMonths(url, table),
    firstMonth: (table) => firstMonth(aside.system, table),
    pools: () => ({ main: main.state(), aside: side.state() }),
    async now() {
      const row = await aside.system.get<{ now: number }>(
        { text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now' },
        [],
      );
      if (!row) throw new Error('the database did not return its time');
      return row.now;
    },
    async close() {
      await signals.close();
      await Promise.all([main.close(), side.close()]);
    },
  };
}

/** The handles of tenants and of the system, on the connections of a pool. */
function handlesOn(pool: Pool, session: Session, seals: PersonalSeals): Pick<Db, 'of' | 'system'> {
  const reader = openReader(pool, session);
  const readsOf = (user: User) => ({
    get: async <R>(statement: Sql, values: readonly Value[]) =>
      (await reader.together(user, statement, values)).rows[0] as R | undefined,
    all: async <R>(statement: Sql, values: readonly Value[]) =>
      (await reader.alone(user, statement, values)).rows as R[],
  });
  const writeOf = <T>(user: User, work: (tx: Writes) => Promise<T>): Promise<T> =>
    pool.use(user, (checkout) => session.write(checkout, user.tenant, work));
  return {
    of(tenantId: TenantId, line?: Line) {
      const user = { tenant: tenantId, line };
      return tenantDb({
        tenantId,
        seals,
        engine: 'postgres',
        reads: readsOf(user),
        write: (work) => writeOf(user, work),
      });
    },
    system: { ...readsOf(NOBODY), write: (work) => writeOf(NOBODY, work) },
  };
}
