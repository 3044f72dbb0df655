import { parseArgs } from 'node:util';

/**
 * Computes what an installation needs for a number of verifications a day, from the measured cost of one verification.
 * `docs/scaling.md` has the table for a million; a test compares the two.
 */
export type Demand = {
  readonly perDay: number;
  /** The busiest hour divided by the mean of the day. */
  readonly peak: number;
  readonly sides: number;
  readonly days: number;
};

/**
 * Processor seconds of one core (Neoverse N1) for one verification. Vision: `node bench/attacks/verification.ts` on a quiet
 * machine. Server and database: a sandbox journey on PostgreSQL with its polling, on a busy machine, so an upper limit.
 */
const SECONDS = { documentSide: 1.5, challenge: 1.45, judgement: 0.35, server: 0.072, database: 0.045 };
/** What one verification stores, estimated: the rows, and the pictures of a telephone with the frames of the challenge. */
const ROWS_KB = 12;
const PICTURES_MB = 2.5;
const EVENTS = 6;
/** The default number of requests to one endpoint at a time, and the usual response time of a receiver. */
const PER_ENDPOINT = 4;
const RECEIVER_SECONDS = 0.05;
/** How busy processors may be in the busiest hour. */
const MOST_BUSY = 0.7;
const SECONDS_OF_DAY = 86_400;

export type Need = { readonly what: string; readonly mean: string; readonly peak: string };

export function needsOf({ perDay, peak, sides, days }: Demand): Need[] {
  const perSecond = perDay / SECONDS_OF_DAY;
  const cores = (what: string, seconds: number): Need => ({
    what,
    mean: inWords(perSecond * seconds),
    peak: String(Math.ceil((perSecond * peak * seconds) / MOST_BUSY)),
  });
  return [
    { what: 'verifications a second', mean: inWords(perSecond), peak: inWords(perSecond * peak) },
    cores('cores with the role vision', sides * SECONDS.documentSide + SECONDS.judgement),
    cores('cores with the role api, for frames of challenges', SECONDS.challenge),
    cores('cores with the roles api and worker, for everything else', SECONDS.server),
    cores('cores of PostgreSQL', SECONDS.database),
    {
      what: `requests at a time to one endpoint of webhooks (GROVE_WEBHOOKS_PER_ENDPOINT; ${PER_ENDPOINT} unless set)`,
      mean: inWords(perSecond * EVENTS * RECEIVER_SECONDS),
      peak: String(Math.max(PER_ENDPOINT, Math.ceil((perSecond * peak * EVENTS * RECEIVER_SECONDS) / MOST_BUSY))),
    },
    { what: `database after ${days} days of retention, GB`, mean: inWords((perDay * days * ROWS_KB) / 1e6), peak: '' },
    {
      what: `bucket after ${days} days of retention, TB`,
      mean: inWords((perDay * days * PICTURES_MB) / 1e6),
      peak: '',
    },
  ];
}

export function capacityTable(demand: Demand): string {
  const rows = needsOf(demand).map(({ what, mean, peak }) => `| ${what} | ${mean} | ${peak} |`);
  return ['| what | mean | busiest hour |', '| --- | ---: | ---: |', ...rows].join('\n');
}

function inWords(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
}

export const A_MILLION: Demand = { perDay: 1_000_000, peak: 4, sides: 2, days: 30 };
const MOST = 1e9;

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      'per-day': { type: 'string', default: String(A_MILLION.perDay) },
      peak: { type: 'string', default: String(A_MILLION.peak) },
      sides: { type: 'string', default: String(A_MILLION.sides) },
      days: { type: 'string', default: String(A_MILLION.days) },
    },
  });
  const demand = {
    perDay: Number(values['per-day']),
    peak: Number(values.peak),
    sides: Number(values.sides),
    days: Number(values.days),
  };
  if (Object.values(demand).some((value) => !(value > 0 && value <= MOST))) {
    console.error('npm run capacity -- [--per-day 1000000] [--peak 4] [--sides 2] [--days 30]');
    process.exitCode = 2;
  } else {
    console.log(capacityTable(demand));
  }
}
