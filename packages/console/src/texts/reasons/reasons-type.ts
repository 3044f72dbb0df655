/** Why a check said what it said, and what would change it, for somebody who does not know our words. */
type Change = 'picture' | 'document' | 'look' | 'details' | 'setting' | 'score' | 'none';
export type Reasons = {
  readonly change: Readonly<Record<Change, string>>;
  readonly why: Readonly<Record<string, readonly [why: string, change: Change]>>;
};
