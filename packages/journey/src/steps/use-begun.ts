import { useCallback, useEffect, useState } from 'preact/hooks';
import type { StepProps } from './step.ts';

/** The server's data for a step, loaded before it is needed: a browser shows passkeys only right after a press. */
export type StepBeginning = {
  /** Undefined until it is loaded. */
  settings: Readonly<Record<string, unknown>> | undefined;
  error: unknown;
  /** Gets new data after the old was used or has expired; `anew` also replaces data that could still be used. */
  renew(anew?: boolean): Promise<Readonly<Record<string, unknown>> | undefined>;
};

export function useBeginning({ api, submit }: Pick<StepProps, 'api' | 'submit'>): StepBeginning {
  const [settings, setSettings] = useState<StepBeginning['settings']>();
  const [error, setError] = useState<unknown>();
  const renew = useCallback(
    async (anew?: boolean) => {
      setError(undefined);
      try {
        const stepStart = await api.begin(anew);
        // The step is over and this page is stale: a submission makes the journey be read again.
        if (!stepStart.begun) await submit({});
        const newSettings = stepStart.begun ? stepStart.settings : undefined;
        setSettings(newSettings);
        return newSettings;
      } catch (thrown) {
        setError(thrown);
        return undefined;
      }
    },
    [api, submit],
  );
  // Runs once for each attempt, because each attempt has a new view.
  useEffect(() => {
    void renew();
  }, []);
  return { settings, error, renew };
}
