import { existsSync, readFileSync } from 'node:fs';
import { machineTime, processorTime } from './processor-time.ts';

/** Where the time of a run went: for each process the seconds of the wall, its own processor time and its children's. */
type Times = { readonly module: string; readonly wall: number; readonly own: number; readonly children: number };

const machineBefore = machineTime();

/** How many a run shows that was not asked for all of them. */
const COSTLIEST = 10;

/** To be called when everything that the run has started has ended: its time counts from then on. */
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
