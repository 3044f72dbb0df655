import type { Movement, Omission } from '@grove/vision';
import sharp from 'sharp';
import { RecordingOver } from '../../packages/vision/test/recording.ts';
import { blendFaces } from './blend.ts';
import type { Faces } from './faces.ts';
import { type AttackKind, type Player, playStill } from './play-still.ts';
import { encode } from './render-head.ts';
import type { Still } from './still.ts';

/** An attack on the liveness check, or a genuine recording for comparison. */
export type Attack = {
  readonly about: string;
  play(faces: Faces, at: number): Player;
  /** Movements that the person cannot make. */
  omit?(faces: Faces, at: number): readonly Omission[];
  /** True for a recording whose moments are played in another order. */
  readonly isCut?: boolean;
  /** The face in the presented document; the definition then comes with Grove. Without a document, only liveness is judged. */
  document?(faces: Faces, at: number): Still;
  /** True if all frames are sent before the first instruction. */
  readonly isEarly?: boolean;
  /** The attacker starts new challenges until this is the first movement. */
  readonly firstMovement?: Movement;
};

const pick = <Item>(items: readonly Item[], at: number) => items[at % items.length] as Item;

const victim = ({ stills }: Faces, at: number) => pick(stills, at);

const of = (kind: AttackKind, about: string): Attack => ({
  about,
  document: victim,
  play: ({ stills }, at) => playStill(kind, [pick(stills, at)], Math.random),
});

const MOVEMENTS: readonly Movement[] = ['left', 'right', 'up', 'down', 'closeEyes', 'openMouth', 'closer'];
const HOLD_MS = 900;

/** A film that was made before the challenge: it continues whatever the instructions are. */
function film(about: string, sequence: (random: () => number) => readonly Movement[], first?: Movement): Attack {
  return {
    about,
    ...(first && { firstMovement: first }),
    document: victim,
    play({ stills }, at) {
      const player = playStill('mesh', [pick(stills, at)], Math.random);
      const movements = sequence(Math.random);
      let started: number | undefined;
      let before = -1;
      return {
        follow: () => undefined,
        frame(now) {
          started ??= now;
          const scene = Math.floor((now - started - 1500) / HOLD_MS);
          if (scene !== before && scene >= 0) {
            const kind = pick(movements, Math.floor(scene / 2));
            player.follow({ kind, phase: scene % 2 === 0 ? 'do' : 'return' }, now - 500);
            before = scene;
          }
          return player.frame(now);
        },
      };
    },
  };
}

const randomMovements = (random: () => number) =>
  Array.from({ length: 5 }, () => pick(MOVEMENTS, Math.floor(random() * MOVEMENTS.length)));

/** Another person takes over, at once or gradually. */
function swap(about: string, shareAt: (instructions: number) => number): Attack {
  return {
    about,
    document: victim,
    play({ stills }, at) {
      const [one, other] = [pick(stills, at), pick(stills, at + 1)];
      const players = new Map<number, Player>();
      const playerOf = (share: number) => {
        const player = players.get(share) ?? playStill('mesh', [blendFaces(one, other, share)], Math.random);
        players.set(share, player);
        return player;
      };
      let phases = 0;
      return {
        follow(instruction, now) {
          phases += 1;
          playerOf(shareAt(phases)).follow(instruction, now);
        },
        frame: (now) => playerOf(shareAt(phases)).frame(now),
      };
    },
  };
}

/** A man who follows the instructions, with the document of a victim; at rest the two faces may be blended. */
function impostor(about: string, isBlended: (open: { kind: Movement; phase: string }) => boolean): Attack {
  return {
    about,
    document: victim,
    play({ films, resting, stills }, at) {
      const actor = pick(films, 0).actor();
      let open: Parameters<Player['follow']>[0] = { kind: 'centre', phase: 'do' };
      let frameCount = 0;
      let framesOfMovement: Buffer[] = [];
      /** The recording shows each movement in a few frames; he holds it as long as the instruction stays open. */
      const frameOfMan = () => {
        try {
          const frame = actor.frame(open);
          framesOfMovement.push(frame);
          return frame;
        } catch (error) {
          if (!(error instanceof RecordingOver) || framesOfMovement.length === 0) throw error;
          frameCount += 1;
          return asPage(pick(framesOfMovement, frameCount));
        }
      };
      return {
        follow(instruction) {
          open = instruction;
          framesOfMovement = [];
        },
        async frame() {
          const atRest = open.kind === 'centre' || open.phase === 'return';
          if (!atRest || !isBlended(open)) return frameOfMan();
          frameCount += 1;
          return encode(blendFaces(pick(resting, frameCount), pick(stills, at), 0.5), Math.random);
        },
      };
    },
  };
}

