import type { Check, Comparison, ScenarioResult } from './results.ts';

/**
 * The bars of the benchmarks. A ratio compares Grove with a yardstick that was measured in the same minute on the same
 * machine, because an absolute number says more about the machine than about the code.
 */
const RATIO_AT_LEAST: Readonly<Record<string, number>> = {
  'get-key': 0.55,
  issue: 0.75,
  'create-key': 0.3,
  'list-keys': 0.3,
  'get-instance': 0.5,
  'create-instance': 0.2,
  'get-data': 0.5,
  'search-1m': 0.05,
  'totp-authenticate': 0.22,
  'appkey-authenticate': 0.5,
  'passkey-finish': 0.55,
  'user-by-ext-id': 0.5,
};

const AT_MOST = {
  'idle memory': { bar: 120, unit: 'MB' },
  'memory after load': { bar: 250, unit: 'MB' },
  'start to ready': { bar: 1500, unit: 'ms' },
  'all webhooks sent': { bar: 60, unit: 's' },
  'event-loop delay p99': { bar: 100, unit: 'ms' },
  'event-loop delay p99 while reading': { bar: 50, unit: 'ms' },
  'memory with a worker': { bar: 570, unit: 'MB' },
  'memory during uploads': { bar: 350, unit: 'MB' },
  'memory while images are loaded': { bar: 350, unit: 'MB' },
  'first page, p95': { bar: 100, unit: 'ms' },
  'p99 of others, to quiet': { bar: 5, unit: 'times' },
} as const;

/** The number in a second, for scenarios without a yardstick: what other queues reach with the same database. */
const PER_SECOND_AT_LEAST: Readonly<Record<string, number>> = { jobs: 5000, 'jobs-pg': 2000 };

export function rateChecks(scenario: string, what: string, measured: number): Check[] {
  const bar = PER_SECOND_AT_LEAST[scenario];
  if (bar === undefined) return [];
  return [{ what, measured, bar, unit: 'jobs/s', ok: measured >= bar, atLeast: true }];
}

/** How many times faster than another library. */
const TIMES_AT_LEAST: Readonly<Record<string, number>> = { 'passkey-verify': 3 };

export function timesChecks(scenario: string, what: string, measured: number): Check[] {
  const bar = TIMES_AT_LEAST[scenario];
  return bar === undefined ? [] : [{ what, measured, bar, unit: '', ok: measured >= bar, atLeast: true }];
}

export function ratioChecks(scenario: string, measured: number): Check[] {
  const bar = RATIO_AT_LEAST[scenario];
  return bar === undefined ? [] : [{ what: 'throughput ratio', measured, bar, unit: '', ok: measured >= bar }];
}

/** Scenarios that must not become much slower with the number of instances or the page: their ratio divided by that of `of`. */
const LEFT_AT_LEAST = [
  { scenario: 'search-1m', of: 'search-10k', bar: 1 / 3 },
  { scenario: 'list-instances-page-50', of: 'list-instances', bar: 1 / 2 },
] as const;

/** The processor time of the server and PostgreSQL together, divided by that of the same scenario on SQLite. */
const TIMES_OF_SQLITE_AT_MOST: Readonly<Record<string, number>> = {
  'get-key-pg': 2,
  'create-instance-pg': 3,
  'totp-authenticate-pg': 3,
};

function sqliteChecks(result: Comparison, results: readonly ScenarioResult[]): Check[] {
  const bar = TIMES_OF_SQLITE_AT_MOST[result.name];
  const onSqlite = results.find(({ name }) => `${name}-pg` === result.name);
  const { cpuMicrosPerRequest, databaseMicrosPerRequest } = result.server;
  if (bar === undefined || onSqlite?.kind !== 'comparison' || !onSqlite.server.cpuMicrosPerRequest) return [];
  if (cpuMicrosPerRequest === undefined || databaseMicrosPerRequest === undefined) return [];
  const measured = (cpuMicrosPerRequest + databaseMicrosPerRequest) / onSqlite.server.cpuMicrosPerRequest;
  return [{ what: `times ${onSqlite.name}`, measured, bar, unit: '', ok: measured <= bar, atMost: true }];
}

/** Bars between two scenarios of one run. */
export function withRelations(results: readonly ScenarioResult[]): ScenarioResult[] {
  return results.map((result) => {
    if (result.kind === 'comparison') {
      const checks = sqliteChecks(result, results);
      if (checks.length > 0) return { ...result, checks: [...result.checks, ...checks] };
    }
    const relation = LEFT_AT_LEAST.find(({ scenario }) => scenario === result.name);
    const other = results.find(({ name }) => name === relation?.of);
    if (!relation || result.kind !== 'comparison' || other?.kind !== 'comparison') return result;
    const measured = result.throughputRatio / other.throughputRatio;
    const { bar, of } = relation;
    return {
      ...result,
      checks: [...result.checks, { what: `left of ${of}`, measured, bar, unit: '', ok: measured >= bar }],
    };
  });
}

/** No check if the system does not report the value. */
export function limitChecks(what: keyof typeof AT_MOST, measured: number | undefined): Check[] {
  const { bar, unit } = AT_MOST[what];
  return measured === undefined ? [] : [{ what, measured, bar, unit, ok: measured <= bar }];
}

/** In `get-data`, as many callers load images as there are connections. */
export function memoryChecks(scenario: string, measured: number | undefined): Check[] {
  const checks = scenario === 'get-data' ? limitChecks('memory while images are loaded', measured) : [];
  return checks.map((check) => ({ ...check, atMost: true }));
}

/** The ratio of the yardstick to itself must be 1. The rounds of other scenarios may differ by as much as its rounds do. */
export const ECHO_NOISE = 0.1;
