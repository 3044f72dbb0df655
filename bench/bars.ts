import type { Check } from './results.ts';

/**
 * What Grove promises itself. Ratios are to a yardstick measured in the same minute on the same machine, because an
 * absolute number says more about the machine than about the code.
 */
const RATIO_AT_LEAST: Readonly<Record<string, number>> = {
  'get-key': 0.55,
  issue: 0.75,
  'create-key': 0.3,
  'list-keys': 0.3,
};

const AT_MOST = {
  'idle memory': { bar: 120, unit: 'MB' },
  'memory after load': { bar: 250, unit: 'MB' },
  'start to ready': { bar: 1500, unit: 'ms' },
} as const;

/** A second's work where there is no yardstick: what others do with the same database. */
const PER_SECOND_AT_LEAST: Readonly<Record<string, number>> = { jobs: 5000, 'jobs-pg': 2000 };

export function rateChecks(scenario: string, what: string, measured: number): Check[] {
  const bar = PER_SECOND_AT_LEAST[scenario];
  if (bar === undefined) return [];
  return [{ what, measured, bar, unit: 'jobs/s', ok: measured >= bar, atLeast: true }];
}

export function ratioChecks(scenario: string, measured: number): Check[] {
  const bar = RATIO_AT_LEAST[scenario];
  return bar === undefined ? [] : [{ what: 'throughput ratio', measured, bar, unit: '', ok: measured >= bar }];
}

/** None where the system could not tell. */
export function limitChecks(what: keyof typeof AT_MOST, measured: number | undefined): Check[] {
  const { bar, unit } = AT_MOST[what];
  return measured === undefined ? [] : [{ what, measured, bar, unit, ok: measured <= bar }];
}

/** The yardstick against itself must come out as 1; how far its rounds are off, those of others may be. */
export const ECHO_NOISE = 0.1;
