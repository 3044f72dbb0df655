import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';

/** What is done to the installation while it is loaded. Each resolves when the database could be written to again. */
export type Fault = {
  name: string;
  /** It needs disks of limited size. */
  needsDisks?: true;
  inject(cluster: Cluster): Promise<void>;
  after?(cluster: Cluster): Promise<void>;
};

const HOLD_MS = 5000;
const CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'grove_test'";

export const FAULTS: readonly Fault[] = [
  { name: 'none', inject: () => sleep(HOLD_MS) },
  {
    name: 'the leader is killed, the standby is promoted',
    inject: ({ pair }) => pair.failOver(),
    after: ({ pair }) => pair.rebuild(),
  },
  { name: 'PostgreSQL is restarted', inject: ({ pair }) => pair.restart() },
  {
    name: `PostgreSQL hangs for ${HOLD_MS / 1000} s (SIGSTOP)`,
    async inject({ pair }) {
      pair.signal('SIGSTOP');
      await sleep(HOLD_MS);
      pair.signal('SIGCONT');
    },
  },
  {
    name: `PostgreSQL is read-only for ${HOLD_MS / 1000} s`,
    async inject({ pair }) {
      await pair.administrate('ALTER ROLE grove_test SET default_transaction_read_only = on');
      await pair.administrate(CUT);
      await sleep(HOLD_MS);
      await pair.administrate('ALTER ROLE grove_test RESET default_transaction_read_only');
      await pair.administrate(CUT);
    },
  },
  {
    name: `three connections for all servers for ${HOLD_MS / 1000} s`,
    async inject({ pair }) {
      await pair.administrate('ALTER ROLE grove_test CONNECTION LIMIT 3');
      await pair.administrate(CUT);
      await sleep(HOLD_MS);
      await pair.administrate('ALTER ROLE grove_test CONNECTION LIMIT -1');
    },
  },
  {
    name: `the network to PostgreSQL is cut for ${HOLD_MS / 1000} s`,
    async inject({ pair }) {
      pair.cut();
      await sleep(HOLD_MS);
      pair.mend();
    },
  },
  {
    name: `the disk of PostgreSQL is full for ${HOLD_MS / 1000} s`,
    needsDisks: true,
    async inject({ pair }) {
      // The log has a new file: without room for one PostgreSQL would end.
      await pair.administrate('SELECT pg_switch_wal()');
      await pair.administrate('CHECKPOINT');
      pair.disk()?.fill();
      await sleep(HOLD_MS);
      pair.disk()?.empty();
    },
  },
  {
    name: 'a server of Grove is killed',
    async inject({ nodes: [first] }) {
      await first?.kill();
    },
    async after({ nodes: [first] }) {
      await first?.start();
    },
  },
];
