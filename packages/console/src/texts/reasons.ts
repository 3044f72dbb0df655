import { useQuery } from '@tanstack/react-query';
import type { Reasons } from './reasons/reasons-type.ts';
import { type Language, useTexts } from './texts.tsx';

const LOADERS: Record<Language, () => Promise<Reasons>> = {
  en: async () => (await import('./reasons/en.ts')).en,
  de: async () => (await import('./reasons/de.ts')).de,
  ar: async () => (await import('./reasons/ar.ts')).ar,
};

type Judgement = { reason?: string; score?: number; threshold?: number };
export type Explanation = { why: string; change: string };

function useReasons(): Reasons | undefined {
  const { language } = useTexts();
  return useQuery({
    queryKey: ['reasons', language],
    queryFn: LOADERS[language],
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** The name of a check, a field, an event or a signal of the browser; the API's own name if there is no translation. */
export function useNames(): (of: 'checks' | 'fields' | 'events' | 'signals', name: string) => string {
  const data = useReasons();
  return (of, name) => data?.[of][name] ?? name;
}

/** Explains a reason. A word without a sentence is shown unchanged. */
export function useExplain(): (judgement: Judgement) => Explanation {
  const data = useReasons();
  return ({ reason = '', score, threshold }) => {
    if (!data || reason === '') return { why: '', change: '' };
    const [why, change] = data.why[reason] ?? [`${reason.replaceAll('_', ' ')}.`, 'look'];
    if (change !== 'score') return { why, change: data.change[change] };
    if (score === undefined || threshold === undefined) return { why, change: data.change.look };
    const distance = Math.round(Math.max(0, threshold - score) * 100) / 100;
    const text = data.change.score.replace('{threshold}', String(threshold)).replace('{distance}', String(distance));
    return { why, change: text };
  };
}

/** A reason of the queue has the form `<step>:<reason>`. */
export function useExplainQueue(): (text: string) => string {
  const explain = useExplain();
  return (text) => explain({ reason: text.slice(text.indexOf(':') + 1) }).why;
}
