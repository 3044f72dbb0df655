import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openVision } from '@grove/vision';
import type { AccuracyOptions } from './options.ts';
import { writePlot } from './plot.ts';
import { type Outcome, percent, type Row } from './rows.ts';
import { quantile } from './statistics.ts';

type Judgement = { live: boolean; score: number };

/** The names that data sets give to folders of living people. Every other folder is an attack. */
const LIVE_FOLDER = /^(live|real|genuine|bona[-_ ]?fide|client\w*)$/i;
const PICTURE = /\.(jpe?g|png|webp)$/i;
/** At this score the error rates of ISO/IEC 30107-3 are computed: APCER (accepted attacks) and BPCER (refused people). */
const THRESHOLD = 0.5;

export async function measureLiveness(options: AccuracyOptions & { liveness: string }): Promise<Outcome> {
  const files = picturesBelow(options.liveness).slice(0, options.limit);
  const vision = await openVision({
    workers: options.workers,
    timeoutMs: 600_000,
    ...(options.weights !== undefined && { weights: options.weights }),
  });
  const judgements: Judgement[] = [];
  const times: number[] = [];
  let withoutFace = 0;
  for (const { path, live } of files) {
    const bytes = readFileSync(path);
    const started = performance.now();
    const { face } = await vision.analyseFace(bytes);
    times.push(performance.now() - started);
    if (face?.liveness) judgements.push({ live, score: face.liveness.score });
    else withoutFace += 1;
  }
  await vision.stop();
  const atHalf = errorsAt(judgements, THRESHOLD);
  const equal = equalError(judgements);
  const plot = options.plot ?? fileURLToPath(new URL('../results/accuracy-liveness.svg', import.meta.url));
  writePlot(plot, {
    title: `Passive liveness: ${judgements.length} pictures`,
    xLabel: 'attacks accepted (share, logarithmic)',
    yLabel: 'people accepted',
    xFrom: 0.001,
    yFrom: 0,
    curves: [{ name: `equal error ${percent(equal)}`, points: curveOf(judgements) }],
  });
  const lives = judgements.filter(({ live }) => live).length;
  const rows: Row[] = [
    { what: 'pictures of people / of attacks', measured: `${lives} / ${judgements.length - lives}` },
    { what: 'APCER: attacks accepted at 0.5', measured: percent(atHalf.attacksAccepted) },
    { what: 'BPCER: people refused at 0.5', measured: percent(atHalf.peopleRefused) },
    { what: 'equal error rate', measured: percent(equal) },
    { what: 'pictures without a face found', measured: `${withoutFace}` },
    {
      what: 'ms for a whole analysis, median / p95',
      measured: `${quantile(times, 0.5).toFixed(0)} / ${quantile(times, 0.95).toFixed(0)}`,
    },
  ];
  const json = {
    what: 'liveness',
    people: lives,
    attacks: judgements.length - lives,
    apcer: atHalf.attacksAccepted,
    bpcer: atHalf.peopleRefused,
    equalErrorRate: equal,
    withoutFace,
    msMedian: quantile(times, 0.5),
    msP95: quantile(times, 0.95),
  };
  return { title: 'Passive liveness', rows, json, plot };
}

function picturesBelow(folder: string, live: boolean | null = null): { path: string; live: boolean }[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) return picturesBelow(path, live === true || LIVE_FOLDER.test(name));
      return PICTURE.test(name) && live !== null ? [{ path, live }] : [];
    });
}

function errorsAt(judgements: readonly Judgement[], threshold: number) {
  const lives = judgements.filter(({ live }) => live);
  const attacks = judgements.filter(({ live }) => !live);
  return {
    attacksAccepted: attacks.filter(({ score }) => score >= threshold).length / Math.max(1, attacks.length),
    peopleRefused: lives.filter(({ score }) => score < threshold).length / Math.max(1, lives.length),
  };
}

function equalError(judgements: readonly Judgement[]): number {
  const errors = judgements.map(({ score }) => errorsAt(judgements, score));
  const [best] = errors.sort(
    (one, other) =>
      Math.abs(one.attacksAccepted - one.peopleRefused) - Math.abs(other.attacksAccepted - other.peopleRefused),
  );
  return best ? (best.attacksAccepted + best.peopleRefused) / 2 : Number.NaN;
}

function curveOf(judgements: readonly Judgement[]): { x: number; y: number }[] {
  return Array.from({ length: 101 }, (_, at) => errorsAt(judgements, at / 100)).map(
    ({ attacksAccepted, peopleRefused }) => ({
      x: attacksAccepted,
      y: 1 - peopleRefused,
    }),
  );
}
