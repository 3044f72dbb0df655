import { fileURLToPath } from 'node:url';
import { type FaceTemplate, facePack, matchTemplates } from '@grove/vision';
import { type Calibration, calibrate, picturesApart } from './calibrate.ts';
import { type Embedded, embedAll } from './embed-all.ts';
import type { AccuracyOptions } from './options.ts';
import { type Pair, pairsOfPersons, readPairs, readPersons } from './pairs.ts';
import { measurePipeline, type PipelineTimes } from './pipeline-times.ts';
import { writePlot } from './plot.ts';
import { type Outcome, percent, type Row } from './rows.ts';
import { acceptedAt, type Scored, tenFoldAccuracy } from './statistics.ts';

/** The bars are for LFW View 2 and are shown only for it. */
const VIEW_2_PAIRS = 6000;
const RATES = [0.1, 0.03, 0.01, 0.003, 0.001];
const BARS = { accuracy: 0.992, tarAtFar01Percent: 0.974, pipelineRatio: 1.35, memoryMb: 450, loopDelayMs: 50 };

export async function measureFaces(options: AccuracyOptions & { faces: string }): Promise<Outcome> {
  const all = options.pairs ? readPairs(options.pairs, options.faces) : pairsOfPersons(readPersons(options.faces));
  const pairs = options.limit ? evenly(all, options.limit) : all;
  const files = [...new Set(pairs.flatMap(({ one, other }) => [one, other]))];
  const apart = options.calibrate ? picturesApart(options.faces, files) : [];
  const { pack, weights } = options;
  const { algorithm } = facePack(pack);
  const engine = { pack, ...(weights !== undefined && { weights }) };
  const embedded = await embedAll([...files, ...apart], options.workers, engine);
  const times = await measurePipeline(files);
  const measured = judge(pairs, embedded);
  const plot = options.plot ?? fileURLToPath(new URL('../results/accuracy-faces.svg', import.meta.url));
  writePlot(plot, {
    title: `${algorithm}: ${pairs.length} pairs`,
    xLabel: 'strangers accepted (share, logarithmic)',
    yLabel: 'true pairs accepted',
    xFrom: 0.0001,
    yFrom: 0.9,
    curves: [{ name: `10-fold ${percent(measured.accuracy)}`, points: curveOf(measured.scored) }],
  });
  const barred = pairs.length === VIEW_2_PAIRS && all.length === VIEW_2_PAIRS;
  const { scored, ...numbers } = measured;
  const calibration = options.calibrate ? calibrate(embedded.templates, { apart, ofPairs: files }) : undefined;
  const { msMedian, msP95, memoryMb, loopDelayMs, withoutFace } = embedded;
  return {
    title: `Faces, ${algorithm}: ${pairs.length} pairs of ${files.length} pictures`,
    rows: [
      ...accuracyRows(measured, barred),
      { what: 'pictures without a face found', measured: `${withoutFace}` },
      ...costRows(embedded, times),
      ...(calibration ? calibrationRows(calibration) : []),
    ],
    json: {
      what: 'faces',
      pairs: pairs.length,
      pictures: files.length,
      ...numbers,
      withoutFace,
      msMedian,
      msP95,
      ...times,
      memoryMb,
      loopDelayMs,
      algorithm,
      ...(calibration && { calibration }),
    },
    plot,
  };
}

type Judgement = {
  scored: Scored[];
  accuracy: number;
  accuracyDeviation: number;
  tarAtFar1Percent: number;
  tarAtFar01Percent: number;
  falseRefused: number;
  falseAccepted: number;
};

function judge(pairs: readonly Pair[], { templates }: Embedded): Judgement {
  const scored = pairs.map((pair) => score(pair, templates));
  const { mean, deviation } = tenFoldAccuracy(scored);
  return {
    scored,
    accuracy: mean,
    accuracyDeviation: deviation,
    tarAtFar1Percent: acceptedAt(scored, 0.01).trueAccept,
    tarAtFar01Percent: acceptedAt(scored, 0.001).trueAccept,
    ...decisionsAtDefault(pairs, templates),
  };
}

