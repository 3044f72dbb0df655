import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import type { Pair } from './pair.ts';
import type { Patroni } from './patroni.ts';
import type { DatabaseServers } from './servers.ts';

/** The faults that are injected under load. Each resolves when the database could be written to again. */
export type Fault<D extends DatabaseServers> = {
  name: string;
  /** It needs disks of limited size. */
  needsDisks?: true;
  inject(cluster: Cluster<D>): Promise<void>;
  after?(cluster: Cluster<D>): Promise<void>;
};

const HOLD_MS = 5000;
const CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'grove_test'";

const A_SERVER_IS_KILLED: Fault<DatabaseServers> = {
  name: 'a server of Grove is killed',
  async inject({ nodes: [first] }) {
    await first?.kill();
  },
  async after({ nodes: [first] }) {
    await first?.start();
  },
};

export const FAULTS: readonly Fault<Pair>[] = [
  { name: 'none', inject: () => sleep(HOLD_MS) },
  {
    name: 'the leader is killed, the standby is promoted',
    inject: ({ database }) => database.failOver(),
    after: ({ database }) => database.rebuild(),
  },
  { name: 'PostgreSQL is restarted', inject: ({ database }) => database.restart() },
  {
    name: `PostgreSQL hangs for ${HOLD_MS / 1000} s (SIGSTOP)`,
    async inject({ database }) {
      database.signal('SIGSTOP');
      await sleep(HOLD_MS);
      database.signal('SIGCONT');
    },
  },
  {
    name: `PostgreSQL is read-only for ${HOLD_MS / 1000} s`,
    async inject({ database }) {
      await database.administrate('ALTER ROLE grove_test SET default_transaction_read_only = on');
      await database.administrate(CUT);
      await sleep(HOLD_MS);
      await database.administrate('ALTER ROLE grove_test RESET default_transaction_read_only');
      await database.administrate(CUT);
    },
  },
  {
    name: `three connections for all servers for ${HOLD_MS / 1000} s`,
    async inject({ database }) {
      await database.administrate('ALTER ROLE grove_test CONNECTION LIMIT 3');
      await database.administrate(CUT);
      await sleep(HOLD_MS);
      await database.administrate('ALTER ROLE grove_test CONNECTION LIMIT -1');
    },
  },
  {
    name: `the network to PostgreSQL is cut for ${HOLD_MS / 1000} s`,
    async inject({ database }) {
      database.cut();
      await sleep(HOLD_MS);
      database.mend();
    },
  },
  {
    name: `the disk of PostgreSQL is full for ${HOLD_MS / 1000} s`,
    needsDisks: true,
    async inject({ database }) {
      // The log has a new file: without room for one, PostgreSQL would end.
      await database.administrate('SELECT pg_switch_wal()');
      await database.administrate('CHECKPOINT');
      database.disk()?.fill();
      await sleep(HOLD_MS);
      database.disk()?.empty();
    },
  },
  A_SERVER_IS_KILLED,
];

const WITH_PATRONI: readonly Fault<Patroni>[] = [
  { name: 'none', inject: () => sleep(HOLD_MS) },
  { name: 'the leader and its Patroni are killed', inject: ({ database }) => database.killLeader() },
  { name: 'a switchover', inject: ({ database }) => database.switchOver() },
  { name: 'the leader and its Patroni hang, and go on', inject: ({ database }) => database.hangLeader() },
  { name: 'etcd hangs for longer than the lead lasts', inject: ({ database }) => database.hangEtcd() },
  A_SERVER_IS_KILLED,
];

/** After each of them, all members follow one leader again. */
export const PATRONI_FAULTS: readonly Fault<Patroni>[] = WITH_PATRONI.map(({ after, ...fault }) => ({
  ...fault,
  async after(cluster) {
    await after?.(cluster);
    await cluster.database.rebuild();
  },
}));
