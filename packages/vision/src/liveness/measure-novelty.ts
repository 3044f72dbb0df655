import { decodeImage } from '../images/raster.ts';
import type { Plane } from './flow.ts';
import { faceCrop, noveltyBetween } from './novelty.ts';
import { medianOf, pairsOf } from './verify.ts';

/** A picture of the face at rest, with its 68 landmarks, x and y in turn, in pixels of the picture. */
export type RestPicture = { readonly bytes: Uint8Array; readonly points: readonly number[] };

/** Each pair takes some twenty milliseconds. Of more, every second or third is compared. */
const MAX_PAIRS = 8;
const LEAST_PICTURES = 3;

/** The median over pairs of how much is new. Null if there are too few pictures. Throws `ImageFault`. */
export async function measureNovelty(pictures: readonly RestPicture[]): Promise<number | null> {
  if (pictures.length < LEAST_PICTURES) return null;
  const crops: Plane[] = [];
  for (const { bytes, points } of pictures) crops.push(faceCrop(await decodeImage(bytes), points));
  const pairs = pairsOf(crops);
  const stride = Math.ceil(pairs.length / MAX_PAIRS);
  return medianOf(pairs.filter((_, at) => at % stride === 0).map(([one, other]) => noveltyBetween(one, other)));
}
