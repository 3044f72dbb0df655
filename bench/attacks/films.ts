import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type FaceObservation,
  hasRoom,
  isDirection,
  type Movement,
  type Neutral,
  type Omission,
  roleAtStart,
  roleOf,
  sizeOf,
  type VisionEngine,
} from '@grove/vision';
import sharp from 'sharp';
import { FACE_GUIDE, OVAL } from '../../packages/journey/src/capture/face/judge-face.ts';
import { type Actor, RecordingOver } from '../../packages/vision/test/recording.ts';

/** A recording of a person, whose frames are played in the order of the instructions. */
export type Film = {
  readonly name: string;
  /** Movements that are not in it. */
  readonly omit: readonly Omission[];
  /** Movements that are in it. */
  readonly shows: ReadonlySet<Movement>;
  actor(): Actor;
};

/** `at` is the number of the frame in the film. */
type Frame = { readonly bytes: Buffer; readonly observation: FaceObservation; readonly at: number };

const MAX_FILMS = 100;
const MAX_FRAMES = 400;
const FRAMES_PER_SECOND = 12;
/** The page begins a challenge only when the face is this high, in heights of the visible picture. */
const LEAST_FACE_HEIGHT = FACE_GUIDE.heightAtLeast * OVAL.height;
/** The visible picture on a phone, in widths: of a taller picture, only the middle is shown. */
const MOST_VISIBLE_HEIGHT = 5 / 4;
/** Every other frame of a stretch makes a second take, as if the person repeated the movement. */
const TAKES_OF_STRETCH = 2;
/** Two frames in a row show a movement; eyes must be closed for longer. */
const LEAST_FRAMES = 2;
const LEAST_FRAMES_OF_CLOSED_EYES = 8;
const REST_DEGREES = 4;
const MOST_ASIDE_DEGREES = 20;
/** How much two moments at rest may differ. */
const CLEAR = { degrees: 3, lids: 0.9, eyesOpen: 0.85, mouth: 0.04 };
/**
 * In how many moments of the film the face must be at rest: at the start and after each movement. A moment is one second,
 * because in a challenge the moments at rest are seconds apart, and frames of one second are nearly the same picture. In a
 * short film a moment is half a second; then pictures at rest are more alike, and the person is refused more often.
 */
const LEAST_RESTS = 6;
const FRAMES_OF_MOMENT = [FRAMES_PER_SECOND, FRAMES_PER_SECOND / 2] as const;
/** The number of frames in which the head comes back. */
const FRAMES_OF_WAY_BACK = 3;
/** In films of talking heads nobody comes closer, so a part of the picture is enlarged as if the camera came closer. */
const CLOSE_UP = 1.35;
const CLOSE_UPS = 8;
const FRAMES_OF_CLOSE_UP = 4;
const MOVEMENTS: readonly Movement[] = ['left', 'right', 'up', 'down', 'closeEyes', 'openMouth', 'closer'];

/**
 * Reads every folder as a film. Films in which the person does not look ahead often enough, near enough, are left out, and
 * named.
 */
export async function findFilms(vision: VisionEngine, folder: string): Promise<Film[]> {
  const films: Film[] = [];
  for (const name of readdirSync(folder).slice(0, MAX_FILMS)) {
    const film = await toFilm(name, await observeFrames(vision, join(folder, name)));
    if (film) films.push(film);
    process.stderr.write(`${name}: ${film ? `shows ${[...film.shows].join(', ')}` : 'cannot be played'}\n`);
  }
  return films;
}

async function observeFrames(vision: VisionEngine, folder: string): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (const [at, file] of readdirSync(folder).sort().slice(0, MAX_FRAMES).entries()) {
    const bytes = readFileSync(join(folder, file));
    const observation = await vision.observeFace(bytes);
    if ('points' in observation && isNearEnough(observation)) frames.push({ bytes, observation, at });
  }
  return frames;
}

/** Whether the page would let a person begin at this distance: somebody metres away is told to come closer first. */
export function isNearEnough({ box, width, height }: Pick<FaceObservation, 'box' | 'width' | 'height'>): boolean {
  const visibleHeight = Math.min(height, width * MOST_VISIBLE_HEIGHT);
  return box.bottom - box.top >= visibleHeight * LEAST_FACE_HEIGHT;
}

