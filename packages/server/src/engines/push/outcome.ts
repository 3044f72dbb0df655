/** What is sent, and what becomes of it, whoever sends it. */
export type PushMessage = {
  readonly id: string;
  readonly title?: string | undefined;
  readonly message?: string | undefined;
  /** What the application is told beside what is shown. */
  readonly data: Readonly<Record<string, string>>;
  readonly expiresAt: number;
};

export type PushOutcome =
  | { readonly kind: 'SENT' }
  /** The provider will never again take anything for this token. */
  | { readonly kind: 'DEAD_TOKEN'; readonly reason: string }
  /** It may go better later. */
  | { readonly kind: 'LATER'; readonly reason: string; readonly down?: true }
  /** It will not. */
  | { readonly kind: 'FAILED'; readonly reason: string };

/** Short, because whoever waits behind it waits too; a provider that works answers in a tenth of it. */
export const PUSH_TIMEOUT_MS = 4000;

/** What a status says where nothing more is known. */
export function outcomeOfStatus(status: number): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'SENT' };
  if (status === 429) return { kind: 'LATER', reason: 'the provider asks to wait' };
  if (status >= 500) return { kind: 'LATER', reason: `the provider answered ${status}`, down: true };
  return { kind: 'FAILED', reason: `the provider answered ${status}` };
}
