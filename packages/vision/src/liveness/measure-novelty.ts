import { decodeImage } from '../images/raster.ts';
import { faceCrop, type Novelty, noveltyBetween, type PreparedFace, prepareFace } from './novelty.ts';
import { medianOf, pairsOf } from './verify.ts';

/** A picture of the face at rest, with its 68 landmarks, x and y in turn, in pixels of the picture. */
export type RestPicture = { readonly bytes: Uint8Array; readonly points: readonly number[] };

/** Each pair takes some fifteen milliseconds. */
const MAX_PICTURES = 6;
const LEAST_PICTURES = 3;

/** Null if there are too few pictures. Throws `ImageFault`. */
export async function measureNovelty(pictures: readonly RestPicture[]): Promise<Novelty | null> {
  if (pictures.length < LEAST_PICTURES) return null;
  const faces: PreparedFace[] = [];
  for (const { bytes, points } of pictures.slice(0, MAX_PICTURES)) {
    faces.push(prepareFace(faceCrop(await decodeImage(bytes), points)));
  }
  const values = pairsOf(faces).map(([one, other]) => noveltyBetween(one, other));
  const [, , thirdLeast = 0] = values.toSorted((one, other) => one - other);
  return { median: medianOf(values) ?? 0, thirdLeast };
}