async function toFilm(name: string, frames: readonly Frame[]): Promise<Film | undefined> {
  const ahead = frames.filter(({ observation }) => roleAtStart(observation).role === 'centre');
  const first = mostUsual(ahead)?.observation;
  if (!first) return undefined;
  const neutral = { ...first, size: sizeOf(first) };
  // Only frames that look at one place are at rest: the films were not made for this purpose, and people look around.
  const isNear = (observation: FaceObservation) =>
    Math.hypot(observation.yaw - neutral.yaw, observation.pitch - neutral.pitch) <= REST_DEGREES;
  const rests = ahead.filter(
    ({ observation }) => isNear(observation) && roleOf(observation, neutral, 'left') === 'centre',
  );
  const momentFrames = FRAMES_OF_MOMENT.find((length) => momentsOf(rests, length).size >= LEAST_RESTS);
  if (!momentFrames) return undefined;
  const takes = new Map(MOVEMENTS.map((movement) => [movement, takesOf(frames, neutral, movement)]));
  const closer = [...(takes.get('closer') ?? []), ...(await closeUpsOf(rests))];
  takes.set('closer', closer);
  const has = (...movements: Movement[]) => movements.every((movement) => (takes.get(movement)?.length ?? 0) > 0);
  const omit: Omission[] = [
    ...(has('closeEyes') ? [] : (['eyes'] as const)),
    ...(has('openMouth') ? [] : (['mouth'] as const)),
    ...(has('left') || has('right') ? [] : (['turn'] as const)),
    ...(has('closer') ? [] : (['closer'] as const)),
  ];
  return ['eyes', 'mouth', 'turn'].every((each) => omit.includes(each as Omission))
    ? undefined
    : {
        name,
        omit,
        shows: new Set(MOVEMENTS.filter((movement) => has(movement))),
        actor: () => newActor([...momentsOf(rests, momentFrames).values()], takes),
      };
}

/** Groups frames by the moment of the film to which they belong. */
function momentsOf(frames: readonly Frame[], length: number): Map<number, Frame[]> {
  return Map.groupBy(frames, ({ at }) => Math.floor(at / length));
}

/** The frame whose pose has the most other frames near it: the pose of the person at rest. */
function mostUsual(frames: readonly Frame[]): Frame | undefined {
  const near = ({ observation: one }: Frame) =>
    frames.filter(
      ({ observation }) => Math.hypot(observation.yaw - one.yaw, observation.pitch - one.pitch) <= REST_DEGREES,
    ).length;
  return frames.toSorted((one, other) => near(other) - near(one))[0];
}

/** Stretches of frames that follow each other and show the movement, each as several takes if it is long enough. */
function takesOf(frames: readonly Frame[], neutral: Neutral, movement: Movement): Frame[][] {
  const stretches: Frame[][] = [[]];
  for (const frame of frames) {
    if (
      isLevel(frame.observation, neutral, movement) &&
      nearbyRests(neutral).every((rest) => roleOf(frame.observation, rest, movement) === 'shown')
    )
      stretches.at(-1)?.push(frame);
    else if (stretches.at(-1)?.length) stretches.push([]);
  }
  const least = movement === 'closeEyes' ? LEAST_FRAMES_OF_CLOSED_EYES : LEAST_FRAMES;
  return stretches.flatMap((stretch) =>
    stretch.length >= least * TAKES_OF_STRETCH
      ? inTurns(stretch, TAKES_OF_STRETCH)
      : stretch.length >= least
        ? [stretch]
        : [],
  );
}

/** The network reads any yaw from a face that is bowed deeply, so a turned head counts only if it is not bowed as well. */
function isLevel({ yaw, pitch }: FaceObservation, neutral: Neutral, movement: Movement): boolean {
  if (!isDirection(movement)) return true;
  const aside = movement === 'left' || movement === 'right' ? pitch - neutral.pitch : yaw - neutral.yaw;
  return Math.abs(aside) <= MOST_ASIDE_DEGREES;
}

