import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type FaceObservation,
  type Movement,
  type Neutral,
  type Omission,
  roleAtStart,
  roleOf,
  sizeOf,
  type VisionEngine,
} from '@grove/vision';
import { type Actor, RecordingOver } from '../../packages/vision/test/recording.ts';

/** A recording of a person, whose frames are played in the order in which they are asked for. */
export type Film = {
  readonly name: string;
  /** What the person never does in it. */
  readonly omit: readonly Omission[];
  actor(): Actor;
};

type Frame = { readonly bytes: Buffer; readonly seen: FaceObservation };

const MAX_FILMS = 100;
const MAX_FRAMES = 400;
/** Two frames in a row show a movement; eyes must be closed for longer. */
const LEAST_FRAMES = 2;
const LEAST_FRAMES_OF_CLOSED_EYES = 4;
const REST_DEGREES = 4;
/** So many times the face has to be at rest. */
const LEAST_RESTS = 9;
const MOVEMENTS: readonly Movement[] = ['left', 'right', 'up', 'down', 'closeEyes', 'openMouth', 'closer'];

/** Every folder is a film. Those in which nobody looks ahead often enough are left out, and named. */
export async function findFilms(vision: VisionEngine, folder: string): Promise<Film[]> {
  const films: Film[] = [];
  for (const name of readdirSync(folder).slice(0, MAX_FILMS)) {
    const film = toFilm(name, await observeFrames(vision, join(folder, name)));
    if (film) films.push(film);
    process.stderr.write(`${name}: ${film ? `without ${film.omit.join(', ') || 'omissions'}` : 'cannot be played'}\n`);
  }
  return films;
}

async function observeFrames(vision: VisionEngine, folder: string): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (const file of readdirSync(folder).sort().slice(0, MAX_FRAMES)) {
    const bytes = readFileSync(join(folder, file));
    const observation = await vision.observeFace(bytes);
    if ('points' in observation) frames.push({ bytes, seen: observation });
  }
  return frames;
}

function toFilm(name: string, frames: readonly Frame[]): Film | undefined {
  const ahead = frames.filter(({ seen }) => roleAtStart(seen).role === 'centre');
  const first = ahead[Math.floor(ahead.length / 4)]?.seen;
  if (!first) return undefined;
  const neutral = { ...first, size: sizeOf(first) };
  // Who looks ahead looks at one place: the films were not made for this, and people look around in them.
  const isNear = (observation: FaceObservation) =>
    Math.hypot(observation.yaw - neutral.yaw, observation.pitch - neutral.pitch) <= REST_DEGREES;
  const rests = ahead.filter(({ seen }) => isNear(seen) && roleOf(seen, neutral, 'left') === 'centre');
  if (rests.length < LEAST_RESTS) return undefined;
  const takes = new Map(MOVEMENTS.map((movement) => [movement, takesOf(frames, neutral, movement)]));
  const has = (...movements: Movement[]) => movements.every((movement) => (takes.get(movement)?.length ?? 0) > 0);
  const omit: Omission[] = [
    ...(has('closeEyes') ? [] : (['eyes'] as const)),
    ...(has('openMouth') ? [] : (['mouth'] as const)),
    ...(has('left') || has('right') ? [] : (['turn'] as const)),
    ...(has('closer') ? [] : (['closer'] as const)),
  ];
  return ['eyes', 'mouth', 'turn'].every((each) => omit.includes(each as Omission))
    ? undefined
    : { name, omit, actor: () => newActor(rests, takes) };
}

/** Stretches of frames that follow each other and show the movement. */
function takesOf(frames: readonly Frame[], neutral: Neutral, movement: Movement): Frame[][] {
  const takes: Frame[][] = [[]];
  for (const frame of frames) {
    if (roleOf(frame.seen, neutral, movement) === 'shown') takes.at(-1)?.push(frame);
    else if (takes.at(-1)?.length) takes.push([]);
  }
  const least = movement === 'closeEyes' ? LEAST_FRAMES_OF_CLOSED_EYES : LEAST_FRAMES;
  return takes.filter(({ length }) => length >= least);
}

function newActor(rests: readonly Frame[], takes: ReadonlyMap<Movement, readonly (readonly Frame[])[]>): Actor {
  // Frames of the whole film, so that a face at rest is another moment each time.
  const stride = Math.max(1, Math.floor(rests.length / LEAST_RESTS));
  const inTurn = Array.from({ length: stride }, (_, offset) =>
    rests.filter((_frame, at) => at % stride === offset),
  ).flat();
  const waiting = new Map([...takes].map(([movement, list]) => [movement, [...list]]));
  // Who comes closer with closed eyes shows two movements at once. A picture that comes again is refused.
  const played = new Set<Frame>();
  const nextTake = (movement: Movement): Frame[] => {
    const list = waiting.get(movement) ?? [];
    for (let take = list.shift(); take; take = list.shift())
      if (!take.some((frame) => played.has(frame))) return [...take];
    return [];
  };
  let playing: Frame[] = [];
  let before = '';
  return {
    frame({ kind, phase }) {
      const atRest = kind === 'centre' || phase === 'return';
      if (!atRest && (before !== `${kind} ${phase}` || playing.length === 0)) playing = nextTake(kind);
      before = `${kind} ${phase}`;
      const frame = atRest ? inTurn.shift() : playing.shift();
      if (!frame) throw new RecordingOver(`the film shows ${atRest ? 'the face at rest' : kind} no more`);
      played.add(frame);
      return frame.bytes;
    },
  };
}
