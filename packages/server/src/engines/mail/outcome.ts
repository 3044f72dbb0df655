/** What became of a message, whoever carries it. The reasons hold nothing of a person. */
export type MessageOutcome =
  | { readonly kind: 'SENT' }
  /** It may go better later. */
  | { readonly kind: 'LATER'; readonly reason: string }
  /** Nobody will take it for this address. */
  | { readonly kind: 'REFUSED'; readonly reason: string };
