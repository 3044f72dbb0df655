/** Writes data that was gathered in memory: at intervals, on request, and at the end. There is one write at a time. */
export type Flusher = {
  /** Includes all that was gathered before the call. */
  flush(): Promise<void>;
  /** Writes in the background, unless a write is under way. */
  hurry(): void;
  stop(): Promise<void>;
};

export type FlusherOptions = { readonly everyMs: number; write(): Promise<void>; onError(error: unknown): void };

export function openFlusher({ everyMs, write, onError }: FlusherOptions): Flusher {
  let flushing: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    // A write that has begun may not include what the caller has gathered, so another one follows.
    while (flushing) await flushing.catch(() => undefined);
    flushing = write().finally(() => {
      flushing = undefined;
    });
    await flushing;
  };
  const hurry = () => {
    if (!flushing) flush().catch(onError);
  };

  const timer = setInterval(hurry, everyMs).unref();
  return {
    flush,
    hurry,
    async stop() {
      clearInterval(timer);
      await flush().catch(onError);
    },
  };
}
