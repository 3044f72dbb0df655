import { decodeImage } from '../images/raster.ts';
import { faceCrop, type Novelty, noveltyBetween, type PreparedFace, prepareFace } from './novelty.ts';
import { medianOf, pairsOf } from './verify.ts';

/** A picture of the face at rest, with its 68 landmarks, x and y in turn, in pixels of the picture. Angles are in degrees. */
export type RestPicture = {
  readonly bytes: Uint8Array;
  readonly points: readonly number[];
  readonly yaw: number;
  readonly pitch: number;
};

/** Each pair takes about fifteen milliseconds. */
const MAX_PICTURES = 6;
const LEAST_PICTURES = 3;
/** With poses this many degrees apart, two pictures of one photograph seem to have twice as much novelty. */
const DEGREES_OF_TWICE = 4;
/** Three photographs shown in turn are three of fifteen pairs; the third of them is at the end of the lowest sixth. */
const SIXTH = 6;

/** Null if there are too few pictures. Throws `ImageFault`. */
export async function measureNovelty(pictures: readonly RestPicture[]): Promise<Novelty | null> {
  if (pictures.length < LEAST_PICTURES) return null;
  const faces: PosedFace[] = [];
  for (const { bytes, points, yaw, pitch } of pictures.slice(0, MAX_PICTURES)) {
    faces.push({ face: prepareFace(faceCrop(await decodeImage(bytes), points)), yaw, pitch });
  }
  const pairs = pairsOf(faces).map(([one, other]) => {
    const { face, eyes } = noveltyBetween(one.face, other.face);
    const growth = expectedGrowth(one, other);
    return { value: face, beyondPose: face / growth, eyes: eyes / growth };
  });
  const values = pairs.map(({ value }) => value);
  const [, , thirdLeast = 0] = values.toSorted((one, other) => one - other);
  const medianBeyondPose = medianOf(pairs.map(({ beyondPose }) => beyondPose)) ?? 0;
  const eyesOfPairs = pairs.map(({ eyes }) => eyes).toSorted((one, other) => one - other);
  const eyes = eyesOfPairs[Math.floor(eyesOfPairs.length / SIXTH)] ?? 0;
  return { median: medianOf(values) ?? 0, medianBeyondPose, thirdLeast, eyes };
}

type Pose = Pick<RestPicture, 'yaw' | 'pitch'>;
type PosedFace = Pose & { readonly face: PreparedFace };

/**
 * The factor of novelty that the pose alone causes: a head on its way back hides and shows parts of itself, and so does
 * a warped photograph. Without it, a photograph that never returns quite to the same pose would pass for a living face.
 */
function expectedGrowth(one: Pose, other: Pose): number {
  const apart = Math.hypot(one.yaw - other.yaw, one.pitch - other.pitch);
  return 1 + (apart / DEGREES_OF_TWICE) ** 2;
}
