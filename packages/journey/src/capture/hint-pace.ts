/**
 * Shows one hint at a time, long enough to be read: pictures come eight times a second, and nobody can read a text that
 * changes as often. Screen readers get hints less often still.
 */
export type HintPace<Hint extends string> = {
  readonly shownHint: Hint | null;
  readonly shownAt: number;
  readonly spokenHint: Hint | null;
  readonly spokenAt: number;
};

export const HINT_MS = 1200;
export const SPEECH_MS = 2000;

export function noHintYet<Hint extends string>(): HintPace<Hint> {
  return { shownHint: null, shownAt: Number.NEGATIVE_INFINITY, spokenHint: null, spokenAt: Number.NEGATIVE_INFINITY };
}

export function paceHint<Hint extends string>(
  pace: HintPace<Hint>,
  wantedHint: Hint | null,
  now: number,
): HintPace<Hint> {
  const changes = wantedHint !== pace.shownHint && now - pace.shownAt >= HINT_MS;
  const shownHint = changes ? wantedHint : pace.shownHint;
  const speaks = shownHint !== null && shownHint !== pace.spokenHint && now - pace.spokenAt >= SPEECH_MS;
  return {
    shownHint,
    shownAt: changes ? now : pace.shownAt,
    spokenHint: speaks ? shownHint : pace.spokenHint,
    spokenAt: speaks ? now : pace.spokenAt,
  };
}
