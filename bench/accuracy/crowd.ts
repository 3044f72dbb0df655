import { newSketches } from '@grove/vision/templates';
import { percent, type Row } from './rows.ts';
import { quantile } from './statistics.ts';

type Entry = { id: string; vector: Float32Array };

export type CrowdMeasure = {
  crowd: number;
  /** The number of pairs of one person with at least this cosine, and how many of them the search had as candidates. */
  hits: { atLeastCosine: number; pairs: number; hits: number }[];
  /** Processor time, because other work on the machine hardly changes it. */
  searchMs: number;
  searchMsP95: number;
  bytesPerFace: number;
  /** How alike strangers are: one in a thousand comparisons reaches these cosines. */
  strangers: { real: number; crowd: number };
};

/** The number of candidates of a search in the server (`known-faces.ts`). */
const CANDIDATES = 256;
const COSINES = [0.5, 0.6, 0.7];
const BARS = { hits: 0.99, searchMs: 50 };
/** Weights of the three persons whose vectors make one stranger of the crowd. */
const MIXTURE = [0.8, 0.42, 0.42] as const;
/** How many of the crowd are compared with the probes, to measure how alike its strangers are. */
const SAMPLE = 2000;
const ALIKE = 0.999;

/**
 * Enrols everybody and a crowd of invented strangers. Each stranger is a mixture of three persons, so that the crowd has the
 * structure of real faces: the same groups, and the same directions in which faces differ. Then each probe is searched by
 * its sketch.
 */
export async function measureCrowd(
  enrolled: readonly Entry[],
  probes: readonly Entry[],
  crowd: number,
): Promise<CrowdMeasure> {
  const random = newRandom();
  // Probes are in no mixture: otherwise the crowd would have many more faces that are like them.
  const isProbe = new Set(probes.map(({ id }) => id));
  const others = enrolled.filter(({ id }) => !isProbe.has(id));
  const before = process.memoryUsage();
  const sketches = newSketches(enrolled[0]?.vector.length);
  const sample: Float32Array[] = [];
  for (let at = 0; at < crowd; at += 1) {
    const vector = mixtureOf(others, random);
    if (at < SAMPLE) sample.push(vector);
    sketches.put(`01K9${at.toString(36).padStart(22, '0').toUpperCase()} selfie`, vector);
  }
  for (const { id, vector } of enrolled) sketches.put(id, vector);
  globalThis.gc?.();
  const after = process.memoryUsage();
  const vectorOf = new Map(enrolled.map(({ id, vector }) => [id, vector]));
  const times: number[] = [];
  const pairs: { cosine: number; isHit: boolean }[] = [];
  for (const { id, vector } of probes) {
    const own = vectorOf.get(id);
    if (!own) continue;
    const started = process.cpuUsage();
    const candidates = await sketches.nearest(vector, CANDIDATES);
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1000);
    pairs.push({ cosine: cosine(vector, own), isHit: candidates.includes(id) });
  }
  return {
    crowd: sketches.size(),
    hits: COSINES.map((atLeastCosine) => {
      const alike = pairs.filter((pair) => pair.cosine >= atLeastCosine);
      return { atLeastCosine, pairs: alike.length, hits: alike.filter(({ isHit }) => isHit).length };
    }),
    searchMs: quantile(times, 0.5),
    searchMsP95: quantile(times, 0.95),
    bytesPerFace:
      (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / Math.max(1, sketches.size()),
    strangers: {
      real: quantile(cosinesOf(probes, enrolled.slice(0, SAMPLE)), ALIKE),
      crowd: quantile(
        cosinesOf(
          probes,
          sample.map((vector, at) => ({ id: `${at}`, vector })),
        ),
        ALIKE,
      ),
    },
  };
}

export function crowdRows({ crowd, hits, searchMs, searchMsP95, bytesPerFace, strangers }: CrowdMeasure): Row[] {
  return [
    ...hits.map(({ atLeastCosine, pairs, hits: count }) => {
      const share = count / Math.max(1, pairs);
      const what = `of ${crowd}: the same person, cosine ≥ ${atLeastCosine}, is among ${CANDIDATES} candidates`;
      return {
        what,
        measured: `${count} of ${pairs} = ${percent(share)}`,
        bar: `≥ ${percent(BARS.hits, 0)}`,
        ok: share >= BARS.hits,
      };
    }),
    {
      what: 'search for candidates, processor time, median / p95',
      measured: `${searchMs.toFixed(1)} / ${searchMsP95.toFixed(1)} ms`,
      bar: `≤ ${BARS.searchMs} ms`,
      ok: searchMs <= BARS.searchMs,
    },
    { what: 'memory for a face, with its name', measured: `${bytesPerFace.toFixed(0)} bytes` },
    {
      what: 'one in a thousand strangers reaches this cosine: real ones / those of the crowd',
      measured: `${strangers.real.toFixed(3)} / ${strangers.crowd.toFixed(3)}`,
    },
  ];
}

function mixtureOf(enrolled: readonly Entry[], random: () => number): Float32Array {
  const parts = MIXTURE.map((weight) => {
    const { vector } = enrolled[Math.floor(random() * enrolled.length)] as Entry;
    return { weight, vector };
  });
  const sum = new Float32Array(enrolled[0]?.vector.length ?? 0);
  for (const { weight, vector } of parts) {
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] as number) + weight * (vector[at] as number);
  }
  return sum;
}

/** The cosine of every probe with every stranger. */
function cosinesOf(probes: readonly Entry[], strangers: readonly Entry[]): number[] {
  return probes.flatMap((probe) =>
    strangers.flatMap(({ id, vector }) => (id === probe.id ? [] : [cosine(probe.vector, vector)])),
  );
}

function cosine(one: Float32Array, other: Float32Array): number {
  let [product, ones, others] = [0, 0, 0];
  for (let at = 0; at < one.length; at += 1) {
    const [a, b] = [one[at] as number, other[at] as number];
    product += a * b;
    ones += a * a;
    others += b * b;
  }
  return product / Math.sqrt(ones * others);
}

/** The same numbers in every run (xorshift). */
function newRandom(): () => number {
  let state = 2_463_534_242;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
