import { LIVENESS_BOUNDS } from '@grove/vision';
import { share } from '../accuracy/intervals.ts';

export type Result = {
  readonly kind: string;
  readonly about: string;
  readonly outcomes: readonly string[];
  /** How much was new in the face, of those who came to the end. */
  readonly novelties: readonly number[];
};

const WIDTH = 640;
const ROW = 26;
const LEFT = 110;
const MOST = 0.1;

/** One page of HTML with its plots as SVG. It holds no picture of a person. */
export function drawReport(results: readonly Result[]): string {
  const rows = results.map(({ kind, about, outcomes }) => {
    const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
    const cells = [
      kind,
      about,
      outcomes.length,
      count('accepted'),
      count('review'),
      count('refused'),
      share(count('accepted'), outcomes.length, 1),
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Attacks on liveness</title>
<style>body{font:15px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}td,th{padding:.3rem .7rem;text-align:left;border-bottom:1px solid #ddd}</style>
<h1>Attacks on liveness</h1>
<table><tr><th>what</th><th></th><th>tries</th><th>accepted</th><th>for a human</th><th>refused</th><th>accepted, 95 %</th></tr>
${rows.join('\n')}</table>
<h2>How much is new in the face when it comes back to rest</h2>
<p>One dot for each try that came to the end. The lines are the bounds: below the first a try is refused, between the two a human decides.</p>
${drawStrip(results)}
</html>
`;
}

const BOUNDS = [LIVENESS_BOUNDS.novelty.refuse, LIVENESS_BOUNDS.novelty.doubt];

function drawStrip(results: readonly Result[]): string {
  const x = (value: number) => LEFT + (Math.min(value, MOST) / MOST) * (WIDTH - LEFT - 10);
  const height = results.length * ROW + 30;
  const bounds = BOUNDS.map(
    (bound) => `<line x1="${x(bound)}" x2="${x(bound)}" y1="0" y2="${height - 25}" stroke="#b3541e"/>`,
  );
  const dots = results.map(({ kind, novelties }, at) => {
    const y = at * ROW + ROW / 2;
    const circles = novelties.map((value) => `<circle cx="${x(value).toFixed(1)}" cy="${y}" r="4" fill="#1b6e5388"/>`);
    return `<text x="0" y="${y + 5}">${kind}</text>${circles.join('')}`;
  });
  return `<svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img" aria-label="Novelty by kind">${bounds.join('')}${dots.join('')}<text x="${LEFT}" y="${height - 6}">0</text><text x="${WIDTH - 40}" y="${height - 6}">${MOST}</text></svg>`;
}
