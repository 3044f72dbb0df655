import { readdirSync, readFileSync } from 'node:fs';

/**
 * Ends every process that descends from this one: a test, its servers, its browser. A process whose parent has already died
 * is recognised by a variable in its environment. This works on Linux; elsewhere processes end when their input ends.
 */
const MARK = `GROVE_TEST_RUN=${process.pid}`;
process.env.GROVE_TEST_RUN = String(process.pid);

export function endProcesses(): void {
  // A process may start another one before it is ended, so this runs three times.
  for (let round = 0; round < 3; round++) {
    const all = readProcesses();
    const ended = all.filter(({ pid }) => pid !== process.pid && descends(pid, all));
    if (ended.length === 0) return;
    for (const { pid } of ended) end(pid);
  }
}

type Process = { readonly pid: number; readonly parent: number; readonly isMarked: boolean };

function descends(pid: number, all: readonly Process[]): boolean {
  const one = all.find((each) => each.pid === pid);
  if (!one) return false;
  return one.isMarked || one.parent === process.pid || descends(one.parent, all);
}

function readProcesses(): Process[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readProcess(Number(name)));
  } catch {
    return [];
  }
}

function readProcess(pid: number): Process[] {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    if (state === 'Z') return [];
    const isMarked = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(MARK);
    return [{ pid, parent: Number(parent), isMarked }];
  } catch {
    // The process has ended, or belongs to another user.
    return [];
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
