import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Journey, ShellApi, Submitted } from './api.ts';
import { Problem } from './problem.ts';
import { watchJourney } from './watch.ts';

/** Where the journey stands, kept up to date. */
export type JourneyState = {
  journey: Journey | undefined;
  problem: unknown;
  /** Reads the journey again. */
  refresh(): Promise<void>;
  /** Submits the current step; resolves when the journey has gone on. */
  submit(body: Submitted): Promise<void>;
  /** Goes back to an earlier step that can be corrected. */
  repeat(stepId: string): Promise<void>;
  /** Takes what a call has answered. */
  take(journey: Journey): void;
};

/** The page was behind: another tab, another device or the clock has moved the journey on. */
const BEHIND: ReadonlySet<number> = new Set([100054, 100056, 100057, 100058, 100022]);

/** The step cannot be done again any more. */
const NOT_AGAIN = 100232;

/** `first`: where the journey stands, if that is known already. */
export function useJourney(api: ShellApi, first: Journey | undefined): JourneyState {
  const [journey, setJourney] = useState(first);
  const [problem, setProblem] = useState<unknown>();
  const latest = useRef(first);
  const reading = useRef<{ again: boolean } | undefined>(undefined);

  const take = useCallback((next: Journey) => {
    // Answers may overtake each other.
    if (latest.current && next.revision < latest.current.revision) return;
    // The look and the words come once, and stay.
    const { theme, texts } = latest.current ?? {};
    const whole = { ...(theme && { theme }), ...(texts && { texts }), ...next };
    latest.current = whole;
    setProblem(undefined);
    setJourney(whole);
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
        take(latest.current?.theme ? await api.get() : await api.getWhole());
      }
    } catch (error) {
      setProblem(error);
    } finally {
      reading.current = undefined;
    }
  }, [api, take]);

  const submit = useCallback(
    async (body: Submitted) => {
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

  const repeat = useCallback(
    async (stepId: string) => {
      const { revision } = latest.current ?? {};
      if (revision === undefined) return;
      try {
        take(await api.repeat(stepId, revision));
      } catch (error) {
        if (error instanceof Problem && (BEHIND.has(error.code) || error.code === NOT_AGAIN)) return refresh();
        throw error;
      }
    },
    [api, refresh, take],
  );

  const over = isOver(journey);
  useEffect(() => {
    if (!latest.current) void refresh();
  }, [refresh]);
  useEffect(() => (over ? undefined : watchJourney(api.eventsUrl, () => void refresh())), [api, over, refresh]);

  return { journey, problem, refresh, submit, repeat, take };
}

function isOver(journey: Journey | undefined): boolean {
  return journey?.status.startsWith('COMPLETED') ?? false;
}
