import { memoryChecks, ratioChecks } from './bars.ts';
import type { Load, LoadTool } from './load.ts';
import { median, medianOfKnown } from './numbers.ts';
import { cpuMicros, familyCpuMicros, residentMb } from './process-stats.ts';
import type { Comparison, Round, Sample } from './results.ts';
import type { Target } from './target.ts';

export type ComparisonPlan = {
  name: string;
  server: Target;
  yardstick: Target;
  answerBytes: number;
  /** Round 0 is the warm-up. */
  loadOf(round: number): Load | Promise<Load>;
};

export type ComparisonOptions = {
  tool: LoadTool;
  rounds: number;
  seconds: number;
  connections: number;
  progress(text: string): void;
};

/** Loads the two in turn, each round in the opposite order, so that a machine that becomes slower is unfair to neither. */
export async function compare(plan: ComparisonPlan, options: ComparisonOptions): Promise<Comparison> {
  const rounds: Round[] = [];
  for (let number = 0; number <= options.rounds; number++) {
    const round = await oneRound(plan, options, number);
    const ratio = `${round.throughputRatio.toFixed(2)} of the yardstick`;
    options.progress(`${plan.name}: ${number === 0 ? 'warm-up' : `round ${number}`}, ${ratio}`);
    // The first round pays for compilation and empty caches, on both sides.
    if (number > 0) rounds.push(round);
  }
  const throughputRatio = median(rounds.map((round) => round.throughputRatio));
  const server = middle(rounds.map((round) => round.server));
  return {
    kind: 'comparison',
    name: plan.name,
    answerBytes: plan.answerBytes,
    rounds,
    server,
    yardstick: middle(rounds.map(({ yardstick }) => yardstick)),
    throughputRatio,
    cpuRatio: medianOfKnown(rounds.map(({ cpuRatio }) => cpuRatio)),
    checks: [...ratioChecks(plan.name, throughputRatio), ...memoryChecks(plan.name, server.residentMb)],
  };
}

async function oneRound(plan: ComparisonPlan, options: ComparisonOptions, number: number): Promise<Round> {
  const load = await plan.loadOf(number);
  const measureServer = () => sample(plan.server, load, options);
  const measureYardstick = () => sample(plan.yardstick, load, options);
  const first = number % 2 === 0 ? await measureServer() : await measureYardstick();
  const second = number % 2 === 0 ? await measureYardstick() : await measureServer();
  const [server, yardstick] = number % 2 === 0 ? [first, second] : [second, first];
  const hasCpu = server.cpuMicrosPerRequest !== undefined && yardstick.cpuMicrosPerRequest !== undefined;
  return {
    server,
    yardstick,
    throughputRatio: server.perSecond / yardstick.perSecond,
    cpuRatio: hasCpu ? Number(yardstick.cpuMicrosPerRequest) / Number(server.cpuMicrosPerRequest) : undefined,
  };
}

export async function sample(
  target: Target,
  load: Load,
  { tool, connections, seconds }: Pick<ComparisonOptions, 'tool' | 'connections' | 'seconds'>,
): Promise<Sample> {
  const { pid, databasePid } = target;
  const times = () => [cpuMicros(pid), databasePid === undefined ? undefined : familyCpuMicros(databasePid)] as const;
  const before = times();
  const measured = await tool.run({ origin: target.origin, load, connections, seconds });
  const after = times();
  const perRequest = (at: 0 | 1) => {
    const [from, to] = [before[at], after[at]];
    return from === undefined || to === undefined ? undefined : (to - from) / measured.requests;
  };
  return {
    ...measured,
    cpuMicrosPerRequest: perRequest(0),
    databaseMicrosPerRequest: perRequest(1),
    residentMb: residentMb(target.pid),
  };
}

function middle(samples: readonly Sample[]): Sample {
  const of = (field: 'requests' | 'perSecond' | 'p50Ms' | 'p99Ms') => median(samples.map((each) => each[field]));
  return {
    requests: of('requests'),
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    cpuMicrosPerRequest: medianOfKnown(samples.map(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest)),
    databaseMicrosPerRequest: medianOfKnown(samples.map(({ databaseMicrosPerRequest }) => databaseMicrosPerRequest)),
    // Memory grows, so the last sample is the one that counts.
    residentMb: samples.at(-1)?.residentMb,
  };
}
