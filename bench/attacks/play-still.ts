import type { Movement } from '@grove/vision';
import { type HeadPose, type RenderOptions, renderHead } from './render-head.ts';
import type { Still } from './still.ts';

/** Follows instructions live with pictures that are rendered from stills. */
export type Player = {
  /** The frame at this moment, for the instruction that was revealed then. */
  frame(now: number): Promise<Buffer>;
  /** Begins to follow a new instruction, or to return to rest. */
  follow(instruction: { kind: Movement; phase: 'do' | 'return'; longestSide?: number }, now: number): void;
};

export type AttackKind =
  | 'still'
  | 'print'
  | 'ellipsoid'
  | 'mesh'
  | 'layer'
  | 'full'
  | 'lids'
  | 'wobble'
  | 'screen'
  | 'paper'
  | 'photographs'
  | 'album';

const ALL_MEANS = {
  model: 'mesh',
  ownBackground: true,
  relight: 0.25,
  noise: 3,
  jpegQuality: 85,
  paint: 'careful',
} as const;

const STYLES: Record<
  Exclude<AttackKind, 'still' | 'print' | 'photographs' | 'album'>,
  Omit<RenderOptions, 'random'>
> = {
  ellipsoid: { model: 'ellipsoid', noise: 2 },
  mesh: { model: 'mesh', noise: 2 },
  layer: { model: 'mesh', ownBackground: true, noise: 2.5, jpegQuality: 85, paint: 'careful' },
  full: ALL_MEANS,
  lids: ALL_MEANS,
  screen: { model: 'mesh', noise: 2, medium: 'screen' },
  paper: { model: 'mesh', noise: 2, medium: 'print' },
  wobble: { model: 'mesh', wobble: 1.6, flicker: 0.1, noise: 5, jpegQuality: 80, paint: 'careful' },
};

const REACTION_MS = [380, 700] as const;
const RAMP_MS = 450;
/** A movement grows to one and a half times its size within this time, and no further. */
const FURTHER_MS = 6000;
const MOST_FURTHER = 0.5;
/** How long the attacker tries one way to draw closed eyes. */
const PAINT_MS = 2200;
/** How far the lids sink at most when the head comes back, another way each time, if the attacker imitates living eyes. */
const MOST_SUNKEN_LIDS = 0.3;

export function playStill(kind: AttackKind, stills: readonly Still[], random: () => number): Player {
  const [main] = stills;
  if (!main) throw new Error('there is no photograph to animate');
  let target: HeadPose = { yaw: 0, pitch: 0 };
  let from: HeadPose = target;
  let begins = 0;
  const lively = kind === 'full' || kind === 'lids' || kind === 'wobble' || kind === 'photographs' || kind === 'album';
  let returns = 0;
  let lids = 0;
  const blinkAt = 1500 + random() * 4000;
  const poseAt = (now: number): HeadPose => {
    const share = Math.min(1, Math.max(0, (now - begins) / RAMP_MS));
    const smooth = share * share * (3 - 2 * share);
    // While the instruction stays open, the attacker exaggerates the movement, as a person would.
    const further = 1 + Math.min(MOST_FURTHER, Math.max(0, (now - begins - RAMP_MS) / FURTHER_MS));
    const mix = (of: keyof HeadPose) => (from[of] ?? 0) * (1 - smooth) + (target[of] ?? 0) * further * smooth;
    // A real head is never quite still, and the attacker imitates that.
    const sway = (speed: number) => Math.sin((now / 1000) * speed) * 0.8 + (random() - 0.5) * 0.6;
    const blink = lively && now % 5000 > blinkAt && now % 5000 < blinkAt + 200 ? 1 : 0;
    return {
      yaw: mix('yaw') + sway(1.1),
      pitch: mix('pitch') + sway(0.8),
      roll: sway(0.5),
      eyePaint: Math.max(0, Math.floor((now - begins) / PAINT_MS)),
      eyesClosed: Math.min(1, Math.max(blink, lids, mix('eyesClosed'))),
      nearer: mix('nearer'),
      mouthGap: Math.max(0, mix('mouthGap') + (lively ? (random() - 0.5) * 0.03 : 0)),
    };
  };
  return {
    async frame(now) {
      const pose = poseAt(now);
      if (kind === 'still') return renderHead(main, { yaw: 0, pitch: 0 }, { model: 'flat', noise: 2, random });
      if (kind === 'print')
        return renderHead(main, { ...pose, eyesClosed: 0, mouthGap: 0 }, { model: 'flat', noise: 2, random });
      if (kind === 'photographs') {
        // Takes the photograph whose head is turned nearest to the pose, and warps the rest.
        const best = stills.reduce((one, other) =>
          Math.abs((other.turned ?? 0) - pose.yaw) < Math.abs((one.turned ?? 0) - pose.yaw) ? other : one,
        );
        const rest = { ...pose, yaw: pose.yaw - (best.turned ?? 0) };
        return renderHead(best, rest, { ...STYLES.full, relight: 0.1, random });
      }
      // Takes another photograph each time the head comes back.
      if (kind === 'album')
        return renderHead(stills[returns % stills.length] ?? main, pose, { ...STYLES.full, random });
      return renderHead(main, pose, { ...STYLES[kind], random });
    },
    follow({ kind: movement, phase }, now) {
      if (phase === 'return') returns += 1;
      if (kind === 'lids') lids = random() * MOST_SUNKEN_LIDS;
      from = poseAt(now);
      begins = now + REACTION_MS[0] + random() * (REACTION_MS[1] - REACTION_MS[0]);
      target = phase === 'return' ? { yaw: 0, pitch: 0 } : TARGETS[movement];
    },
  };
}

const TARGETS: Record<Movement, HeadPose> = {
  centre: { yaw: 0, pitch: 0 },
  left: { yaw: -24, pitch: 0 },
  right: { yaw: 24, pitch: 0 },
  up: { yaw: 0, pitch: 20 },
  down: { yaw: 0, pitch: -20 },
  closeEyes: { yaw: 0, pitch: 0, eyesClosed: 1 },
  openMouth: { yaw: 0, pitch: 0, mouthGap: 0.5 },
  closer: { yaw: 0, pitch: 0, nearer: 0.35 },
};
