import { useCallback, useEffect, useState } from 'preact/hooks';
import type { StepProps } from './step.ts';

/** What the server has made for a step, fetched before the end user needs it: a browser asks for a passkey only at once. */
export type StepBeginning = {
  /** Nothing as long as it is not there. */
  settings: Readonly<Record<string, unknown>> | undefined;
  error: unknown;
  /** Has it made anew, for one that was used or whose time is up; `anew` replaces one that could still be used. */
  renew(anew?: boolean): Promise<Readonly<Record<string, unknown>> | undefined>;
};

export function useBeginning({ api, submit }: Pick<StepProps, 'api' | 'submit'>): StepBeginning {
  const [settings, setSettings] = useState<StepBeginning['settings']>();
  const [error, setError] = useState<unknown>();
  const renew = useCallback(
    async (anew?: boolean) => {
      setError(undefined);
      try {
        const beginning = await api.begin(anew);
        // The step is over, and this page is behind: to submit is to be told where the journey stands.
        if (!beginning.begun) await submit({});
        const newSettings = beginning.begun ? beginning.settings : undefined;
        setSettings(newSettings);
        return newSettings;
      } catch (thrown) {
        setError(thrown);
        return undefined;
      }
    },
    [api, submit],
  );
  // Once for each attempt: the view is made anew with the next.
  useEffect(() => {
    void renew();
  }, []);
  return { settings, error, renew };
}
