import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Seconds of processor time of this process, and of those that it has started and waited for, and of theirs. */
export function processorTime(): { own: number; children: number } {
  const { user, system } = process.cpuUsage();
  return { own: (user + system) / 1e6, children: secondsOfChildren() };
}

/** Only Linux tells it. */
function secondsOfChildren(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // A tick is a hundredth of a second wherever Node runs.
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}

/** Seconds that all processors of the machine have worked since it started, for whomever: a browser ends its own processes. */
export function machineTime(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + (user + nice + sys + irq) / 1000, 0);
}
