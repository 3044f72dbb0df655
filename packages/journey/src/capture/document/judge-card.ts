import type { CardMeasures, LightMeasures } from './measure-card.ts';
import { likeness } from './measure-card.ts';

/** What stands between this picture and a good one, the first in the order of J11 that applies. */
export type CardHint =
  | 'noDocument'
  | 'turnOver'
  | 'closer'
  | 'back'
  | 'turn'
  | 'flat'
  | 'dark'
  | 'bright'
  | 'glare'
  | 'blurred'
  | 'hold';

/** What one look at the camera gave. */
export type CardLook = {
  /** Milliseconds on any clock that only goes forward. */
  readonly at: number;
  readonly card: CardMeasures | null;
  /** The light of the whole picture. */
  readonly light: LightMeasures;
};

export const CARD_LIMITS = {
  /** Of the frame. Less is a portrait box or a stamp; more does not fit. */
  shareAtLeast: 0.35,
  /** Below this it is there, but too far away to be read. */
  shareReadable: 0.55,
  shareAtMost: 1.15,
  /** A card is 1.586, a passport's page 1.42. */
  ratioAtLeast: 1.3,
  ratioAtMost: 1.75,
  /** Of the picture's width, between a corner and the border. */
  margin: 0.006,
  tiltDegrees: 12,
  /** Opposite sides differ by so much when the camera looks from aside. */
  slant: 0.16,
  /** As the server has it, with a little in hand. */
  highlights: 88,
  clipped: 0.02,
  /** The side of a white square, beside the width. */
  glare: 0.06,
  /** Paper this bright is white by itself: then a white square is no reflection. */
  whitePaper: 245,
  /** The side of a square under a reflection, beside the width. Specimens without one have 0.05 at most, in any light. */
  reflection: 0.07,
  /** So much of it tells nothing any more. */
  overexposed: 0.7,
  sharpness: 0.06,
  sameSide: 0.93,
} as const;

/**
 * Edge finders like rectangles; whether one is a document is for its size and shape to say. On a pale table the
 * strongest rectangle is the portrait on the card.
 */
export function isPlausible(card: CardMeasures): boolean {
  return (
    card.convex &&
    card.share >= CARD_LIMITS.shareAtLeast &&
    card.ratio >= CARD_LIMITS.ratioAtLeast &&
    card.ratio <= CARD_LIMITS.ratioAtMost
  );
}

/** `otherSide` is the side that was photographed before, where this must be another one. */
export function judgeCard({ card, light }: CardLook, otherSide?: Float32Array): CardHint | null {
  if (!card || !isPlausible(card)) return missing(card, light);
  if (otherSide && likeness(card.thumbnail, otherSide) > CARD_LIMITS.sameSide) return 'turnOver';
  if (card.share > CARD_LIMITS.shareAtMost || card.margin < CARD_LIMITS.margin) return 'back';
  if (card.share < CARD_LIMITS.shareReadable) return 'closer';
  if (card.tiltDegrees > CARD_LIMITS.tiltDegrees) return 'turn';
  if (card.slant > CARD_LIMITS.slant) return 'flat';
  if (card.light.highlights < CARD_LIMITS.highlights) return 'dark';
  if (card.light.clipped > CARD_LIMITS.overexposed) return 'bright';
  if (hasGlare(card.light)) return 'glare';
  if (card.sharpness < CARD_LIMITS.sharpness) return 'blurred';
  // Only now: where print runs into the paper, nothing tells the two from a reflection.
  if (card.reflection > CARD_LIMITS.reflection) return 'glare';
  return null;
}

function hasGlare({ median, clipped, glare }: LightMeasures): boolean {
  return median < CARD_LIMITS.whitePaper && clipped >= CARD_LIMITS.clipped && glare > CARD_LIMITS.glare;
}

/** Without a document it may be the light, or something of a document's shape that is far away. */
function missing(card: CardMeasures | null, light: LightMeasures): CardHint {
  if (light.highlights < CARD_LIMITS.highlights / 2) return 'dark';
  const shaped = card?.convex && card.ratio >= CARD_LIMITS.ratioAtLeast && card.ratio <= CARD_LIMITS.ratioAtMost;
  return shaped && card.share >= CARD_LIMITS.shareAtLeast / 3 ? 'closer' : 'noDocument';
}
