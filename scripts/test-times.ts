import { existsSync, readFileSync } from 'node:fs';
import { machineTime, processorTime } from './processor-time.ts';

/** The times of a process in seconds: wall time, its own processor time and that of its children. */
type Times = { readonly module: string; readonly wall: number; readonly own: number; readonly children: number };

const machineBefore = machineTime();

/** How many processes a run prints by default. */
const COSTLIEST = 10;

/** Must be called when all processes of the run have ended, because only then their time is counted. */
export function printTimes(file: string, modules: ReadonlyMap<string, readonly string[]>, isAll: boolean): void {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const processes = lines
    .map((line) => JSON.parse(line) as Times)
    .map(({ module, wall, own, children }) => ({ files: modules.get(module) ?? [], wall, cpu: own + children }));
  const { own, children } = processorTime();
  const minutes = (seconds: number) => (seconds / 60).toFixed(1);
  const ofMachine = minutes(machineTime() - machineBefore);
  console.log(`in ${minutes(process.uptime())} minutes the processors of the machine worked for ${ofMachine} minutes`);
  const time = minutes(own + children);
  console.log(`${processes.length} processes took ${time} minutes of processor time; processor and wall of each:`);
  const costliest = processes.sort((a, b) => b.cpu - a.cpu);
  for (const { files, wall, cpu } of isAll ? costliest : costliest.slice(0, COSTLIEST)) {
    const name = files.length === 1 ? files[0] : `${files.length} files: ${files.join(' ')}`;
    console.log(`${cpu.toFixed(1).padStart(7)} ${wall.toFixed(1).padStart(7)}  ${name}`);
  }
}
