/** Explains the result of a check, and what would change it, for readers who do not know our terms. */
type Change = 'picture' | 'document' | 'look' | 'details' | 'setting' | 'score' | 'none';
export type Reasons = {
  /** The names of checks, and of fields, kinds of documents and parts of a consent, by their names in the API. */
  readonly checks: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  /** The events of a verification. */
  readonly events: Readonly<Record<string, string>>;
  /** What the browser reports about the source of a picture. */
  readonly signals: Readonly<Record<string, string>>;
  readonly change: Readonly<Record<Change, string>>;
  readonly why: Readonly<Record<string, readonly [why: string, change: Change]>>;
};
