import { hintsOfClient } from '../../../engines/vision/judge-face.ts';
import type { ClientHints } from '../../../engines/vision/vision.ts';
import type { Check } from '../../../kernel/check.ts';

const SOURCES: ReadonlyMap<unknown, string> = new Map([
  ['file', 'from_file'],
  ['pdf', 'from_pdf'],
]);

/** Signals for a reviewer from the client's reports about its photographs. None of them decides anything. */
export function clientSignals(hints: ClientHints, pictures: readonly string[]): string[] {
  const signals = pictures.flatMap((picture) => {
    const source = SOURCES.get(hints[`${picture}Source`]);
    const label = hints[`${picture}CameraLabel`];
    return [...(source ? [source] : []), ...(typeof label === 'string' ? hintsOfClient({ cameraLabel: label }) : [])];
  });
  return [...new Set(signals)];
}

/** Adds signals to the check of that name, as words without personal data. */
export function noteSignals(checks: readonly Check[], name: string, client: readonly string[]): readonly Check[] {
  if (client.length === 0) return checks;
  return checks.map((check) => (check.name === name ? { ...check, metaData: { ...check.metaData, client } } : check));
}
