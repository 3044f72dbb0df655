/** What the person is asked to do, as the camera sees it: `left` is towards the left edge of the unmirrored picture. */
export type ChallengePose = 'centre' | 'left' | 'right' | 'up' | 'down';

export type Challenge = {
  /** Sent back with the frames; whoever stores the challenge lets it be used once. */
  readonly nonce: string;
  /** Begins with `centre`; no direction twice in a row. */
  readonly poses: readonly ChallengePose[];
  readonly issuedAt: number;
  readonly expiresAt: number;
};

export const CHALLENGE_SECONDS = 60;
const DIRECTIONS = ['left', 'right', 'up', 'down'] as const;
/** 4 × 3 × 3 × 3 = 108 sequences: a recording made in advance fits one in a hundred. */
export const CHALLENGE_TURNS = 4;
const NONCE_BYTES = 16;

/** `random` gives unforeseeable bytes; `now` is in milliseconds. */
export function newChallenge({ random, now }: { random: (bytes: number) => Uint8Array; now: number }): Challenge {
  const poses: ChallengePose[] = ['centre'];
  while (poses.length <= CHALLENGE_TURNS) {
    const open = DIRECTIONS.filter((direction) => direction !== poses.at(-1));
    poses.push(open[below(open.length, random)] as ChallengePose);
  }
  const nonce = Buffer.from(random(NONCE_BYTES)).toString('base64url');
  return { nonce, poses, issuedAt: now, expiresAt: now + CHALLENGE_SECONDS * 1000 };
}

/** Bytes that would favour the first choices are thrown away. */
function below(choices: number, random: (bytes: number) => Uint8Array): number {
  const fair = 256 - (256 % choices);
  for (let tries = 0; tries < 100; tries += 1) {
    const [byte = 255] = random(1);
    if (byte < fair) return byte % choices;
  }
  throw new Error('the source of random bytes is broken');
}
