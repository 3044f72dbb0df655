/** Why a check said what it said, and what would change it, for somebody who does not know our words. */
type Change = 'picture' | 'document' | 'look' | 'details' | 'setting' | 'score' | 'none';
export type Reasons = {
  /** The names of checks, and of fields, kinds of documents and parts of a consent, as the API writes them. */
  readonly checks: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  /** What happened to a verification. */
  readonly events: Readonly<Record<string, string>>;
  /** What the browser says of where a picture comes from. */
  readonly signals: Readonly<Record<string, string>>;
  readonly change: Readonly<Record<Change, string>>;
  readonly why: Readonly<Record<string, readonly [why: string, change: Change]>>;
};
