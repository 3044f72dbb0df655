import { type Pose, stepBetween } from './follow-challenge.ts';
import type { Angles } from './judge-face.ts';

/** A frame that was kept while a challenge ran. */
export type KeptFrame<Image> = {
  readonly image: Image;
  /** Milliseconds since the challenge began. */
  readonly at: number;
  /** Unknown where no landmarks are found in this browser. */
  readonly angles: Angles | null;
  /** One face, and not astray. */
  readonly usable: boolean;
  /** A pose was just completed here, */
  readonly milestone: boolean;
  /** and this is it. */
  readonly pose?: Pose;
};

export const FRAMES_AT_LEAST = 10;
export const FRAMES_AT_MOST = 24;
/** As many as the way needs; more would only take longer to send and to look at. */
const FRAMES_WANTED = 16;
const CLOSE_DEGREES = 9;
/** A head goes on for so many looks after a pose was counted, before the next instruction is understood. */
const PEAK_LOOKS = 5;
/** Kept back for what follows the last pose, which is counted on the way out. */
const LAST_FRAMES = 3;

type FrameChoice<Image> = {
  /** What was chosen before stays. */
  readonly before: ReadonlySet<KeptFrame<Image>>;
  readonly atMost: number;
  /** Up to here also those are taken that show little that is new. */
  readonly wanted: number;
};

/**
 * The frames that show every pose and the way between them: the first, those where a pose was reached, those where it
 * was shown furthest, because the server measures with another eye, and then always the one in the middle of the widest
 * gap.
 */
export function chooseFrames<Image>(
  frames: readonly KeptFrame<Image>[],
  before: ReadonlySet<KeptFrame<Image>> = new Set(),
): KeptFrame<Image>[] {
  const usable = frames.filter((frame) => frame.usable);
  if (usable.length <= FRAMES_AT_LEAST) return usable;
  return choose(usable, { before, atMost: FRAMES_AT_MOST, wanted: FRAMES_WANTED });
}

/**
 * The same when only some of the movements were made: what can be sent already, while the others are. `made` of `all`
 * movements leave their share of the frames to the rest.
 */
export function chooseSoFar<Image>(
  frames: readonly KeptFrame<Image>[],
  before: ReadonlySet<KeptFrame<Image>>,
  { made, all }: { made: number; all: number },
): KeptFrame<Image>[] {
  const share = (of: number) => 1 + made * Math.floor((of - 1 - LAST_FRAMES) / Math.max(1, all));
  const usable = frames.filter((frame) => frame.usable);
  return choose(usable, { before, atMost: share(FRAMES_AT_MOST), wanted: share(FRAMES_WANTED) });
}

function choose<Image>(
  usable: readonly KeptFrame<Image>[],
  { before, atMost, wanted }: FrameChoice<Image>,
): KeptFrame<Image>[] {
  const chosen = new Set<number>([0, usable.length - 1]);
  for (const [at, frame] of usable.entries()) {
    if (before.has(frame)) chosen.add(at);
    if (frame.milestone) chosen.add(at).add(peakOf(usable, at));
  }
  while (chosen.size < Math.min(atMost, usable.length)) {
    const widest = widestGap(
      usable,
      [...chosen].sort((one, other) => one - other),
    );
    if (!widest || (chosen.size >= wanted && widest.degrees < CLOSE_DEGREES)) break;
    chosen.add(widest.middle);
  }
  return [...chosen]
    .sort((one, other) => one - other)
    .slice(0, FRAMES_AT_MOST)
    .flatMap((at) => usable[at] ?? []);
}

/** Where the pose that was counted at a frame is shown furthest, until the next one is counted. */
function peakOf<Image>(frames: readonly KeptFrame<Image>[], counted: number): number {
  const { pose } = frames[counted] as KeptFrame<Image>;
  let peak = counted;
  for (let at = counted + 1; at <= counted + PEAK_LOOKS; at += 1) {
    const frame = frames[at];
    if (!frame || frame.milestone) break;
    if (outwards(pose, frame.angles) > outwards(pose, frames[peak]?.angles ?? null)) peak = at;
  }
  return peak;
}

function outwards(pose: Pose | undefined, angles: Angles | null): number {
  if (!angles) return Number.NEGATIVE_INFINITY;
  switch (pose) {
    case 'left':
      return -angles.yaw;
    case 'right':
      return angles.yaw;
    case 'up':
      return angles.pitch;
    case 'down':
      return -angles.pitch;
    default:
      return 0;
  }
}

type Gap = { middle: number; degrees: number };

/** By angle where it is known, and by time between equals. */
function widestGap<Image>(frames: readonly KeptFrame<Image>[], chosen: readonly number[]): Gap | null {
  let widest: (Gap & { weight: number }) | null = null;
  for (const [place, from] of chosen.entries()) {
    const to = chosen[place + 1];
    if (to === undefined || to - from < 2) continue;
    const [one, other] = [frames[from], frames[to]] as [KeptFrame<Image>, KeptFrame<Image>];
    const degrees = travelled(frames.slice(from, to + 1));
    const weight = degrees + (other.at - one.at) / 400;
    if (!widest || weight > widest.weight) widest = { middle: Math.floor((from + to) / 2), degrees, weight };
  }
  return widest;
}

/** The whole way between two frames, there and back included. */
function travelled<Image>(frames: readonly KeptFrame<Image>[]): number {
  return frames.reduce((sum, { angles }, at) => {
    const before = frames[at - 1]?.angles;
    return before && angles ? sum + stepBetween(before, angles) : sum;
  }, 0);
}
