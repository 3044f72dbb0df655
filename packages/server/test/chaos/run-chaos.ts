import { setTimeout as sleep } from 'node:timers/promises';
import { checkHistory, type Verdict } from './check.ts';
import { type Cluster, type Delivery, type Node, startCluster } from './cluster.ts';
import type { Fault } from './faults.ts';
import { type History, seedWriters, startLoad } from './load.ts';
import type { DatabaseServers } from './servers.ts';

export type FaultResult = {
  fault: string;
  acknowledged: number;
  refusals: string;
  /** The time from the fault until the database could be written to again. */
  databaseMs: number;
  /** The time from then until every server had acknowledged a change. */
  recoveryMs: number;
  deaths: number;
};
export type ChaosResult = { faults: FaultResult[]; verdict: Verdict };

export type ChaosOptions<D extends DatabaseServers> = {
  openDatabase(): Promise<D>;
  faults: readonly Fault<D>[];
  /** The reason why a fault cannot be injected here, if there is one. */
  obstacle?(fault: Fault<D>, database: D): string | undefined;
  onResult?(result: FaultResult): void;
  onSkip?(fault: string, reason: string): void;
};

const QUIET_MS = 1000;
const DELIVERED_WITHIN_MS = 60_000;
const RECOVERS_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 100;

/** Injects the faults one after another under load, and then compares the history with the database. */
export async function runChaos<D extends DatabaseServers>(options: ChaosOptions<D>): Promise<ChaosResult> {
  const { faults, openDatabase, obstacle, onResult, onSkip } = options;
  const cluster = await startCluster({ database: await openDatabase(), seed: seedWriters });
  try {
    const bearer = await issue(cluster);
    const load = startLoad({ servers: cluster.nodes, bearer, ...cluster.seeded });
    const { history } = load;
    const results: FaultResult[] = [];
    for (const fault of faults) {
      const reason = obstacle?.(fault, cluster.database);
      if (reason) {
        onSkip?.(fault.name, reason);
        continue;
      }
      const result = await injectOne(cluster, fault, history);
      results.push(result);
      onResult?.(result);
    }
    await load.stop();
    await untilDelivered(cluster, history.created.values());
    const { ask, receiver } = cluster;
    const facts = { ask, deliveries: byInstance(receiver.deliveries), requests: receiver.deliveries.length };
    return { faults: results, verdict: await checkHistory(history, facts) };
  } finally {
    await cluster.stop();
  }
}

async function injectOne<D extends DatabaseServers>(
  cluster: Cluster<D>,
  fault: Fault<D>,
  history: History,
): Promise<FaultResult> {
  await sleep(QUIET_MS);
  const [acknowledged, answers] = [history.acknowledgedAt.length, new Map(history.answers)];
  const injectedAt = Date.now();
  await fault.inject(cluster);
  const { writableAt, recoveryMs } = await untilAcknowledged(cluster, history, Date.now());
  await fault.after?.(cluster);
  await sleep(QUIET_MS);
  const deaths = cluster.nodes.filter(({ isAlive }) => !isAlive).length;
  for (const node of cluster.nodes) if (!node.isAlive) await node.start();
  return {
    fault: fault.name,
    acknowledged: history.acknowledgedAt.length - acknowledged,
    databaseMs: writableAt - injectedAt,
    recoveryMs,
    deaths,
    refusals: [...history.answers]
      .map(([answer, count]) => [answer, count - (answers.get(answer) ?? 0)] as const)
      .filter(([, count]) => count > 0)
      .map(([answer, count]) => `${count} × ${answer}`)
      .join(', '),
  };
}

async function issue({ nodes, apiKey }: Cluster<DatabaseServers>): Promise<string> {
  const answer = await fetch(`${nodes[0]?.url}/api/arthr/apiKeys/issue`, {
    method: 'POST',
    headers: { 'X-Api-Key': apiKey },
  });
  return ((await answer.json()) as { token: string }).token;
}

/**
 * The time until every running server had acknowledged a change. It begins again if the database becomes unavailable
 * meanwhile, as while Patroni finds its next standby.
 */
async function untilAcknowledged(
  { nodes, database }: Cluster<DatabaseServers>,
  { lastAcknowledgedAt }: History,
  since: number,
): Promise<{ writableAt: number; recoveryMs: number }> {
  let writableAt = since;
  let isOver = false;
  const watch = async () => {
    for (let wasWritable = true; !isOver && database.takesWrites; await sleep(LOOK_EVERY_MS)) {
      const isWritable = await database.takesWrites();
      if (isWritable && !wasWritable) writableAt = Date.now();
      wasWritable = isWritable;
    }
  };
  const watching = watch();
  try {
    for (const until = Date.now() + RECOVERS_WITHIN_MS; Date.now() < until; await sleep(5)) {
      const isBack = (node: Node) => !node.isAlive || (lastAcknowledgedAt.get(node.url) ?? 0) >= writableAt;
      if (nodes.every(isBack)) return { writableAt, recoveryMs: Date.now() - writableAt };
    }
  } finally {
    isOver = true;
    await watching;
  }
  const state = (await database.takesWrites?.()) === false ? 'takes no writes' : 'takes writes';
  throw new Error(`a server acknowledges nothing any more, and the database ${state}`);
}

async function untilDelivered({ receiver }: Cluster<DatabaseServers>, ids: Iterable<string>): Promise<void> {
  const expected = [...ids];
  const isComplete = () => {
    const deliveries = byInstance(receiver.deliveries);
    return expected.every((id) => deliveries.has(id));
  };
  for (const until = Date.now() + DELIVERED_WITHIN_MS; Date.now() < until && !isComplete(); ) await sleep(100);
}

/** The delivery ids under which each instance was reported. */
function byInstance(deliveries: readonly Delivery[]): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { id, instanceId } of deliveries) ids.set(instanceId, (ids.get(instanceId) ?? new Set()).add(id));
  return ids;
}
