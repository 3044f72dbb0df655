import type { Journey } from './api.ts';
import { entryOf } from './steps/registry.ts';

/** While the end user reads one page, the code of the next ones is fetched, so that nobody waits for it later. */
const AFTER_MS = 800;
const asked = new Set<string>();

export function prefetch(journey: Journey | undefined): (() => void) | undefined {
  if (!journey || journey.result || !journey.device.active || savesData()) return undefined;
  const timer = setTimeout(() => {
    for (const type of journey.stepTypes) {
      if (asked.has(type)) continue;
      asked.add(type);
      // Whoever needs it later asks again, and is told what went wrong.
      entryOf(type)
        ?.load()
        .catch(() => asked.delete(type));
    }
  }, AFTER_MS);
  return () => clearTimeout(timer);
}

function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}
