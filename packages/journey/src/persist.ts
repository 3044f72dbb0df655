import { NO_ANSWER, Problem } from './problem.ts';

/**
 * Retries a request within limits: it waits for a lost network for a while, retries a few times while the server is
 * busy, and never retries a refusal.
 */
export const MAX_RETRIES = 3;
/** The time to wait for a lost network. */
export const PATIENCE_MS = 60_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
const BUSY: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
/** The attempt has used all its challenges, which no retry changes. */
export const NO_MORE_CHALLENGES = 100131;

export type Patience = {
  now(): number;
  /** Ends early when the network is back, or when the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Called when the network seems to be away, and when it is back. */
  trouble(away: boolean): void;
};

export async function persist<T>(
  work: () => Promise<T>,
  { now, wait, trouble }: Patience,
  { signal, patienceMs = PATIENCE_MS }: { signal?: AbortSignal | undefined; patienceMs?: number } = {},
): Promise<T> {
  let awaySince: number | undefined;
  let retries = 0;
  let waits = 0;
  for (;;) {
    try {
      const done = await work();
      if (awaySince !== undefined) trouble(false);
      return done;
    } catch (error) {
      if (signal?.aborted || !(error instanceof Problem)) throw error;
      if (error.code === NO_ANSWER && error.status === 0) {
        awaySince ??= now();
        trouble(true);
        if (now() - awaySince >= patienceMs) throw error;
      } else {
        if (awaySince !== undefined) trouble(false);
        awaySince = undefined;
        if (!isBusy(error) || retries >= MAX_RETRIES) throw error;
        retries += 1;
      }
      await wait(pauseFor(waits, error.retryAfterSeconds), signal);
      waits += 1;
    }
  }
}

function isBusy({ status, code }: Problem): boolean {
  return BUSY.has(status) && code !== NO_MORE_CHALLENGES;
}

export function pauseFor(waits: number, retryAfterSeconds: number | undefined): number {
  const growing = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits);
  return Math.max(growing, Math.min(LONGEST_WAIT_MS, (retryAfterSeconds ?? 0) * 1000));
}
