import { type CardHint, type CardLook, isPlausible, judgeCard } from './judge-card.ts';
import { longSideOf, movementBetween, type Quad } from './quad.ts';

/** Several looks in a row: a document is photographed only if it stays still. */
export type CardWatch = { readonly recent: readonly CardLook[] };

export type CardVerdict = {
  readonly watch: CardWatch;
  readonly hint: CardHint | null;
  /** The outline to draw over the picture; null if it is implausible. */
  readonly outline: Quad | null;
  /** The share of the good looks that are needed, in 0…1. */
  readonly progress: number;
  readonly capture: boolean;
  /** The thumbnail by which this side is recognised later. */
  readonly thumbnail: Float32Array | null;
};

export const STEADY_LOOKS = 5;
/** A share of the document's long side, between two looks. */
const STEADY_MOVEMENT = 0.025;

export const noCardYet: CardWatch = { recent: [] };

export function watchCard(watch: CardWatch, look: CardLook, otherSide?: Float32Array): CardVerdict {
  const hint = judgeCard(look, otherSide);
  const outline = look.card && isPlausible(look.card) ? look.card.quad : null;
  const thumbnail = outline && look.card ? look.card.thumbnail : null;
  const before = watch.recent[watch.recent.length - 1];
  const still = outline !== null && (!before?.card || isSteady(before.card.quad, outline));
  if (hint !== null) return { watch: { recent: [] }, hint, outline, progress: 0, capture: false, thumbnail };
  const recent = still ? [...watch.recent, look].slice(-STEADY_LOOKS) : [look];
  const capture = recent.length >= STEADY_LOOKS;
  return { watch: { recent }, hint: 'hold', outline, progress: recent.length / STEADY_LOOKS, capture, thumbnail };
}

function isSteady(one: Quad, other: Quad): boolean {
  return movementBetween(one, other) <= longSideOf(other) * STEADY_MOVEMENT;
}
