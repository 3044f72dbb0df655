/** How quickly this device looks. Below four looks a second movements are missed, and the clock guides better. */
export type LookPace = { readonly milliseconds: readonly number[] };

const REMEMBERED = 6;
/** The first looks are slow everywhere. */
const IGNORED = 2;
const SLOW_MS = 250;

export const noLooksYet: LookPace = { milliseconds: [] };

export function paceLook({ milliseconds }: LookPace, took: number): LookPace {
  return { milliseconds: [...milliseconds, took].slice(-(REMEMBERED + IGNORED)) };
}

export function isTooSlow({ milliseconds }: LookPace): boolean {
  const counted = milliseconds.slice(IGNORED);
  if (counted.length < REMEMBERED) return false;
  return counted.reduce((sum, each) => sum + each, 0) / counted.length > SLOW_MS;
}

/** The last look was slow, and there were too few to say whether that is how it will go on. */
export function isInDoubt({ milliseconds }: LookPace): boolean {
  return milliseconds.length < IGNORED + REMEMBERED && (milliseconds.at(-1) ?? 0) > SLOW_MS;
}
