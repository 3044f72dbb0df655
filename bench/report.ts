import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ECHO_NOISE } from './bars.ts';
import { median } from './numbers.ts';
import type { Check, Comparison, Environment, Figures, Run, ScenarioResult } from './results.ts';

/** The tables, as Markdown for the terminal and for the README. */
export function render({ environment, scenarios }: Run): string {
  const comparisons = scenarios.filter((each) => each.kind === 'comparison');
  const figures = scenarios.filter((each) => each.kind === 'figures');
  const failures = scenarios.filter((each) => each.kind === 'failure');
  return [
    circumstances(environment),
    ...(comparisons.length > 0 ? [comparisonTable(comparisons)] : []),
    ...(figures.length > 0 ? [figureTable(figures)] : []),
    ...failures.map(({ name, reason }) => `FAILED ${name}: ${reason}`),
  ].join('\n\n');
}

function circumstances(environment: Environment): string {
  const { node, platform, cpu, cores, tool, connections, seconds, rounds } = environment;
  const loads = [environment.loadAverageBefore[0], environment.loadAverageAfter[0]].map((each) => each?.toFixed(1));
  return (
    `Node ${node} on ${platform}, ${cores} × ${cpu}; ${tool}, ${connections} connections, ` +
    `${rounds} rounds of ${seconds} s; load average ${loads[0]} before and ${loads[1]} after.`
  );
}

const COMPARISON_HEAD = [
  'scenario',
  'req/s',
  'p50 ms',
  'p99 ms',
  'CPU µs/req',
  'PostgreSQL µs/req',
  'RSS MB',
  'yardstick req/s',
  'its CPU µs/req',
  'ratio',
  'lowest to highest',
  'ratio by CPU',
  'bar',
  '',
];

function comparisonTable(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map((each) => {
    const { server, yardstick, checks } = each;
    const ratios = each.rounds.map(({ throughputRatio }) => throughputRatio);
    return [
      each.name,
      Math.round(server.perSecond).toLocaleString('en'),
      server.p50Ms.toFixed(1),
      server.p99Ms.toFixed(1),
      formatted(server.cpuMicrosPerRequest, 0),
      server.databaseMicrosPerRequest === undefined ? '' : formatted(server.databaseMicrosPerRequest, 0),
      formatted(server.residentMb, 0),
      Math.round(yardstick.perSecond).toLocaleString('en'),
      formatted(yardstick.cpuMicrosPerRequest, 0),
      each.throughputRatio.toFixed(2),
      `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
      formatted(each.cpuRatio, 2),
      checks.map(ratioBar).join(),
      each.name === 'echo' ? noise(each) : verdict(checks),
    ];
  });
  return table([COMPARISON_HEAD, ...rows]);
}

function ratioBar({ what, measured, bar, atMost }: Check): string {
  return atMost ? `${measured.toFixed(2)} ${what}, ≤ ${bar}` : `≥ ${bar.toFixed(2)}`;
}

/** Judges the noise by each round, because the median of the ratios may be 1 by chance. */
function noise({ rounds }: Comparison): string {
  return median(rounds.map((round) => Math.abs(round.throughputRatio - 1))) <= ECHO_NOISE ? 'quiet' : 'NOISY';
}

function figureTable(all: readonly Figures[]): string {
  const rows = all.flatMap(({ name, figures, checks }) =>
    figures.map(({ what, value, unit }) => {
      const its = checks.filter((check) => check.what === what);
      const bar = its
        .map((check) => `${check.atLeast ? '≥' : '≤'} ${check.bar.toLocaleString('en')} ${check.unit}`)
        .join();
      return [name, what, `${Math.round(value).toLocaleString('en')} ${unit}`, bar, verdict(its)];
    }),
  );
  return table([['scenario', 'what', 'measured', 'bar', ''], ...rows]);
}

function verdict(checks: readonly Check[]): string {
  if (checks.length === 0) return '';
  return checks.every(({ ok }) => ok) ? 'ok' : 'BELOW';
}

function formatted(value: number | undefined, digits: number): string {
  return value === undefined ? '–' : value.toFixed(digits);
}

/** Renders a table as Markdown that is also readable as plain text. */
function table([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? '').length)));
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const padded = (row: string[]) =>
    line(widths.map((width, at) => (at === 0 ? (row[at] ?? '').padEnd(width) : (row[at] ?? '').padStart(width))));
  const rule = line(widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)));
  return [padded(head), rule, ...rows.map(padded)].join('\n');
}

/** Writes one file for the run if a file was named, otherwise one for each scenario. */
export function writeJson({ environment, scenarios }: Run, file: string | undefined): void {
  const write = (path: string, results: readonly ScenarioResult[]) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify({ environment, scenarios: results }, null, 2)}\n`);
  };
  const folder = fileURLToPath(new URL('./results', import.meta.url));
  if (file !== undefined) write(file, scenarios);
  else for (const each of scenarios) write(join(folder, `${each.name}.json`), [each]);
}

const BEGIN = '<!-- bench table -->';
const END = '<!-- /bench table -->';

export function writeReadme(tables: string): void {
  const file = new URL('./README.md', import.meta.url);
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`the README has lost its lines ${BEGIN} and ${END}`);
  writeFileSync(file, `${text.slice(0, from + BEGIN.length)}\n\n${tables}\n\n${text.slice(to)}`);
}
