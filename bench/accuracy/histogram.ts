import { escaped } from './plot.ts';

export type Series = { readonly name: string; readonly values: readonly number[] };

export type Histograms = {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  /** The values at which a verdict changes. */
  readonly bounds: readonly number[];
  readonly series: readonly Series[];
};

const WIDTH = 760;
const LEFT = 210;
const RIGHT = 20;
const ROW = 46;
const TOP = 30;
const BARS = 60;

/** Draws a row of bars for each series, all on one scale. A bar is the number of values in its range. */
export function drawHistograms({ title, from, to, bounds, series }: Histograms): string {
  const x = (value: number) =>
    LEFT + ((Math.min(Math.max(value, from), to) - from) / (to - from)) * (WIDTH - LEFT - RIGHT);
  const height = TOP + series.length * ROW + 24;
  const rows = series.map(({ name, values }, at) => {
    const foot = TOP + (at + 1) * ROW - 8;
    const counts = countsOf(values, from, to);
    const most = Math.max(1, ...counts);
    const width = (WIDTH - LEFT - RIGHT) / BARS;
    const bars = counts.map((count, bar) => {
      const tall = (count / most) * (ROW - 14);
      const left = LEFT + bar * width;
      return count === 0
        ? ''
        : `<rect x="${left.toFixed(1)}" y="${(foot - tall).toFixed(1)}" width="${width.toFixed(1)}" height="${tall.toFixed(1)}"/>`;
    });
    return `<text x="0" y="${foot - 8}">${escaped(name)} (${values.length})</text><g fill="#1b6e53">${bars.join('')}</g>`;
  });
  const lines = bounds.map(
    (bound) =>
      `<line x1="${x(bound).toFixed(1)}" x2="${x(bound).toFixed(1)}" y1="${TOP}" y2="${height - 22}" stroke="#b3541e"/>`,
  );
  const scale = [from, (from + to) / 2, to].map(
    (value) =>
      `<text x="${x(value).toFixed(1)}" y="${height - 6}" text-anchor="middle">${Number(value.toPrecision(3))}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" font-family="sans-serif" font-size="12" role="img" aria-label="${escaped(title)}"><text x="0" y="16" font-weight="bold">${escaped(title)}</text>${rows.join('')}${lines.join('')}${scale.join('')}</svg>`;
}

/** Values beyond the ends are counted in the first and the last bar. */
function countsOf(values: readonly number[], from: number, to: number): number[] {
  const counts = new Array<number>(BARS).fill(0);
  for (const value of values) {
    const bar = Math.min(BARS - 1, Math.max(0, Math.floor(((value - from) / (to - from)) * BARS)));
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  return counts;
}
