import { useState } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { useAct } from './act.ts';
import { saveFile } from './save-file.ts';

const BYTES_PER_MB = 1_000_000;

/** Fetches a file and offers it to the browser. `progress` says how much has come. */
export function useDownload(name: string, fetchFile: (onBytes: (bytes: number) => void) => Promise<Blob>) {
  const { t, language } = useTexts();
  const [bytes, setBytes] = useState(0);
  const act = useAct(
    async () => saveFile(name, await fetchFile(setBytes)),
    () => setBytes(0),
  );
  const amount = new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(bytes / BYTES_PER_MB);
  return { start: () => act.mutate(undefined), isPending: act.isPending, progress: t('app.megabytes', { amount }) };
}
