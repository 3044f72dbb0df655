import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** The processor time in seconds of this process, and of all its descendants that have ended and were waited for. */
export function processorTime(): { own: number; children: number } {
  const { user, system } = process.cpuUsage();
  return { own: (user + system) / 1e6, children: secondsOfChildren() };
}

/** Reads /proc, so it works only on Linux. */
function secondsOfChildren(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // A tick is a hundredth of a second on all systems on which Node runs.
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}

/** Busy seconds of all processors since the machine started. They include the processes of browsers, which cannot be read. */
export function machineTime(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + (user + nice + sys + irq) / 1000, 0);
}