/** The frames of another challenge that was answered, in their order or in another one, whatever the instructions are now. */
function replay(about: string, order: (movements: readonly Movement[]) => readonly Movement[]): Attack {
  return {
    about,
    document: ({ resting }, at) => pick(resting, at),
    play({ films }) {
      const actor = pick(films, 0).actor();
      const frames = order(answeredMovements(Math.random)).flatMap((kind) => [
        ...Array.from({ length: FRAMES_OF_MOVEMENT }, () => ({ kind, phase: 'do' as const })),
        { kind, phase: 'return' as const },
      ]);
      let frameCount = 0;
      return {
        follow: () => undefined,
        async frame() {
          const movement = frameCount < FRAMES_AT_START ? undefined : frames[frameCount - FRAMES_AT_START];
          frameCount += 1;
          return asPage(actor.frame(movement ?? { kind: 'centre', phase: 'do' }));
        },
      };
    },
  };
}

const FRAMES_AT_START = 2;
const FRAMES_OF_MOVEMENT = 4;

/** A sequence of movements that a challenge may require: both expressions, and turns. */
function answeredMovements(random: () => number): Movement[] {
  return shuffled(['closeEyes', 'openMouth', ...shuffled(TURNS, random).slice(0, 3)], random);
}

const TURNS: readonly Movement[] = ['left', 'right', 'up', 'down', 'closer'];

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}

/** How much the exposure of a camera varies. */
const EXPOSURE = 0.1;

/** Makes a frame like that of a page: reduced to the requested side, and never the same bytes twice, as with a camera. */
function asPage(frame: Buffer, longestSide = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const page = sharp(frame);
  const reduced = Number.isFinite(longestSide)
    ? page.resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
    : page;
  return reduced
    .modulate({ brightness: 1 + (Math.random() - 0.5) * EXPOSURE })
    .jpeg({ quality: 88 })
    .toBuffer();
}

const genuine: Attack = {
  about: 'recordings of people who do what is asked for',
  isCut: true,
  omit: ({ films }, at) => pick(films, at).omit,
  play({ films }, at) {
    const actor = pick(films, at).actor();
    let open: Parameters<Player['follow']>[0] = { kind: 'centre', phase: 'do' };
    return {
      follow(instruction) {
        open = instruction;
      },
      frame: async () => asPage(actor.frame(open), open.longestSide),
    };
  },
};

export const ATTACKS = {
  genuine,
  still: of('still', 'one photograph, with noise'),
  print: of('print', 'one photograph, shifted and turned as a flat print'),
  portrait: {
    about: 'the portrait of the document alone, warped live with all means',
    document: ({ portraits }, at) => pick(portraits, at),
    play: ({ portraits }, at) => playStill('full', [pick(portraits, at)], Math.random),
  },
  ellipsoid: of('ellipsoid', 'one photograph, warped live over an ellipsoid with a nose'),
  mesh: of('mesh', 'one photograph, warped live over a generic face'),
  screen: of('screen', 'the same, photographed from a screen'),
  paper: of('paper', 'the same, photographed from paper'),
  layer: of('layer', 'one photograph, warped live, with a background of its own and careful painting'),
  full: of('full', 'the same, lit anew, with blinks and a mouth that moves'),
  lids: of('lids', 'the same, with lids that are never quite as before'),
  otherDay: {
    about: 'the same as full, with another photograph of the person than that of the document',
    document: ({ albums }, at) => pick(pick(albums, at), 1),
    play: ({ albums }, at) => playStill('full', pick(albums, at).slice(0, 1), Math.random),
  },
  wobble: of('wobble', 'one photograph, warped live, with wobble, flicker and strong noise'),
  photographs: {
    about: 'three photographs of one person, the nearest warped live, with all means',
    document: ({ resting }, at) => pick(resting, at),
    play: ({ turned }) => playStill('photographs', turned, Math.random),
  },
  album: {
    about: 'three photographs of one person that look straight ahead, another at each return, with all means',
    document: ({ albums }, at) => pick(pick(albums, at), 0),
    play: ({ albums }, at) => playStill('album', pick(albums, at), Math.random),
  },
  early: {
    ...replay('the frames of an answered challenge, all sent before anything was asked for', (movements) => movements),
    isEarly: true,
  },
  replay: replay('the frames of an answered challenge, sent again', (movements) => movements),
  reordered: replay('the same in another order', (movements) => shuffled(movements, Math.random)),
  film: film('a film of a random sequence, made before', randomMovements),
  sweep: film('a film that sweeps through all movements', () => MOVEMENTS),
  reversed: film('the same film backwards', () => MOVEMENTS.toReversed()),
  choosing: film(
    'a film, and new starts until its first movement is asked for',
    () => ['left', 'openMouth', 'right', 'closeEyes', 'up'],
    'left',
  ),
  swap: swap('a photograph of another person takes over after two movements', (phases) => (phases > 4 ? 1 : 0)),
  crossFade: swap('one person becomes another little by little', (phases) => Math.min(1, Math.floor(phases / 2) / 5)),
  other: impostor('somebody else moves, with the document of the victim', () => false),
  morph: impostor('somebody else moves; the selfie is half the victim', ({ kind }) => kind === 'centre'),
  morphAtRest: impostor('somebody else moves; at rest he is half the victim each time', () => true),
} as const satisfies Record<string, Attack>;

export type AttackName = keyof typeof ATTACKS;
