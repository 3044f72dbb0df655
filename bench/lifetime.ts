import { setTimeout as sleep } from 'node:timers/promises';
import { limitChecks } from './bars.ts';
import { type ComparisonOptions, sample } from './compare.ts';
import { median, medianOfKnown } from './numbers.ts';
import { cpuMicros, peakResidentMb, residentMb } from './process-stats.ts';
import { bearerOf, createKeyRequest, getKeyRequest, issueRequest } from './requests.ts';
import type { Figures } from './results.ts';
import { tokenHolders } from './scenarios.ts';
import type { Installation } from './seed.ts';
import { startGrove } from './target.ts';

/** The scenarios about the lifetime of one server: how fast it starts, and how much memory it uses. */

const IDLE_AFTER_MS = 5000;
const SAMPLE_EVERY_MS = 1000;

type Figure = Figures['figures'][number];

function figure(what: string, value: number | undefined, unit: string): Figure[] {
  return value === undefined ? [] : [{ what, value, unit }];
}

/** Measures starts with existing data, as after an update or a crash. */
export async function measureStart(
  { place }: Installation,
  { rounds, progress }: Pick<ComparisonOptions, 'rounds' | 'progress'>,
): Promise<Figures> {
  const starts: number[] = [];
  const cpuMs: (number | undefined)[] = [];
  let idleMb: number | undefined;
  // The first start reads the code from the disk, the others from the system's cache.
  for (let number = 0; number <= rounds; number++) {
    const server = await startGrove(place);
    const cpu = cpuMicros(server.pid);
    progress(`start: ${number === 0 ? 'warm-up' : `round ${number}`}, ${Math.round(server.readyMs)} ms`);
    if (number > 0) {
      starts.push(server.readyMs);
      cpuMs.push(cpu === undefined ? undefined : cpu / 1000);
    }
    if (number === rounds) {
      await sleep(IDLE_AFTER_MS);
      idleMb = residentMb(server.pid);
    }
    await server.stop();
  }
  const startMs = median(starts);
  return {
    kind: 'figures',
    name: 'start',
    figures: [
      ...figure('start to ready', startMs, 'ms'),
      ...figure('processor time of it', medianOfKnown(cpuMs), 'ms'),
      ...figure('idle memory', idleMb, 'MB'),
    ],
    series: { startMs: starts },
    checks: [...limitChecks('start to ready', startMs), ...limitChecks('idle memory', idleMb)],
  };
}

export async function measureMemory(
  { place, seeded }: Installation,
  options: Pick<ComparisonOptions, 'tool' | 'connections' | 'seconds' | 'progress'>,
): Promise<Figures> {
  const server = await startGrove(place);
  try {
    await sleep(IDLE_AFTER_MS);
    const idleMb = residentMb(server.pid);
    const bearer = await bearerOf(server.origin, seeded.apiKey);
    const requests = [
      getKeyRequest(bearer, seeded.keyId),
      issueRequest(seeded.apiKey),
      createKeyRequest(await tokenHolders(server.origin, seeded.writers)),
    ];
    options.progress(`memory: ${options.seconds} s of mixed load`);
    const everySecondMb: number[] = [];
    const sampler = setInterval(() => everySecondMb.push(Math.round(residentMb(server.pid) ?? 0)), SAMPLE_EVERY_MS);
    const load = await sample(server, { requests }, options).finally(() => clearInterval(sampler));
    return {
      kind: 'figures',
      name: 'memory',
      figures: [
        ...figure('idle memory', idleMb, 'MB'),
        ...figure('memory after load', load.residentMb, 'MB'),
        ...figure('most memory', peakResidentMb(server.pid), 'MB'),
        ...figure('mixed load', load.perSecond, 'req/s'),
      ],
      series: { everySecondMb },
      checks: [...limitChecks('idle memory', idleMb), ...limitChecks('memory after load', load.residentMb)],
    };
  } finally {
    await server.stop();
  }
}
