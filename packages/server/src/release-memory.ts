import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Gives back what only the start needed. V8 grows the space of young objects to its full size while modules are compiled,
 * and keeps it, a quarter of what an idle server holds. It shrinks in the collection that V8 runs when memory is short,
 * and only a flag of V8 opens the way to ask for that one. It takes about a tenth of a second, in which nothing else runs.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc');
  try {
    const collect = runInNewContext('gc') as Collect;
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
