import type { Journey } from './api.ts';
import { loadMessages } from './i18n/load-messages.ts';
import { entryOf } from './steps/registry.ts';

/** Loads code and texts of the next pages while the end user reads one. */
const AFTER_MS = 800;
const requested = new Set<string>();

/** `begun`: the end user is at a step. Visitors who only look load nothing large. */
export function prefetch(
  journey: Journey | undefined,
  language: string | undefined,
  isAtStep: boolean,
): (() => void) | undefined {
  if (!journey || !language || journey.result || !journey.device.active || savesData()) return undefined;
  const timer = setTimeout(async () => {
    const all = journey.stepTypes.map((type) => {
      const entry = entryOf(type);
      return once(
        `${type} ${language}`,
        entry && (() => Promise.all([entry.load(), ...entry.areas.map((area) => loadMessages(area, language))])),
      );
    });
    await Promise.all(all);
    const next = isAtStep ? typeAfter(journey) : undefined;
    await once(`large ${next}`, next && entryOf(next)?.fetchAhead);
  }, AFTER_MS);
  return () => clearTimeout(timer);
}

/** Failures are ignored here: the real load tries again and reports them. */
async function once(name: string, fetchIt: (() => Promise<unknown>) | undefined | ''): Promise<void> {
  if (!fetchIt || requested.has(name)) return;
  requested.add(name);
  await fetchIt().catch(() => requested.delete(name));
}

/** The type of the step that most likely comes next. */
function typeAfter({ step, stepTypes }: Pick<Journey, 'step' | 'stepTypes'>): string | undefined {
  return step && stepTypes[stepTypes.indexOf(step.type) + 1];
}

function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}
