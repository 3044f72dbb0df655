import type { Challenge } from '../../api.ts';
import { type HintPace, noHintYet, paceHint } from '../hint-pace.ts';
import { draw, encodePicture, PICTURE_LIMITS, type Picture, toJpeg } from '../picture/picture.ts';
import { regionOf, type Taken } from '../use-looks.ts';
import { chooseFrames, chooseSoFar, FRAMES_AT_LEAST, type KeptFrame } from './choose-frames.ts';
import type { FaceFinder } from './face-finder.ts';
import { OVAL } from './face-oval.tsx';
import {
  CHALLENGE_GUIDE,
  type ChallengeState,
  followChallenge,
  type Pose,
  startChallenge,
} from './follow-challenge.ts';
import { type FaceHint, type FaceLook, judgeFace, judgePresence } from './judge-face.ts';
import { isInDoubt, isTooSlow, type LookPace, noLooksYet, paceLook } from './pace-looks.ts';

export type ChallengeShots = {
  nonce: string;
  image: Picture;
  frames: readonly { name: string; blob: Blob; at: number }[];
};

/** What the page shows of a challenge that runs. */
export type ChallengeView = {
  /** The face is brought into the oval; then movements are asked for; then it is over. */
  phase: 'placing' | 'asking' | 'over';
  asked: Pose | null;
  shown: number;
  total: number;
  tries: number;
  good: boolean;
  progress: number;
  pace: HintPace<FaceHint>;
  warning: FaceHint | null;
};

export const BEGINNING: ChallengeView = {
  ...{ phase: 'placing', asked: null, shown: 0, total: 0, tries: 1, good: false, progress: 0 },
  pace: noHintYet<FaceHint>(),
  warning: null,
};

/** Whoever runs a challenge is told how it ends, one way or another. */
export type ChallengeEnds = {
  create(): Promise<Challenge>;
  /** Will be among the shots if this try comes to its end, and can be sent while it goes on. */
  onChosen(chosen: { nonce: string; name: string; blob: Blob }): void;
  onDone(shots: ChallengeShots): void;
  /** Neither the first try nor its repetition came to an end. */
  onTimeout(): void;
  onError(error: unknown): void;
};

/** What a try has gathered. */
export type Try = {
  challenge: Challenge;
  startedAt: number;
  state: ChallengeState;
  frames: KeptFrame<Promise<Blob>>[];
  /** What is chosen of them, by name. */
  chosen: Map<KeptFrame<Promise<Blob>>, string>;
  image: Promise<Picture> | undefined;
  /** Looks since the last pose was counted. */
  lingered: number;
};

export type ChallengeRun = {
  readonly video: { current: HTMLVideoElement | null };
  ends: ChallengeEnds;
  change(next: Partial<ChallengeView> | ((before: ChallengeView) => Partial<ChallengeView>)): void;
  /** Landmarks come too slowly to be of use. */
  onSlow(): void;
  tried: Try | undefined;
  tries: number;
  placed: number;
  speed: LookPace;
  /** While something is awaited, pictures are let go by. */
  busy: boolean;
};

export function newRun(parts: Pick<ChallengeRun, 'video' | 'ends' | 'change' | 'onSlow'>): ChallengeRun {
  return { ...parts, tried: undefined, tries: 1, placed: 0, speed: noLooksYet, busy: false };
}

const PLACED_LOOKS = 3;
/** The first try, and one repetition by itself. */
const TRIES = 2;
/** The last pose is counted on the way out: so many looks more show how far it goes, before the head comes back. */
const LINGER_LOOKS = 2;
/** More than a try can fill at the pace of the looks. */
const MAX_KEPT = 240;

/** One picture: first until the face is in its place, then until all movements were made. */
export async function lookAtFace(run: ChallengeRun, finder: FaceFinder, { pixels, canvas, at }: Taken): Promise<void> {
  if (run.busy) return;
  const { tried } = run;
  const image = tried ? toJpeg(canvas, PICTURE_LIMITS.frameQuality) : undefined;
  const face: FaceLook = { at, ...(await finder.find(pixels)) };
  run.speed = paceLook(run.speed, performance.now() - at);
  if (!tried && isTooSlow(run.speed)) return run.onSlow();
  if (tried && image) await follow(run, tried, face, image);
  else await place(run, face);
}

export async function beginTry(run: ChallengeRun): Promise<void> {
  run.busy = true;
  try {
    const challenge = await run.ends.create();
    const state = startChallenge(challenge.poses as Pose[]);
    const nothing = { frames: [], chosen: new Map(), image: undefined, lingered: 0 };
    run.tried = { challenge, startedAt: performance.now(), state, ...nothing };
    run.change({ phase: 'asking', asked: state.poses[0] ?? null, shown: 0, total: state.poses.length, progress: 0 });
  } catch (error) {
    run.change({ phase: 'over' });
    run.ends.onError(error);
  }
  run.busy = false;
}

