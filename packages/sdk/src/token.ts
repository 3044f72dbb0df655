import { GroveError, isRecord } from './errors.ts';

export type TokenSource = {
  get(): Promise<string>;
  /** Forgets a token that the server refused, unless another caller has replaced it already. */
  drop(token: string): void;
};

const MAX_MARGIN_SECONDS = 60;

/**
 * Keeps one bearer token and renews it shortly before it expires. Calls that need a token at the same time share one
 * request for it; a failed request is not remembered.
 */
export function tokenSource(issue: () => Promise<unknown>, clock: () => number): TokenSource {
  let current: { token: string; staleAtMs: number } | undefined;
  let flight: Promise<string> | undefined;

  async function renew(): Promise<string> {
    // The lifetime counts from before the request, so a slow answer does not make a token seem to live longer.
    const requestedAtMs = clock();
    const answer = await issue();
    const { token, ttl } = isRecord(answer) ? answer : {};
    // fetch quotes a header that it cannot send in its error, so a token with such characters is refused here.
    if (!isHeaderSafe(token)) {
      throw new GroveError({ operation: 'apiKeys.issue', status: 200, message: 'The answer holds no usable token' });
    }
    const ttlSeconds = typeof ttl === 'number' && ttl > 0 ? ttl : 0;
    const marginSeconds = Math.min(MAX_MARGIN_SECONDS, ttlSeconds / 10);
    current = { token, staleAtMs: requestedAtMs + (ttlSeconds - marginSeconds) * 1000 };
    return token;
  }

  return {
    async get() {
      if (current && clock() < current.staleAtMs) return current.token;
      flight ??= renew().finally(() => {
        flight = undefined;
      });
      return flight;
    },
    drop(token) {
      if (current?.token === token) current = undefined;
    },
  };
}

/** Visible ASCII: the characters that a header may contain unchanged. */
export function isHeaderSafe(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}
