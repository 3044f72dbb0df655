import { useCallback, useEffect, useState } from 'preact/hooks';
import type { StepProps } from './step.ts';

/** What the server has made for a step, fetched before the end user needs it: a browser asks for a passkey only at once. */
export type Begun = {
  /** Nothing as long as it is not there. */
  settings: Readonly<Record<string, unknown>> | undefined;
  error: unknown;
  /** Has it made anew, for one that was used or whose time is up; `anew` replaces one that could still be used. */
  renew(anew?: boolean): Promise<Readonly<Record<string, unknown>> | undefined>;
};

export function useBegun({ api, submit }: Pick<StepProps, 'api' | 'submit'>): Begun {
  const [settings, setSettings] = useState<Begun['settings']>();
  const [error, setError] = useState<unknown>();
  const renew = useCallback(
    async (anew?: boolean) => {
      setError(undefined);
      try {
        const begun = await api.begin(anew);
        // The step is over, and this page is behind: to submit is to be told where the journey stands.
        if (!begun.begun) await submit({});
        const made = begun.begun ? begun.settings : undefined;
        setSettings(made);
        return made;
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
