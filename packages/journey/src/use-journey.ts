import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Journey, ShellApi } from './api.ts';
import { Problem } from './problem.ts';
import { watchJourney } from './watch.ts';

/** Where the journey stands, kept up to date. */
export type JourneyState = {
  journey: Journey | undefined;
  problem: unknown;
  /** Reads the journey again. */
  refresh(): Promise<void>;
  /** Submits the current step; resolves when the journey has gone on. */
  submit(body: { result?: object; unable?: boolean }): Promise<void>;
  /** Takes what a call has answered. */
  take(journey: Journey): void;
};

/** The page was behind: another tab, another device or the clock has moved the journey on. */
const BEHIND: ReadonlySet<number> = new Set([100054, 100056, 100057, 100058, 100022]);

export function useJourney(api: ShellApi): JourneyState {
  const [journey, setJourney] = useState<Journey>();
  const [problem, setProblem] = useState<unknown>();
  const latest = useRef<Journey | undefined>(undefined);
  const reading = useRef<{ again: boolean } | undefined>(undefined);

  const take = useCallback((next: Journey) => {
    // Answers may overtake each other.
    if (latest.current && next.revision < latest.current.revision) return;
    latest.current = next;
    setProblem(undefined);
    setJourney(next);
  }, []);

  const refresh = useCallback(async () => {
    if (reading.current) {
      reading.current.again = true;
      return;
    }
    const run = { again: true };
    reading.current = run;
    try {
      while (run.again) {
        run.again = false;
        take(await api.get());
      }
    } catch (error) {
      setProblem(error);
    } finally {
      reading.current = undefined;
    }
  }, [api, take]);

  const submit = useCallback(
    async (body: { result?: object; unable?: boolean }) => {
      const { revision, step } = latest.current ?? {};
      if (revision === undefined || !step) return;
      try {
        take(await api.submit(step.id, { revision, ...body }));
      } catch (error) {
        // Also what a lost answer leads to: the step had arrived, and is not wanted again.
        if (error instanceof Problem && BEHIND.has(error.code)) return refresh();
        throw error;
      }
    },
    [api, refresh, take],
  );

  const over = isOver(journey);
  useEffect(() => {
    void refresh();
  }, [refresh]);
  useEffect(() => (over ? undefined : watchJourney(api.eventsUrl, () => void refresh())), [api, over, refresh]);

  return { journey, problem, refresh, submit, take };
}

function isOver(journey: Journey | undefined): boolean {
  return journey?.status.startsWith('COMPLETED') ?? false;
}