export async function finishTry(run: ChallengeRun, tried: Try): Promise<void> {
  run.busy = true;
  run.change({ phase: 'over', asked: null, progress: 1 });
  try {
    const chosen = chooseFrames(tried.frames, new Set(tried.chosen.keys()));
    const frames = await Promise.all(
      chosen.map(async (frame) => ({
        name: nameOf(tried, frame),
        blob: await frame.image,
        at: Math.round(frame.at),
      })),
    );
    const image = await (tried.image ?? selfie(run));
    run.ends.onDone({ nonce: tried.challenge.nonce, image, frames });
  } catch (error) {
    run.ends.onError(error);
  }
}

/** For a challenge by the clock: what the camera shows now. */
export function keepFrame(run: ChallengeRun, tried: Try, elapsed: number): void {
  const element = run.video.current;
  if (!element || tried.frames.length >= MAX_KEPT) return;
  const canvas = draw(element, regionOf(element), PICTURE_LIMITS.frameEdge);
  const image = toJpeg(canvas, PICTURE_LIMITS.frameQuality);
  tried.frames.push({ image, at: elapsed, angles: null, usable: true, milestone: false });
}

export async function selfie({ video }: Pick<ChallengeRun, 'video'>): Promise<Picture> {
  const element = video.current;
  if (!element) throw new Error('the camera is closed');
  return encodePicture(draw(element, regionOf(element), PICTURE_LIMITS.longEdge));
}

async function place(run: ChallengeRun, face: FaceLook): Promise<void> {
  const hint = judgeFace(face, OVAL);
  run.placed = hint === null ? run.placed + 1 : 0;
  run.change(({ pace }) => ({ good: hint === null, pace: paceHint(pace, hint ?? 'hold', performance.now()) }));
  // Movements that are followed too slowly are missed: whoever is placed at once waits until that is known.
  if (run.placed >= PLACED_LOOKS && !isInDoubt(run.speed)) await beginTry(run);
}

async function follow(run: ChallengeRun, tried: Try, face: FaceLook, image: Promise<Blob>): Promise<void> {
  const presence = judgePresence(face, OVAL);
  // Between movements a head wanders out of the middle; only what hides or doubles it spoils a frame.
  const visible = face.faces === 1;
  const next = visible ? followChallenge(tried.state, face.angles, judgeFace(face, OVAL) === null) : undefined;
  const milestone = next !== undefined && next.state.shown > tried.state.shown;
  const pose = milestone ? tried.state.poses[tried.state.shown] : undefined;
  if (tried.frames.length < MAX_KEPT) {
    const usable = visible && !next?.astray;
    tried.frames.push({
      image,
      at: face.at - tried.startedAt,
      angles: visible ? face.angles : null,
      usable,
      milestone,
      ...(pose && { pose }),
    });
  }
  if (next) tried.state = next.state;
  if (milestone) navigator.vibrate?.(30);
  if (milestone && tried.state.shown === 1) startHere(run, tried);
  else if (milestone) passOn(run, tried);
  const { shown, poses } = tried.state;
  run.change({
    ...{ asked: poses[shown] ?? null, shown, progress: shown / poses.length, good: presence === null },
    warning: next?.tooFast ? 'slower' : presence,
  });
  if (shown === poses.length) tried.lingered += 1;
  if (tried.lingered > LINGER_LOOKS && isEnough(tried)) return finishTry(run, tried);
  if (performance.now() - tried.startedAt > CHALLENGE_GUIDE.tryMs) giveUp(run);
}

/** What came before the first pose was held may show anything: the server measures from the first frame it is sent. */
function startHere(run: ChallengeRun, tried: Try): void {
  tried.frames = tried.frames.slice(-1);
  tried.image = selfie(run);
  tell(run, tried, 'image', tried.image);
}

/** A movement was made: what shows it is known, and can go on its way while the next one is made. */
function passOn(run: ChallengeRun, tried: Try): void {
  const { shown, poses } = tried.state;
  const known = new Set(tried.chosen.keys());
  for (const frame of chooseSoFar(tried.frames, known, { made: shown - 1, all: poses.length - 1 })) {
    if (!known.has(frame)) tell(run, tried, nameOf(tried, frame), frame.image);
  }
}

function tell(run: ChallengeRun, { challenge: { nonce } }: Try, name: string, image: Promise<Blob | Picture>): void {
  image.then(
    (taken) => run.ends.onChosen({ nonce, name, blob: 'blob' in taken ? taken.blob : taken }),
    // A picture that is lost is missed when the try is over, and said then.
    () => undefined,
  );
}

/** Frames are named as they are chosen; in which order they were taken is said when they are submitted. */
function nameOf({ chosen }: Try, frame: KeptFrame<Promise<Blob>>): string {
  const name = chosen.get(frame) ?? `frame${chosen.size + 1}`;
  chosen.set(frame, name);
  return name;
}

/** A slow device may have passed all poses with fewer frames than the server wants to see. */
function isEnough({ frames }: Try): boolean {
  return frames.filter(({ usable }) => usable).length >= FRAMES_AT_LEAST;
}

function giveUp(run: ChallengeRun): void {
  run.tried = undefined;
  run.placed = 0;
  run.tries += 1;
  if (run.tries <= TRIES) {
    run.change({ phase: 'placing', tries: run.tries, asked: null, progress: 0, warning: null });
  } else {
    run.change({ phase: 'over' });
    run.ends.onTimeout();
  }
}
