import { useState } from 'preact/hooks';

/** An upload or a submission, which may fail. */
export type Sending = {
  /** The share that is sent, in 0…1; undefined unless it runs. */
  readonly share: number | undefined;
  readonly error: unknown;
  setShare(share: number): void;
  setError(error: unknown): void;
  /** Never rejects: a failure is in `error`. */
  attempt(send: () => Promise<void>): Promise<void>;
};

export function useSending(): Sending {
  const [share, setShare] = useState<number>();
  const [error, setError] = useState<unknown>();
  return {
    share,
    error,
    setShare,
    setError,
    async attempt(send) {
      setError(undefined);
      setShare(0);
      try {
        await send();
      } catch (thrown) {
        setError(thrown);
      }
      setShare(undefined);
    },
  };
}
