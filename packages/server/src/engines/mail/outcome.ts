/** The result of sending a message by any channel. Reasons hold no personal data. */
export type MessageOutcome =
  | { readonly kind: 'SENT' }
  /** Another attempt may succeed. */
  | { readonly kind: 'LATER'; readonly reason: string }
  /** No attempt for this address will succeed. */
  | { readonly kind: 'REFUSED'; readonly reason: string };
