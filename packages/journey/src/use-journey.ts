import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Journey, ShellApi, Submitted } from './api.ts';
import { BEHIND } from './page-rules.ts';
import { Problem } from './problem.ts';
import { watchJourney } from './watch.ts';

/** The state of the journey, kept up to date. */
export type JourneyState = {
  journey: Journey | undefined;
  problem: unknown;
  /** Reads the journey again. */
  refresh(): Promise<void>;
  /** Submits the current step; resolves when the journey has moved on. */
  submit(body: Submitted): Promise<void>;
  /** Goes back to an earlier step that can be corrected. */
  repeat(stepId: string): Promise<void>;
  /** Takes the response of a call. */
  take(journey: Journey): void;
};

/** `first`: the state of the journey, if it is already known. */
export function useJourney(api: ShellApi, first: Journey | undefined): JourneyState {
  const [journey, setJourney] = useState(first);
  const [problem, setProblem] = useState<unknown>();
  const latest = useRef(first);
  const reading = useRef<{ again: boolean } | undefined>(undefined);

  const take = useCallback((next: Journey) => {
    // Responses may overtake each other.
    if (latest.current && next.revision < latest.current.revision) return;
    latest.current = withLook(latest.current, next);
    setProblem(undefined);
    setJourney(latest.current);
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

  const takeAnswer = useCallback(
    (answer: Promise<Journey>) =>
      answer.then(take, (error) => {
        // Also after a lost response: the submission had arrived, so the step is no longer current.
        if (error instanceof Problem && BEHIND.includes(error.code)) return refresh();
        throw error;
      }),
    [refresh, take],
  );

  const submit = useCallback(
    async (body: Submitted) => {
      const { revision, step } = latest.current ?? {};
      if (revision !== undefined && step) await takeAnswer(api.submit(step.id, { revision, ...body }));
    },
    [api, takeAnswer],
  );

  const repeat = useCallback(
    async (stepId: string) => {
      const { revision } = latest.current ?? {};
      if (revision !== undefined) await takeAnswer(api.repeat(stepId, revision));
    },
    [api, takeAnswer],
  );

  const over = isOver(journey);
  useEffect(() => {
    if (!latest.current) void refresh();
  }, [refresh]);
  useEffect(() => (over ? undefined : watchJourney(api.eventsUrl, () => void refresh())), [api, over, refresh]);

  return { journey, problem, refresh, submit, repeat, take };
}

/** Theme and texts are sent once, and stay. */
function withLook({ theme, texts }: Pick<Journey, 'theme' | 'texts'> = {}, next: Journey): Journey {
  return { ...(theme && { theme }), ...(texts && { texts }), ...next };
}

function isOver(journey: Journey | undefined): boolean {
  return journey?.status.startsWith('COMPLETED') ?? false;
}
