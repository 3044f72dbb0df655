import { hintsOfClient } from '../../../engines/vision/judge-face.ts';
import type { ClientHints } from '../../../engines/vision/vision.ts';
import type { Check } from '../../../kernel/check.ts';

const SOURCES: ReadonlyMap<unknown, string> = new Map([
  ['file', 'from_file'],
  ['pdf', 'from_pdf'],
]);

/** What the reports of a client about its photographs suggest, for a reviewer. None of it decides anything. */
export function clientSignals(hints: ClientHints, pictures: readonly string[]): string[] {
  const signals = pictures.flatMap((picture) => {
    const source = SOURCES.get(hints[`${picture}Source`]);
    const label = hints[`${picture}CameraLabel`];
    return [...(source ? [source] : []), ...(typeof label === 'string' ? hintsOfClient({ cameraLabel: label }) : [])];
  });
  return [...new Set(signals)];
}

/** Noted with the check of that name, in words that say nothing of a person. */
export function noteSignals(checks: readonly Check[], name: string, client: readonly string[]): readonly Check[] {
  if (client.length === 0) return checks;
  return checks.map((check) => (check.name === name ? { ...check, metaData: { ...check.metaData, client } } : check));
}
