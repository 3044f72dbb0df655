import { useState } from 'react';
import type { OnBytes } from '../api/client.ts';
import { useTexts } from '../texts/texts.tsx';
import { useAct } from './act.ts';
import { percentOf } from './percent.ts';
import { saveFile } from './save-file.ts';

const BYTES_PER_MB = 1_000_000;

/** Fetches a file and saves it in the browser. `progress` has the bytes so far, and a percentage if it is known. */
export function useDownload(name: string, fetchFile: (onBytes: OnBytes) => Promise<Blob>) {
  const { t, language } = useTexts();
  const [{ bytes, expected }, setSize] = useState({ bytes: 0, expected: 0 });
  const act = useAct(
    async () => saveFile(name, await fetchFile((bytes, expected) => setSize({ bytes, expected }))),
    () => setSize({ bytes: 0, expected: 0 }),
  );
  const amount = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(bytes / BYTES_PER_MB);
  const texts = [t('app.megabytes', { amount }), percentOf(bytes, expected, language)];
  return {
    start: () => act.mutate(undefined),
    isPending: act.isPending,
    progress: texts.filter(Boolean).join(' · '),
  };
}