/** The server measures from another moment at rest, so a movement in a film must be clear from all of these. */
function nearbyRests(neutral: Neutral): Neutral[] {
  const turned = [-CLEAR.degrees, CLEAR.degrees].flatMap((degrees) => [
    { ...neutral, yaw: neutral.yaw + degrees },
    { ...neutral, pitch: neutral.pitch + degrees },
  ]);
  const narrow = { ...neutral, lids: neutral.lids * CLEAR.lids, eyesOpen: neutral.eyesOpen * CLEAR.eyesOpen };
  return [neutral, ...turned, narrow, { ...neutral, mouth: neutral.mouth + CLEAR.mouth }];
}

/** Deals out the items in turns, like cards: each list has every `turns`-th item. */
function inTurns<Item>(items: readonly Item[], turns: number): Item[][] {
  return Array.from({ length: turns }, (_, offset) => items.filter((_item, at) => at % turns === offset));
}

async function closeUpsOf(rests: readonly Frame[]): Promise<Frame[][]> {
  const roomy = rests.filter(({ observation }) => hasRoom(observation)).slice(-CLOSE_UPS);
  if (roomy.length < CLOSE_UPS) return [];
  const closeUps: Frame[] = [];
  for (const frame of roomy) closeUps.push({ ...frame, bytes: await closeUp(frame) });
  return [closeUps.slice(0, FRAMES_OF_CLOSE_UP), closeUps.slice(FRAMES_OF_CLOSE_UP)];
}

function closeUp({ bytes, observation: { width, height, box } }: Frame): Promise<Buffer> {
  const size = { width: Math.round(width / CLOSE_UP), height: Math.round(height / CLOSE_UP) };
  // The middle of the face stays where it is.
  const left = Math.floor(((box.left + box.right) / 2) * (1 - 1 / CLOSE_UP));
  const top = Math.floor(((box.top + box.bottom) / 2) * (1 - 1 / CLOSE_UP));
  return sharp(bytes)
    .extract({ left, top, ...size })
    .resize(width, height)
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** `rests` are the frames at rest, one list for each moment. */
function newActor(
  rests: readonly (readonly Frame[])[],
  takes: ReadonlyMap<Movement, readonly (readonly Frame[])[]>,
): Actor {
  const inTurn = fromAllMoments(rests);
  const waiting = new Map<Movement, (readonly Frame[])[]>();
  /** The next take of a movement. When all were played, the takes begin again. */
  const nextTake = (movement: Movement): readonly Frame[] => {
    const list = waiting.get(movement) ?? [];
    if (list.length === 0) list.push(...shuffled(takes.get(movement) ?? []));
    waiting.set(movement, list);
    return list.shift() ?? [];
  };
  let playing: Frame[] = [];
  let before = '';
  return {
    frame({ kind, phase }) {
      const atRest = kind === 'centre' || phase === 'return';
      const isNew = before !== `${kind} ${phase}`;
      before = `${kind} ${phase}`;
      if (!atRest && (isNew || playing.length === 0)) playing = [...nextTake(kind)];
      // A turned head comes back as in the film; the frames after that are from another moment at rest.
      if (atRest && isNew) playing = isDirection(kind) ? endOf(playing) : [];
      const frame = playing.shift() ?? (atRest ? inTurn.shift() : undefined);
      if (!frame) throw new RecordingOver(`the film has no more frames of ${atRest ? 'the face at rest' : kind}`);
      return frame.bytes;
    },
  };
}

/** A few of the remaining frames of a take, including the last one. */
function endOf(frames: readonly Frame[]): Frame[] {
  const every = Math.max(1, Math.ceil(frames.length / FRAMES_OF_WAY_BACK));
  return frames.filter((_frame, at) => (frames.length - 1 - at) % every === 0);
}

/** One frame of each moment, then another one of each, and so on, so that each face at rest is from another moment. */
function fromAllMoments(rests: readonly (readonly Frame[])[]): Frame[] {
  const moments = rests.map((frames) => shuffled(frames));
  const rounds = Math.max(...moments.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) =>
    shuffled(moments).flatMap((frames) => frames[round] ?? []),
  ).flat();
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}