function accuracyRows(measured: Judgement, barred: boolean): Row[] {
  const { scored, accuracy, accuracyDeviation, tarAtFar01Percent } = measured;
  const bar = (value: number, least: number) => (barred ? { bar: `≥ ${percent(least, 1)}`, ok: value >= least } : {});
  return [
    {
      what: '10-fold accuracy',
      measured: `${percent(accuracy)} ± ${(accuracyDeviation * 100).toFixed(2)}`,
      ...bar(accuracy, BARS.accuracy),
    },
    ...RATES.map((rate) => {
      const { trueAccept, threshold } = acceptedAt(scored, rate);
      return {
        what: `true pairs accepted at ${percent(rate, 1)} of strangers (cosine > ${threshold.toFixed(3)})`,
        measured: percent(trueAccept),
        ...(rate === 0.001 ? bar(tarAtFar01Percent, BARS.tarAtFar01Percent) : {}),
      };
    }),
    { what: 'at the default score: true pairs refused', measured: percent(measured.falseRefused) },
    { what: 'at the default score: strangers accepted', measured: percent(measured.falseAccepted, 3) },
  ];
}

function costRows(embedded: Embedded, times: PipelineTimes): Row[] {
  const bar = (value: number, most: number, unit: string) => ({ bar: `≤ ${most}${unit}`, ok: value <= most });
  return [
    {
      what: 'a picture through the engine, median / p95',
      measured: `${embedded.msMedian.toFixed(0)} / ${embedded.msP95.toFixed(0)} ms`,
    },
    {
      what: 'whole pipeline / bare models, by time',
      measured: `${times.pipelineRatio.toFixed(2)} (${times.pipelineMs.toFixed(0)} / ${times.modelsMs.toFixed(0)} ms)`,
      ...bar(times.pipelineRatio, BARS.pipelineRatio, ''),
    },
    { what: 'whole pipeline / bare models, by processor time', measured: times.pipelineRatioByCpu.toFixed(2) },
    {
      what: 'memory that a worker adds',
      measured: `${embedded.memoryMb.toFixed(0)} MB`,
      ...bar(embedded.memoryMb, BARS.memoryMb, ' MB'),
    },
    {
      what: 'event-loop delay of the caller, p99',
      measured: `${embedded.loopDelayMs.toFixed(0)} ms`,
      ...bar(embedded.loopDelayMs, BARS.loopDelayMs, ' ms'),
    },
  ];
}

function calibrationRows({ persons, comparisons, rows }: Calibration): Row[] {
  return [
    { what: 'calibration: persons apart, comparisons of strangers', measured: `${persons}, ${comparisons}` },
    ...rows.map(({ falseMatchRate, cosine }) => ({
      what: `strangers, ${falseMatchRate.toExponential(1)} of them`,
      measured: `cosine ≥ ${cosine.toFixed(4)}`,
    })),
  ];
}

/** Every n-th item, so that both kinds and all folds are in the result. */
function evenly<Item>(items: readonly Item[], limit: number): Item[] {
  const step = Math.max(1, items.length / limit);
  return Array.from({ length: Math.min(limit, items.length) }, (_, at) => items[Math.floor(at * step)] as Item);
}

type Templates = ReadonlyMap<string, FaceTemplate>;

/** A picture without a face is unlike every other: it is an error in every pair that should match. */
function score({ one, other, same, fold }: Pair, templates: Templates): Scored {
  const [first, second] = [templates.get(one), templates.get(other)];
  return { similarity: first && second ? matchTemplates(first, second).cosine : -1, same, fold };
}

function decisionsAtDefault(pairs: readonly Pair[], templates: Templates) {
  let refusedCount = 0;
  let accepted = 0;
  for (const { one, other, same } of pairs) {
    const [first, second] = [templates.get(one), templates.get(other)];
    const match = first && second ? matchTemplates(first, second).match : false;
    if (same && !match) refusedCount += 1;
    if (!same && match) accepted += 1;
  }
  const own = pairs.filter(({ same }) => same).length;
  return { falseRefused: refusedCount / Math.max(1, own), falseAccepted: accepted / Math.max(1, pairs.length - own) };
}

function curveOf(scored: readonly Scored[]): { x: number; y: number }[] {
  return Array.from({ length: 81 }, (_, at) => {
    const rate = 10 ** (-at / 20);
    return { x: rate, y: acceptedAt(scored, rate).trueAccept };
  });
}
