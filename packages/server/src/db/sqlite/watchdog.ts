export type Watchdog = { over<T>(work: Promise<T>): Promise<T>; end(): void };

/** Ends a transaction that takes too long, because all other writers wait for it. There is one timer for a batch. */
export function watchdog(ms: number): Watchdog {
  let startedAt = performance.now();
  let cut: (error: Error) => void = () => undefined;
  const check = () => {
    const left = startedAt + ms - performance.now();
    if (left <= 0) cut(new Error('the transaction took too long'));
    timer = setTimeout(check, Math.max(left, 1));
  };
  let timer = setTimeout(check, ms);
  return {
    over<T>(work: Promise<T>) {
      startedAt = performance.now();
      return new Promise<T>((resolve, reject) => {
        cut = reject;
        work.then(resolve, reject);
      });
    },
    end: () => clearTimeout(timer),
  };
}
