/** Counts how long steps take, on a scale of durations: it takes little room and says more than a mean. Pure. */
const RUNGS_SECONDS = [5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1800] as const;
const PREFIX = 'SECONDS_';
const LONGER = `${PREFIX}MORE`;

export function rungOf(ms: number): string {
  const rung = RUNGS_SECONDS.find((seconds) => ms <= seconds * 1000);
  return rung === undefined ? LONGER : `${PREFIX}${rung}`;
}

/** Half of the steps took at most this long. Undefined if there are none, or if the median is beyond the scale. */
export function medianSeconds(countOf: (what: string) => number): number | undefined {
  const counts = RUNGS_SECONDS.map((seconds) => countOf(`${PREFIX}${seconds}`));
  const total = counts.reduce((sum, count) => sum + count, countOf(LONGER));
  let below = 0;
  for (const [at, seconds] of RUNGS_SECONDS.entries()) {
    below += counts[at] ?? 0;
    if (total > 0 && below * 2 >= total) return seconds;
  }
  return undefined;
}
