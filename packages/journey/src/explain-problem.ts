import { NO_ANSWER, Problem } from './problem.ts';

/** The kinds of failures that make a difference to the end user. Pure. */
export type Trouble =
  | 'link'
  | 'finished'
  | 'session'
  | 'token'
  | 'tokenEnded'
  | 'tokenEarly'
  | 'tokenUsedUp'
  | 'tokenUnknown'
  | 'network'
  | 'busy'
  | 'broken';

export const TROUBLES: Readonly<Record<number, Trouble>> = {
  100055: 'link',
  100021: 'tokenUnknown',
  100024: 'tokenEnded',
  100047: 'tokenEnded',
  100044: 'tokenEnded',
  100045: 'tokenEarly',
  100046: 'tokenUsedUp',
  100022: 'finished',
  100054: 'session',
};

/** `token`: the link is refused, and the reason is unknown. */
export function troubleOf(error: unknown): Trouble {
  if (!(error instanceof Problem)) return 'broken';
  if (error.code === NO_ANSWER && error.status === 0) return 'network';
  const explanation = TROUBLES[error.code];
  if (explanation) return explanation;
  if (error.status === 429 || error.status === 503) return 'busy';
  return error.status >= 400 && error.status < 500 ? 'token' : 'broken';
}

/** Whether the same page can succeed on a second attempt. */
export function isPassing(trouble: Trouble): boolean {
  return trouble === 'network' || trouble === 'busy' || trouble === 'broken';
}
