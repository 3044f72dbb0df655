/** A push message and its outcome, for all providers. */
export type PushMessage = {
  readonly id: string;
  readonly title?: string | undefined;
  readonly message?: string | undefined;
  /** For the application, beside the text that is shown. */
  readonly data: Readonly<Record<string, string>>;
  readonly expiresAt: number;
};

export type PushOutcome =
  | { readonly kind: 'SENT' }
  /** The provider will not accept another message for this token. */
  | { readonly kind: 'DEAD_TOKEN'; readonly reason: string }
  /** Another attempt may succeed. */
  | { readonly kind: 'LATER'; readonly reason: string; readonly down?: true }
  /** Another attempt will not succeed. */
  | { readonly kind: 'FAILED'; readonly reason: string };

/** Short, because other messages wait behind it; a provider that works answers in a tenth of it. */
export const PUSH_TIMEOUT_MS = 4000;

/** The outcome that follows from the status alone. */
export function outcomeOfStatus(status: number): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'SENT' };
  if (status === 429) return { kind: 'LATER', reason: 'the provider asks to wait' };
  if (status >= 500) return { kind: 'LATER', reason: `the provider answered ${status}`, down: true };
  return { kind: 'FAILED', reason: `the provider answered ${status}` };
}
