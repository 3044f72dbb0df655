import { FACE_ALGORITHM, type FaceTemplate, newGallery } from '@grove/vision';
import { crowdRows, measureCrowd } from './crowd.ts';
import { embedAll } from './embed-all.ts';
import type { AccuracyOptions } from './options.ts';
import { readPersons } from './pairs.ts';
import { type Outcome, percent } from './rows.ts';
import { quantile } from './statistics.ts';

const BARS = { agreement: 0.999, exactMs: 25 };
const TIMED_SIZE = 10_000;

export type Searched = { exactRight: number; agreement: number; exactMs: number; indexMs: number; probes: number };

/** Enrols the first picture of each person, and searches for the second picture, if there is one. */
export async function measureSearch(options: AccuracyOptions & { faces: string }): Promise<Outcome> {
  const persons = readPersons(options.faces).slice(0, options.limit);
  const files = persons.flatMap((pictures) => pictures.slice(0, 2));
  const { templates } = await embedAll(files, options.workers);
  const of = (person: string[], at: number) => templates.get(person[at] ?? '');
  const enrolled = persons.flatMap((person) => entry(person[0] ?? '', of(person, 0)));
  const probes = persons.flatMap((person) => entry(person[0] ?? '', of(person, 1)));
  const searched = await searchAll(enrolled, probes);
  const crowd = options.crowd === undefined ? undefined : await measureCrowd(enrolled, probes, options.crowd);
  return {
    title: `Search, ${FACE_ALGORITHM}: ${searched.probes} probes in ${enrolled.length} persons`,
    rows: [
      { what: 'rank 1 by exact search is the right person', measured: percent(searched.exactRight) },
      {
        what: 'rank 1 by the index is that of exact search',
        measured: percent(searched.agreement),
        bar: `≥ ${percent(BARS.agreement, 1)}`,
        ok: searched.agreement >= BARS.agreement,
      },
      {
        what: `exact search of ${TIMED_SIZE}, median`,
        measured: `${searched.exactMs.toFixed(1)} ms`,
        bar: `≤ ${BARS.exactMs} ms`,
        ok: searched.exactMs <= BARS.exactMs,
      },
      { what: 'search by the index, median', measured: `${searched.indexMs.toFixed(1)} ms` },
      ...(crowd ? crowdRows(crowd) : []),
    ],
    json: { what: 'search', persons: enrolled.length, ...searched, crowd, algorithm: FACE_ALGORITHM },
  };
}

type Entry = { id: string; vector: Float32Array };

function entry(id: string, template: FaceTemplate | undefined): Entry[] {
  return template ? [{ id, vector: template.vector }] : [];
}

export async function searchAll(enrolled: readonly Entry[], probes: readonly Entry[]): Promise<Searched> {
  const exact = newGallery({ indexAbove: Number.POSITIVE_INFINITY });
  const indexed = newGallery({ indexAbove: 0 });
  const timed = newGallery({ indexAbove: Number.POSITIVE_INFINITY });
  for (const { id, vector } of enrolled) {
    exact.put(id, vector);
    indexed.put(id, vector);
  }
  for (let at = 0; at < TIMED_SIZE; at += 1) timed.put(`${at}`, (enrolled[at % enrolled.length] as Entry).vector);
  await indexed.settled();
  const times: { exact: number[]; index: number[] } = { exact: [], index: [] };
  let right = 0;
  let agreed = 0;
  for (const { id, vector } of probes) {
    const [best] = exact.search(vector, { limit: 1 });
    const started = performance.now();
    const [nearest] = indexed.search(vector, { limit: 1 });
    const between = performance.now();
    timed.search(vector, { limit: 5 });
    times.index.push(between - started);
    times.exact.push(performance.now() - between);
    if (best?.id === id) right += 1;
    if (best?.id === nearest?.id) agreed += 1;
  }
  return {
    exactRight: right / probes.length,
    agreement: agreed / probes.length,
    exactMs: quantile(times.exact, 0.5),
    indexMs: quantile(times.index, 0.5),
    probes: probes.length,
  };
}
