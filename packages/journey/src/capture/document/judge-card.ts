import type { CardMeasures, LightMeasures } from './measure-card.ts';
import { likeness } from './measure-card.ts';

/** The reasons why a picture is not good, in the order of J11; the first that applies is shown. */
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

/** The measures of one look at the camera. */
export type CardLook = {
  /** Milliseconds on any monotonic clock. */
  readonly at: number;
  readonly card: CardMeasures | null;
  /** The light of the whole picture. */
  readonly light: LightMeasures;
};

export const CARD_LIMITS = {
  /** The share of the frame. A smaller quad is a portrait box or a stamp; a larger one does not fit. */
  shareAtLeast: 0.35,
  /** A document with a smaller share is too far away to be read. */
  shareReadable: 0.55,
  shareAtMost: 1.15,
  /** A card has the ratio 1.586, a passport's page 1.42. */
  ratioAtLeast: 1.3,
  ratioAtMost: 1.75,
  /** The distance between a corner and the border, as a share of the picture's width. */
  margin: 0.006,
  tiltDegrees: 12,
  /** The difference of opposite sides when the camera looks from the side. */
  slant: 0.16,
  /** A little above the server's limit. */
  highlights: 88,
  clipped: 0.02,
  /** The side of a white square, as a share of the width. */
  glare: 0.06,
  /** Paper this bright is white by itself, so a white square is no reflection. */
  whitePaper: 245,
  /** The side of a square under a reflection, as a share of the width; 0.05 at most on specimens without one. */
  reflection: 0.07,
  /** With this share of white pixels, a picture shows nothing any more. */
  overexposed: 0.7,
  sharpness: 0.06,
  sameSide: 0.93,
} as const;

/** Whether the quad has the size and shape of a document. On a pale table, the portrait is the strongest rectangle. */
export function isPlausible(card: CardMeasures): boolean {
  return (
    card.convex &&
    card.share >= CARD_LIMITS.shareAtLeast &&
    card.ratio >= CARD_LIMITS.ratioAtLeast &&
    card.ratio <= CARD_LIMITS.ratioAtMost
  );
}

/** `otherSide` is the thumbnail of the side that was photographed before, if this must be another one. */
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
  // Checked last: in a blurred picture, print that runs into the paper looks like a reflection.
  if (card.reflection > CARD_LIMITS.reflection) return 'glare';
  return null;
}

function hasGlare({ median, clipped, glare }: LightMeasures): boolean {
  return median < CARD_LIMITS.whitePaper && clipped >= CARD_LIMITS.clipped && glare > CARD_LIMITS.glare;
}

/** A missing document may be due to the light, or be something in the shape of a document that is far away. */
function missing(card: CardMeasures | null, light: LightMeasures): CardHint {
  if (light.highlights < CARD_LIMITS.highlights / 2) return 'dark';
  const shaped = card?.convex && card.ratio >= CARD_LIMITS.ratioAtLeast && card.ratio <= CARD_LIMITS.ratioAtMost;
  return shaped && card.share >= CARD_LIMITS.shareAtLeast / 3 ? 'closer' : 'noDocument';
}
