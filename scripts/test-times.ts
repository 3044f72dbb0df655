import { existsSync, readFileSync } from 'node:fs';

/** Where the time of a run went: for each process the seconds of the wall, its own processor time and its children's. */
type Times = { readonly module: string; readonly wall: number; readonly own: number; readonly children: number };

export function printTimes(file: string, modules: ReadonlyMap<string, readonly string[]>): void {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const processes = lines
    .map((line) => JSON.parse(line) as Times)
    .map(({ module, wall, own, children }) => ({ files: modules.get(module) ?? [], wall, cpu: own + children }));
  const sum = processes.reduce((total, { cpu }) => total + cpu, 0);
  console.log(`${processes.length} processes took ${sum.toFixed(0)} s of processor time; processor and wall of each:`);
  for (const { files, wall, cpu } of processes.sort((a, b) => b.cpu - a.cpu)) {
    const name = files.length === 1 ? files[0] : `${files.length} files: ${files.join(' ')}`;
    console.log(`${cpu.toFixed(1).padStart(7)} ${wall.toFixed(1).padStart(7)}  ${name}`);
  }
}
