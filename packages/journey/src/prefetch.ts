import type { Journey } from './api.ts';
import { loadMessages } from './i18n/load-messages.ts';
import { entryOf } from './steps/registry.ts';

/** While the end user reads one page, code and texts of the next ones are fetched, so that nobody waits for them later. */
const AFTER_MS = 800;
const asked = new Set<string>();

export function prefetch(journey: Journey | undefined, language: string | undefined): (() => void) | undefined {
  if (!journey || !language || journey.result || !journey.device.active || savesData()) return undefined;
  const timer = setTimeout(() => {
    for (const type of journey.stepTypes) {
      const entry = entryOf(type);
      const name = `${type} ${language}`;
      if (!entry || asked.has(name)) continue;
      asked.add(name);
      // Whoever needs it later asks again, and is told what went wrong.
      Promise.all([entry.load(), ...entry.areas.map((area) => loadMessages(area, language))]).catch(() =>
        asked.delete(name),
      );
    }
  }, AFTER_MS);
  return () => clearTimeout(timer);
}

function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}
