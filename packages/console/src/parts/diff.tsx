import { useT } from '../texts/texts.tsx';
import { diffLines } from './line-diff.ts';

const TONES = { '+': 'tone-good', '-': 'tone-bad', ' ': '' };
/** The number of lines that are shown around a difference. */
const AROUND = 3;

/** Shows the difference of two texts. Common lines far from a difference are left out. */
export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const t = useT();
  const lines = diffLines(before, after);
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ sign }) => sign !== ' '),
  );
  if (!near.includes(true)) return <p>{t('diff.same')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard.
    <section className="diff" aria-label={label} tabIndex={0} dir="ltr">
      {lines.map(({ sign, text }, at) =>
        near[at] ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines repeat, and the list never changes.
          <div key={at} className={TONES[sign]}>
            {sign} {text}
          </div>
        ) : (
          near[at - 1] && <div key={`gap ${text}`}>…</div>
        ),
      )}
    </section>
  );
}
