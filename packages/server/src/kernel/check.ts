/** The results of automatic checks, in the words of the specification's user data. */

export type CheckStatus = 'PASSED' | 'FAILED' | 'REVIEW' | 'NOT_PERFORMED';
export type CheckType = 'document' | 'face' | 'liveness' | 'watchlist' | 'form' | 'http' | 'identity';

/** A picture that should be taken again, and why. */
export type PictureFault = { readonly picture: string; readonly reasons: readonly string[] };

/** `reason` is a word and never holds personal data. */
export type Check = {
  readonly name: string;
  readonly type: CheckType;
  readonly status: CheckStatus;
  readonly score?: number;
  readonly threshold?: number;
  readonly reason?: string;
  /** Whether another attempt of the end user may help. */
  readonly advice?: 'retry' | 'final';
  readonly metaData?: Readonly<Record<string, unknown>>;
};
