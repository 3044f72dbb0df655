import { GroveError, isRecord } from './errors.ts';

export type TokenSource = {
  get(): Promise<string>;
  /** Forgets a token that the server refused; another caller may have replaced it already, then nothing happens. */
  drop(token: string): void;
};

const MAX_MARGIN_SECONDS = 60;

/**
 * Keeps one bearer token and renews it shortly before it expires. However many calls need a token at once, one issue is
 * in flight; a failed issue is not remembered.
 */
export function tokenSource(issue: () => Promise<unknown>, clock: () => number): TokenSource {
  let current: { token: string; staleAtMs: number } | undefined;
  let flight: Promise<string> | undefined;

  async function renew(): Promise<string> {
    // The lifetime is counted from before the request, so a slow answer cannot make a token look younger than it is.
    const askedAtMs = clock();
    const answer = await issue();
    const { token, ttl } = isRecord(answer) ? answer : {};
    // A token that cannot stand in a header would come back inside the error that fetch throws about it.
    if (!isHeaderSafe(token)) {
      throw new GroveError({ operation: 'apiKeys.issue', status: 200, message: 'The answer holds no usable token' });
    }
    const ttlSeconds = typeof ttl === 'number' && ttl > 0 ? ttl : 0;
    const marginSeconds = Math.min(MAX_MARGIN_SECONDS, ttlSeconds / 10);
    current = { token, staleAtMs: askedAtMs + (ttlSeconds - marginSeconds) * 1000 };
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

/** Visible ASCII: what may stand in a header as it is. */
export function isHeaderSafe(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}
