import type { Movement } from '@grove/vision';
import type { Faces } from './faces.ts';
import { type AttackKind, type Player, playStill } from './play-still.ts';
import type { Still } from './render-head.ts';

/** Who sits in front of the camera, or pretends to. */
export type Attack = {
  readonly about: string;
  play(faces: Faces, at: number): Player;
};

const of = (kind: AttackKind, about: string): Attack => ({
  about,
  play: ({ stills }, at) => playStill(kind, [stills[at % stills.length] as Still], Math.random),
});

const MOVEMENTS: readonly Movement[] = ['left', 'right', 'up', 'down', 'closeEyes', 'openMouth'];
const HOLD_MS = 900;

/** A film that was made before: it plays on, whatever is asked for. */
function film(about: string, sequence: (random: () => number) => readonly Movement[]): Attack {
  return {
    about,
    play({ stills }, at) {
      const player = playStill('mesh', [stills[at % stills.length] as Still], Math.random);
      const movements = sequence(Math.random);
      let started: number | undefined;
      let before = -1;
      return {
        follow: () => undefined,
        frame(now) {
          started ??= now;
          const scene = Math.floor((now - started - 1500) / HOLD_MS);
          if (scene !== before && scene >= 0) {
            const kind = movements[Math.floor(scene / 2) % movements.length] as Movement;
            player.follow({ kind, phase: scene % 2 === 0 ? 'do' : 'return' }, now - 500);
            before = scene;
          }
          return player.frame(now);
        },
      };
    },
  };
}

/** Somebody else moves before the camera, half-way through. */
const swap: Attack = {
  about: 'a photograph of another person takes over after two movements',
  play({ stills }, at) {
    const [one, other] = [0, 1].map((next) =>
      playStill('mesh', [stills[(at + next) % stills.length] as Still], Math.random),
    );
    let instructions = 0;
    const current = () => (instructions > 4 ? other : one) as Player;
    return {
      follow(instruction, now) {
        instructions += 1;
        one?.follow(instruction, now);
        other?.follow(instruction, now);
      },
      frame: (now) => current().frame(now),
    };
  },
};

const genuine: Attack = {
  about: 'a recording of a man who does what is asked for',
  play({ recording }) {
    const actor = recording.actor();
    let open: Parameters<Player['follow']>[0] = { kind: 'centre', phase: 'do' };
    return {
      follow(instruction) {
        open = instruction;
      },
      frame: async () => actor.frame(open),
    };
  },
};

export const ATTACKS = {
  genuine,
  still: of('still', 'one photograph, with noise'),
  print: of('print', 'one photograph, shifted and turned as a flat print'),
  ellipsoid: of('ellipsoid', 'one photograph, warped live over an ellipsoid with a nose'),
  mesh: of('mesh', 'one photograph, warped live over a generic face'),
  layer: of('layer', 'the same with a background of its own and careful painting'),
  full: of('full', 'the same, lit anew, with blinks and a mouth that moves'),
  wobble: of('wobble', 'one photograph, warped live, with wobble, flicker and strong noise'),
  film: film('a film of a random sequence, made before', (random) =>
    Array.from({ length: 5 }, () => MOVEMENTS[Math.floor(random() * MOVEMENTS.length)] as Movement),
  ),
  sweep: film('a film that sweeps through all movements', () => MOVEMENTS),
  swap,
} as const satisfies Record<string, Attack>;

export type AttackName = keyof typeof ATTACKS;
