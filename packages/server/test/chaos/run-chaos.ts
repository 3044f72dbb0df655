import { setTimeout as sleep } from 'node:timers/promises';
import { checkHistory, type Verdict } from './check.ts';
import { type Cluster, startCluster } from './cluster.ts';
import type { Fault } from './faults.ts';
import { startLoad } from './load.ts';

export type FaultResult = { fault: string; acknowledged: number; refused: string; recoveryMs: number; deaths: number };
export type ChaosResult = { faults: FaultResult[]; verdict: Verdict };

const QUIET_MS = 1000;
const TOLD_WITHIN_MS = 60_000;
const RECOVERS_WITHIN_MS = 60_000;

/** Injects the faults one after another under load, and then compares the history with what is there. */
export async function runChaos(
  faults: readonly Fault[],
  onResult?: (result: FaultResult) => void,
  onSkip?: (fault: string, reason: string) => void,
): Promise<ChaosResult> {
  const cluster = await startCluster({ onDisks: faults.some(({ needsDisks }) => needsDisks) });
  try {
    const bearer = await issue(cluster);
    const { nodes: servers, tokens, ownTokens } = cluster;
    const load = startLoad({ servers, bearer, tokens, ownTokens });
    const { history } = load;
    const results: FaultResult[] = [];
    for (const fault of faults) {
      if (fault.needsDisks && !cluster.pair.disk()) {
        onSkip?.(fault.name, 'no disk of limited size can be mounted here');
        continue;
      }
      await sleep(QUIET_MS);
      const [acknowledged, answers] = [history.acknowledgedAt.length, new Map(history.answers)];
      await fault.inject(cluster);
      const recoveryMs = await untilAcknowledged(history.acknowledgedAt, Date.now());
      await fault.after?.(cluster);
      await sleep(QUIET_MS);
      const deaths = cluster.nodes.filter(({ isAlive }) => !isAlive).length;
      for (const node of cluster.nodes) if (!node.isAlive) await node.start();
      const result = {
        fault: fault.name,
        acknowledged: history.acknowledgedAt.length - acknowledged,
        recoveryMs,
        deaths,
        refused: [...history.answers]
          .map(([answer, count]) => [answer, count - (answers.get(answer) ?? 0)] as const)
          .filter(([, count]) => count > 0)
          .map(([answer, count]) => `${count} × ${answer}`)
          .join(', '),
      };
      results.push(result);
      onResult?.(result);
    }
    await load.stop();
    await untilDelivered(cluster, history.created.values());
    const { told, requests } = cluster.receiver;
    return { faults: results, verdict: await checkHistory(history, { ask: cluster.ask, deliveries: told, requests }) };
  } finally {
    await cluster.stop();
  }
}

async function issue({ nodes, apiKey }: Cluster): Promise<string> {
  const answer = await fetch(`${nodes[0]?.url}/api/arthr/apiKeys/issue`, {
    method: 'POST',
    headers: { 'X-Api-Key': apiKey },
  });
  return ((await answer.json()) as { token: string }).token;
}

async function untilAcknowledged(acknowledgedAt: readonly number[], since: number): Promise<number> {
  for (const until = Date.now() + RECOVERS_WITHIN_MS; Date.now() < until; await sleep(5)) {
    const last = acknowledgedAt.at(-1) ?? 0;
    if (last >= since) return last - since;
  }
  throw new Error('nothing is acknowledged any more');
}

async function untilDelivered({ receiver }: Cluster, ids: Iterable<string>): Promise<void> {
  const expected = [...ids];
  const until = Date.now() + TOLD_WITHIN_MS;
  while (Date.now() < until && !expected.every((id) => receiver.told.has(id))) await sleep(100);
}
