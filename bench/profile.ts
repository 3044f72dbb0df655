import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type CpuProfile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
};

const SHOWN = 12;
// What V8 calls the time in which there was nothing to do.
const IDLE = '(idle)';

/** The functions that the processor was in, by their own time, without that of what they called. */
export function topFunctions(folder: string): string {
  const [name] = readdirSync(folder).filter((each) => each.endsWith('.cpuprofile'));
  if (!name) return 'no profile was written';
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile;
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const times = new Map<string, number>();
  samples.forEach((id, at) => {
    const place = places.get(id) ?? '(unknown)';
    times.set(place, (times.get(place) ?? 0) + (timeDeltas[at] ?? 0));
  });
  times.delete(IDLE);
  const total = [...times.values()].reduce((sum, each) => sum + each, 0);
  return [...times]
    .sort(([, one], [, other]) => other - one)
    .slice(0, SHOWN)
    .map(([place, micros]) => `${((100 * micros) / total).toFixed(1).padStart(6)} %  ${place}`)
    .join('\n');
}

function placeOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName || '(anonymous)';
  if (!url) return name;
  const short = url.replace(/^file:\/\/.*\/(?=(packages|node_modules|bench)\/)/, '');
  return `${name}  ${short}:${lineNumber + 1}`;
}
