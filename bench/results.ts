/** The results of a run, as they are written to JSON. */

/** A number that has a bar, and whether it meets the bar. */
export type Check = {
  what: string;
  measured: number;
  bar: number;
  unit: string;
  ok: boolean;
  /** The bar of a figure is a maximum, unless this says that it is a minimum. */
  atLeast?: true;
  /** The bar of a ratio is a minimum, unless this says that it is a maximum. */
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

/** Ratios compare the server with the yardstick: 1 is as good as bare Node, and higher is better. */
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
  /** The figures for the table, in its order. */
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
