import { useT, useTexts } from '../texts/texts.tsx';

/** Shows a time in the viewer's zone, and in UTC on hover and for screen readers. */
export function Moment({ at, relative = false }: { at: string | undefined; relative?: boolean }) {
  const { language, t } = useTexts();
  if (!at) return <span>{t('app.never')}</span>;
  const date = new Date(at);
  const utc = t('app.utc', { time: at.slice(0, 19).replace('T', ' ') });
  return (
    <time dateTime={at} title={utc} className="nowrap">
      {relative ? ago(date, language) : shortDate(date, language)}
    </time>
  );
}

export function useMomentText(): (at: string | undefined) => string {
  const { language } = useTexts();
  const t = useT();
  return (at) => (at ? shortDate(new Date(at), language) : t('app.never'));
}

function shortDate(date: Date, language: string): string {
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'short' }).format(date);
}

/** The viewer's own variety of the language: British and American dates have different orders. */
function localeOf(language: string): string {
  return navigator.languages.find((each) => each.split('-')[0] === language) ?? language;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function ago(date: Date, language: string): string {
  const ms = date.getTime() - Date.now();
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  for (const [unit, length] of UNITS) if (Math.abs(ms) >= length) return format.format(Math.round(ms / length), unit);
  return format.format(0, 'minute');
}
