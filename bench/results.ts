/** What a run leaves behind, as it is written to JSON. */

/** A number that has a bar, and whether it keeps it. */
export type Check = {
  what: string;
  measured: number;
  bar: number;
  unit: string;
  ok: boolean;
  /** Figures are limits unless this says that more is better; ratios always are. */
  atLeast?: true;
  /** Ratios are better if they are higher unless this says that less is better. */
  atMost?: true;
};

export type Sample = {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMicrosPerRequest: number | undefined;
  /** Processor time of PostgreSQL, if it runs on this machine. */
  databaseMicrosPerRequest?: number | undefined;
  residentMb: number | undefined;
};

/** Ratios are the server's merit over the yardstick's: 1 is as good as bare Node, more is better. */
export type Round = {
  server: Sample;
  yardstick: Sample;
  throughputRatio: number;
  cpuRatio: number | undefined;
};

export type Comparison = {
  kind: 'comparison';
  name: string;
  answerBytes: number;
  rounds: Round[];
  server: Sample;
  yardstick: Sample;
  throughputRatio: number;
  cpuRatio: number | undefined;
  checks: Check[];
};

export type Figures = {
  kind: 'figures';
  name: string;
  /** In words and in order, for the table. */
  figures: { what: string; value: number; unit: string }[];
  series: Record<string, number[]>;
  checks: Check[];
};

export type Failure = { kind: 'failure'; name: string; reason: string };

export type ScenarioResult = Comparison | Figures | Failure;

export type Environment = {
  node: string;
  platform: string;
  cpu: string;
  cores: number;
  tool: string;
  connections: number;
  seconds: number;
  rounds: number;
  startedDtm: string;
  loadAverageBefore: number[];
  loadAverageAfter: number[];
};

export type Run = { environment: Environment; scenarios: ScenarioResult[] };

export function isBelow(result: ScenarioResult): boolean {
  return result.kind === 'failure' || result.checks.some(({ ok }) => !ok);
}
