/** The movements of a challenge from the camera's view: `left` is towards the left edge of the unmirrored picture. */
export type Movement = 'centre' | Direction | 'closeEyes' | 'openMouth' | 'closer';
export type Direction = 'left' | 'right' | 'up' | 'down';

/** What a person says they cannot do. */
export type Omission = 'eyes' | 'mouth' | 'turn' | 'closer';

const DIRECTIONS: readonly Direction[] = ['left', 'right', 'up', 'down'];
/** The centre and five movements: more than a thousand sequences. */
export const MOVEMENTS_IN_ALL = 6;

/** Returns unpredictable bytes. */
export type RandomBytes = (bytes: number) => Uint8Array;

export function isDirection(movement: Movement): movement is Direction {
  return (DIRECTIONS as readonly Movement[]).includes(movement);
}

export type DrawOptions = {
  /** The movements so far, beginning with `centre`. */
  readonly before: readonly Movement[];
  readonly omit: readonly Omission[];
  /** Whether a face that comes closer still fits into the picture. */
  readonly hasRoom: boolean;
  readonly random: RandomBytes;
};

/**
 * Draws the next movement. Each expression comes once and a turn to a side at least once, at unpredictable places; to
 * come closer is requested at most once; no movement comes twice in a row.
 */
export function drawMovement({ before, omit, hasRoom, random }: DrawOptions): Movement {
  const last = before.at(-1);
  const missing = requiredGroups(omit).filter((group) => !group.some((movement) => before.includes(movement)));
  const expressions = missing.flat().filter((movement) => !isDirection(movement));
  const turns = omit.includes('turn') ? [] : DIRECTIONS;
  const closer = hasRoom && !omit.includes('closer') && !before.includes('closer') ? (['closer'] as const) : [];
  const left = MOVEMENTS_IN_ALL - before.length;
  const open = missing.length >= left ? missing.flat() : [...expressions, ...turns, ...closer];
  const choices = open.filter((movement) => movement !== last);
  // With everything omitted but one expression, only the centre is left to request.
  return choices.length === 0 ? 'centre' : (choices[below(choices.length, random)] as Movement);
}

function requiredGroups(omit: readonly Omission[]): (readonly Movement[])[] {
  return [
    ...(omit.includes('eyes') ? [] : [['closeEyes'] as const]),
    ...(omit.includes('mouth') ? [] : [['openMouth'] as const]),
    ...(omit.includes('turn') ? [] : [['left', 'right'] as const]),
  ];
}

const MAX_DRAWS = 100;

/** Rejects bytes that would favour the first choices. */
export function below(choices: number, random: RandomBytes): number {
  const fair = 256 - (256 % choices);
  for (let draws = 0; draws < MAX_DRAWS; draws += 1) {
    const [byte = 255] = random(1);
    if (byte < fair) return byte % choices;
  }
  throw new Error('the source of random bytes is broken');
}
