import { DAY, HOUR, MINUTE } from '../kernel/clock.ts';
import type { JobSummary } from './jobs.ts';

/** The table of `docs/operating.md`. */
export function jobTable(kinds: readonly JobSummary[]): string {
  const rows = kinds.map((kind) => [`\`${kind.kind}\``, whenOf(kind), kind.does]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} | ---- |`;
  return [line(['kind', 'when', 'what']), rule, ...rows.map(line)].join('\n');
}

function whenOf({ schedule }: JobSummary): string {
  if (!schedule) return 'when needed';
  if ('dailyAt' in schedule) return `daily at ${schedule.dailyAt}, UTC`;
  const { everyMs } = schedule;
  if (everyMs === HOUR) return 'hourly';
  return everyMs < MINUTE || everyMs % MINUTE !== 0 || everyMs >= DAY
    ? `every ${everyMs / 1000} s`
    : `every ${everyMs / MINUTE} min`;
}
