import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** What the system reports about a process. Only Linux has /proc; elsewhere the results are undefined. */

let ticks: number | undefined;

function ticksPerSecond(): number {
  if (ticks === undefined) {
    try {
      ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) || 100;
    } catch {
      ticks = 100;
    }
  }
  return ticks;
}

/**
 * The processor time of all threads of a process since it started, in the kernel and outside it. `withEnded` adds the time of
 * its children that have ended.
 */
export function cpuMicros(pid: number, { withEnded = false } = {}): number | undefined {
  if (!existsSync(`/proc/${pid}/stat`)) return undefined;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name of the program, which may contain blanks and brackets, so fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticksSpent = fields.slice(11, withEnded ? 15 : 13).reduce((sum, each) => sum + Number(each), 0);
  return (ticksSpent * 1_000_000) / ticksPerSecond();
}

/** The processor time of a process and of all its descendants, including those that have ended. */
export function familyCpuMicros(pid: number): number | undefined {
  const own = cpuMicros(pid, { withEnded: true });
  const children = childrenOf(pid).map((child) => cpuMicros(child, { withEnded: true }) ?? 0);
  return own === undefined ? undefined : children.reduce((sum, each) => sum + each, own);
}

export function parentOf(pid: number): number | undefined {
  const text = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  const line = /^PPid:\s+(\d+)$/m.exec(text);
  return line ? Number(line[1]) : undefined;
}

export function programOf(pid: number): string | undefined {
  return existsSync(`/proc/${pid}/comm`) ? readFileSync(`/proc/${pid}/comm`, 'utf8').trim() : undefined;
}

export function residentMb(pid: number): number | undefined {
  return statusMb(pid, 'VmRSS');
}

export function peakResidentMb(pid: number): number | undefined {
  return statusMb(pid, 'VmHWM');
}

function statusMb(pid: number, field: string): number | undefined {
  if (!existsSync(`/proc/${pid}/status`)) return undefined;
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return line ? Number(line[1]) / 1024 : undefined;
}

export function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}
