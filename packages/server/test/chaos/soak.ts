import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { residentMb } from '../../../../bench/process-stats.ts';
import type { TestApp } from '../harness.ts';
import { startPostgres, urlIn } from '../postgres.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { seedWriters, startLoad } from './load.ts';
import { type Back, goThrough, issue, reach } from './people.ts';
import type { DatabaseServers } from './servers.ts';

/**
 * Whether the memory of a server stays the same under load: one server on PostgreSQL, with writers, journeys of the
 * sandbox, webhooks and a reader of lists.
 */
export type SoakOptions = {
  seconds: number;
  /** Each row covers a minute, or fewer seconds. */
  rowSeconds: number;
  onRow?(row: SoakRow): void;
};
export type SoakRow = {
  seconds: number;
  /** The mean resident memory, measured each second. */
  residentMb: number;
  changes: number;
  journeys: number;
  lists: number;
  failures: readonly string[];
};

const WALKERS = 2;
const PAUSE_MS = 50;
const READ_EVERY_MS = 100;
const MAX_FAILURES = 20;
const LISTS = [
  '/api/arthr/apiKeys',
  '/api/process-manager/processInstances?size=20',
  '/api/process-manager/processTokens',
  '/api/process-manager/auditEvents',
];

export async function runSoak({ seconds, rowSeconds, onRow }: SoakOptions) {
  const nodes = [{ GROVE_VISION: 'off' }];
  const cluster = await startCluster({ database: await startOne(), nodes, seed: seedSoak });
  try {
    const { seeded, apiKey } = cluster;
    const call = reach(cluster.nodes);
    const [live, test] = [await issue(call, apiKey), await issue(call, seeded.testKey)];
    const back: Back = { call, bearers: { live, test }, tokens: { live: '', test: seeded.testToken } };
    const writers = startLoad({ servers: cluster.nodes, bearer: live, ...seeded });
    const people = startPeople(back, apiKey);
    const rows: SoakRow[] = [];
    for (let second = rowSeconds; second <= seconds; second += rowSeconds) {
      const { answers, acknowledgedAt } = writers.history;
      const others = [...answers].map(([answer, count]) => `${count} times ${answer}`);
      const mean = await meanResidentMb(cluster, rowSeconds);
      const failures = [...people.failures, ...others];
      const { journeys, lists } = people.counts;
      rows.push({ seconds: second, residentMb: mean, changes: acknowledgedAt.length, journeys, lists, failures });
      onRow?.(rows.at(-1) as SoakRow);
    }
    await Promise.all([writers.stop(), people.stop()]);
    return { rows, journeys: people.counts.journeys };
  } finally {
    await cluster.stop();
  }
}

/** One server of PostgreSQL without faults. */
async function startOne(): Promise<DatabaseServers> {
  const { folder, stop } = await startPostgres();
  return {
    description: 'one server of PostgreSQL',
    urlOf: (role, database) => urlIn(folder, role, database),
    leaderUrl: async (role, database) => urlIn(folder, role, database),
    async administrate(statement) {
      const client = new pg.Client({ connectionString: urlIn(folder, 'admin', 'postgres') });
      await client.connect();
      return client.query(statement).finally(() => client.end());
    },
    stop,
  };
}

async function seedSoak(app: TestApp, receiverUrl: string) {
  const writers = await seedWriters(app, receiverUrl);
  const { apiKey: testKey } = await app.app.tenants.createApiKey(app.tenantId, { name: 'test', environment: 'test' });
  const token = { name: 'sandbox', processDefnName: 'document-and-selfie' };
  const init = { method: 'POST', body: JSON.stringify(token), token: await app.token(testKey) };
  const creation = await app.call('/api/process-manager/processTokens', init);
  if (creation.status !== 201) throw new Error(creation.text);
  return { ...writers, testKey, testToken: String(creation.body.id) };
}

/** End users run journeys of the sandbox, and a back end reads lists and exchanges tokens. */
function startPeople(back: Back, apiKey: string) {
  const counts = { journeys: 0, lists: 0 };
  const failures: string[] = [];
  let stopping = false;
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      if (failures.length < MAX_FAILURES) failures.push((error as Error).message);
    }
  };
  const walk = async (walker: number) => {
    for (let number = walker; !stopping; number += WALKERS) {
      await attempt(async () => {
        await goThrough(back, { environment: 'test', number, challenges: 0 }, undefined);
        counts.journeys += 1;
      });
      await sleep(PAUSE_MS);
    }
  };
  const read = async () => {
    for (; !stopping; await sleep(READ_EVERY_MS)) {
      for (const path of LISTS) {
        await attempt(async () => {
          await back.call(path, { token: back.bearers.live });
          counts.lists += 1;
        });
      }
      await attempt(() => issue(back.call, apiKey));
    }
  };
  const all = [read(), ...Array.from({ length: WALKERS }, (_, walker) => walk(walker))];
  return {
    counts,
    failures: failures as readonly string[],
    async stop() {
      stopping = true;
      await Promise.all(all);
    },
  };
}

async function meanResidentMb({ nodes: [node] }: Cluster<DatabaseServers>, seconds: number): Promise<number> {
  let sum = 0;
  for (let second = 0; second < seconds; second++) {
    await sleep(1000);
    if (!node?.isAlive || node.pid === undefined) throw new Error('the server has ended');
    sum += residentMb(node.pid) ?? Number.NaN;
  }
  return sum / seconds;
}
