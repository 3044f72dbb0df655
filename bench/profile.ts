import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type CallFrame = { functionName: string; url: string; lineNumber: number };
type CpuProfile = { nodes: { id: number; callFrame: CallFrame }[]; samples: number[]; timeDeltas: number[] };

const SHOWN = 12;
// The name that V8 gives to idle time.
const IDLE = '(idle)';

/** The processor time of a profile by function, then by package or file. It is own time, without that of called functions. */
export function readProfile(folder: string): string {
  const [name] = readdirSync(folder).filter((each) => each.endsWith('.cpuprofile'));
  if (!name) return 'no profile was written';
  const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile;
  return `${top(profile, functionOf)}\n\n${top(profile, moduleOf)}\n`;
}

function top({ nodes, samples, timeDeltas }: CpuProfile, placeOf: (frame: CallFrame) => string): string {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const times = new Map<string, number>();
  samples.forEach((id, at) => {
    const functionName = places.get(id) ?? '(unknown)';
    times.set(functionName, (times.get(functionName) ?? 0) + (timeDeltas[at] ?? 0));
  });
  times.delete(IDLE);
  const total = [...times.values()].reduce((sum, each) => sum + each, 0);
  return [...times]
    .sort(([, one], [, other]) => other - one)
    .slice(0, SHOWN)
    .map(([functionName, micros]) => `${((100 * micros) / total).toFixed(1).padStart(6)} %  ${functionName}`)
    .join('\n');
}

function functionOf({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName || '(anonymous)';
  return url ? `${name}  ${shortened(url)}:${lineNumber + 1}` : name;
}

/** A file of Grove, a package, or a module of Node. A frame without a file is native code of Node. */
function moduleOf({ functionName, url }: CallFrame): string {
  if (!url) return functionName === IDLE || functionName === '(garbage collector)' ? functionName : '(native code)';
  return shortened(url).replace(/^(node_modules\/(@[^/]+\/)?[^/]+)\/.*/, '$1');
}

function shortened(url: string): string {
  return url.replace(/^file:\/\/.*\/(?=(packages|node_modules|bench)\/)/, '');
}
