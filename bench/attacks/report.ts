import { LIVENESS_BOUNDS } from '@grove/vision';
import { drawHistograms } from '../accuracy/histogram.ts';
import { share } from '../accuracy/intervals.ts';
import type { Section } from '../accuracy/report-page.ts';
import type { AttackOutcome, TrialResult } from './trial.ts';

export type Result = {
  readonly kind: string;
  readonly about: string;
  /** The attempts of one person follow each other. */
  readonly trials: readonly (TrialResult & { readonly person: number })[];
};

const COLUMNS = ['what', 'tries', 'accepted', 'for a human', 'refused', 'accepted, 95 %', 'what spoke against it'];

function cellsOf({ kind, trials }: Result): string[] {
  const played = trials.filter(({ outcome }) => outcome !== 'not played');
  const count = (outcome: AttackOutcome) => played.filter((each) => each.outcome === outcome).length;
  return [
    kind,
    `${played.length}`,
    `${count('accepted')}`,
    `${count('review')}`,
    `${count('refused')}`,
    share(count('accepted'), played.length, 1),
    [signsOf(played), ...(played.length < trials.length ? [`not played ${trials.length - played.length}`] : [])].join(
      ', ',
    ),
  ];
}

/** How often each sign occurred. */
function signsOf(trials: readonly TrialResult[]): string {
  const counts = new Map<string, number>();
  for (const sign of trials.flatMap(({ signs }) => [...new Set(signs)])) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return sorted.map(([sign, times]) => `${sign} ${times}`).join(', ');
}

/** For recordings with more than one attempt: how many people were accepted at the first attempt, and within all attempts. */
function peopleOf({ trials }: Result): string[] {
  const people = Map.groupBy(
    trials.filter(({ outcome }) => outcome !== 'not played'),
    ({ person }) => person,
  );
  if (people.size === trials.length || people.size === 0) return [];
  const all = [...people.values()];
  const first = all.filter(([attempt]) => attempt?.outcome === 'accepted').length;
  const once = all.filter((attempts) => attempts.some(({ outcome }) => outcome === 'accepted')).length;
  return [
    `People accepted at the first attempt: ${share(first, all.length, 1)}`,
    `People accepted within all attempts: ${share(once, all.length, 1)}`,
  ];
}

export function resultRows(results: readonly Result[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(COLUMNS),
    line(COLUMNS.map(() => '---')),
    ...results.map((result) => line(cellsOf(result))),
    ...results.flatMap(peopleOf),
  ];
}

export function sectionOf(name: string, results: readonly Result[]): Section {
  const measure = (of: string) =>
    results.flatMap(({ kind, trials }) => {
      const values = trials.flatMap(({ measures }) => measures[of] ?? []);
      return values.length > 0 ? [{ name: kind, values }] : [];
    });
  const { novelty, sameness, passive } = LIVENESS_BOUNDS;
  const plots = [
    { title: 'How different the face is when it returns to rest', of: 'novelty', to: 0.1, bounds: novelty },
    { title: 'Similarity of the face at rest to itself', of: 'sameness', from: 0.7, to: 1, bounds: sameness },
    { title: 'Score of passive liveness', of: 'passive', to: 1, bounds: passive },
  ];
  return {
    name,
    title: 'Attacks on liveness, and genuine recordings',
    columns: ['about', ...COLUMNS],
    rows: [
      ...results.map((result) => [result.about, ...cellsOf(result)]),
      ...results.flatMap(peopleOf).map((words) => [words]),
    ],
    plots: plots.flatMap(({ title, of, from = 0, to, bounds }) => {
      const series = measure(of);
      return series.length > 0 ? [drawHistograms({ title, from, to, bounds: Object.values(bounds), series })] : [];
    }),
  };
}
