import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** What the system tells about a process. Only Linux has /proc; elsewhere the answer is undefined. */

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

/** Processor time of all its threads, in the kernel and outside it, since it started. */
export function cpuMicros(pid: number): number | undefined {
  if (!existsSync(`/proc/${pid}/stat`)) return undefined;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the name of the program, which may hold blanks and brackets: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksPerSecond();
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
