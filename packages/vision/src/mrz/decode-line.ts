import { CHARACTERS, FILLER } from './alphabet.ts';
import { type MrzReading, NONE, WIDTH } from './fold.ts';
import type { Kind } from './formats.ts';

/** A line of a known length, and for each position the cost of every other character. */
export type DecodedLine = {
  readonly text: string;
  /** The logarithm of the probability of the best path, per step. */
  readonly score: number;
  /** `costs[position * CHARACTERS.length + character]`: 0 for the one chosen by the reader. */
  readonly costs: Float32Array;
};

const COUNT = CHARACTERS.length;
const IMPOSSIBLE = -1e9;
/** The cost of a step that is skipped before the first or after the last character; too many fillers are likelier. */
const EDGE_COST = 1.5;
const EDGE_FILLER_COST = 0.8;
/** The cost of a character that is not of the kind of its position. */
const WRONG_KIND_COST = 5;
const NEVER_COST = 12;
/** The second position of a document code is more often a filler than any one letter. */
const SECOND_LETTER_COST = 1;
/** Optional data is mostly empty, so a character there needs some evidence. */
const OPTIONAL_COST = 1.5;

const priors = new Map<Kind, Float32Array>();

/** The logarithm of the prior probability of a character at a position of a kind. */
function priorOf(kind: Kind): Float32Array {
  const cached = priors.get(kind);
  if (cached) return cached;
  const cost = (character: string): number => {
    const digit = character >= '0' && character <= '9';
    const filler = character === '<';
    switch (kind) {
      case 'any':
        return 0;
      case 'digits':
        return digit ? 0 : filler ? 1 : NEVER_COST;
      case 'check':
        return digit ? 0 : filler ? 1 : NEVER_COST;
      case 'sex':
        return character === 'M' || character === 'F' || filler ? 0 : character === 'X' ? 2 : NEVER_COST;
      case 'code':
        return digit ? 2 : filler ? 0 : SECOND_LETTER_COST;
      case 'start':
        return digit || filler ? NEVER_COST : 0;
      case 'state':
        return digit ? WRONG_KIND_COST : 0;
      case 'stateStart':
        return digit || filler ? WRONG_KIND_COST : 0;
      case 'optional':
        return filler ? 0 : OPTIONAL_COST;
      default:
        return digit ? NEVER_COST : 0;
    }
  };
  const prior = Float32Array.from(CHARACTERS, (character) => -cost(character));
  priors.set(kind, prior);
  return prior;
}

/**
 * The likeliest line of exactly as many characters as kinds. The reader says for each step what it sees, and runs of
 * equal steps are one character unless «none» lies between; so the best path is searched step by step and position by
 * position (Viterbi), which puts lost or doubled fillers right where the reader was least sure.
 */
export function decodeLine(reading: MrzReading, kinds: readonly Kind[]): DecodedLine {
  const path = bestPath(reading, kinds);
  const costs = new Float32Array(kinds.length * COUNT);
  let text = '';
  for (let position = 0; position < kinds.length; position += 1) {
    const { character, step } = path.positions[position] as PathPoint;
    text += CHARACTERS[character];
    const prior = priorOf(kinds[position] as Kind);
    const chosenScore = (reading.logs[step * WIDTH + character] as number) + (prior[character] as number);
    for (let k = 0; k < COUNT; k += 1) {
      costs[position * COUNT + k] = chosenScore - (reading.logs[step * WIDTH + k] as number) - (prior[k] as number);
    }
  }
  return { text, score: path.score / reading.steps, costs };
}

type PathPoint = { readonly character: number; readonly step: number };
type Path = { readonly score: number; readonly positions: readonly PathPoint[] };

/** The predecessor of a path: the same character, «none» after the previous position, or its character. */
const STAY = -1;
const FROM_NONE = -2;

function bestPath({ steps, logs }: MrzReading, kinds: readonly Kind[]): Path {
  const length = kinds.length;
  // Scores of paths that end in a character at a position, or in «none» after it; index 0 is before the first.
  let inCharacter = new Float32Array(length * COUNT).fill(IMPOSSIBLE);
  let nextCharacter = new Float32Array(length * COUNT).fill(IMPOSSIBLE);
  let inNone = new Float32Array(length + 1).fill(IMPOSSIBLE);
  let nextNone = new Float32Array(length + 1);
  const cameFrom = new Int8Array(steps * length * COUNT).fill(STAY);
  const noneFrom = new Int8Array(steps * (length + 1));
  inNone[0] = 0;
  const priorsOfKinds = kinds.map(priorOf);
  const first = new Int32Array(length).fill(-1);
  const second = new Int32Array(length).fill(-1);
  for (let step = 0; step < steps; step += 1) {
    const row = step * WIDTH;
    rank(inCharacter, Math.min(length, step + 1), first, second);
    const [before, after] = edgesAt(logs, row);
    // A path advances by at most one character per step.
    const reached = Math.min(length, step + 1);
    for (let position = 0; position < reached; position += 1) {
      const prior = priorsOfKinds[position] as Float32Array;
      const none = inNone[position] as number;
      const from = (position - 1) * COUNT;
      const likeliest = position === 0 ? -1 : (first[position - 1] as number);
      const next = position === 0 ? -1 : (second[position - 1] as number);
      const fromLikeliest = likeliest < 0 ? IMPOSSIBLE : (inCharacter[from + likeliest] as number);
      const fromNext = next < 0 ? IMPOSSIBLE : (inCharacter[from + next] as number);
      const trail = (step * length + position) * COUNT;
      for (let k = 0, at = position * COUNT; k < COUNT; k += 1, at += 1) {
        // A repeated character needs «none» in between, so the second best predecessor is taken then.
        const fromOther = k === likeliest ? fromNext : fromLikeliest;
        const byOther = fromOther > none;
        const enter = (byOther ? fromOther : none) + (prior[k] as number);
        const stay = inCharacter[at] as number;
        const stays = stay >= enter;
        cameFrom[trail + k] = stays ? STAY : byOther ? (k === likeliest ? next : likeliest) : FROM_NONE;
        nextCharacter[at] = (stays ? stay : enter) + (logs[row + k] as number);
      }
    }
    for (let position = 0; position <= length; position += 1) {
      const none = position === 0 ? before : position === length ? after : (logs[row + NONE] as number);
      const last = position === 0 ? -1 : (first[position - 1] as number);
      const fromCharacter = last < 0 ? IMPOSSIBLE : (inCharacter[(position - 1) * COUNT + last] as number);
      const stay = inNone[position] as number;
      noneFrom[step * (length + 1) + position] = fromCharacter > stay ? last : STAY;
      nextNone[position] = Math.max(stay, fromCharacter) + none;
    }
    [inCharacter, nextCharacter] = [nextCharacter, inCharacter];
    [inNone, nextNone] = [nextNone, inNone];
  }
  return traceBack({ steps, logs, length, inCharacter, inNone, cameFrom, noneFrom });
}

/** The value of a step for a path that has not begun, and for one that has ended. */
function edgesAt(logs: Float32Array, row: number): [before: number, after: number] {
  let likeliest = 0;
  for (let k = 1; k < WIDTH; k += 1) if ((logs[row + k] as number) > (logs[row + likeliest] as number)) likeliest = k;
  const none = logs[row + NONE] as number;
  const passed = logs[row + likeliest] as number;
  const cost = likeliest === FILLER ? EDGE_FILLER_COST : EDGE_COST;
  return [Math.max(none, passed - EDGE_COST), Math.max(none, passed - cost)];
}

/** The best and second best character of each position. */
function rank(scores: Float32Array, length: number, first: Int32Array, second: Int32Array): void {
  for (let position = 0; position < length; position += 1) {
    let [one, two] = [-1, -1];
    let [best, next] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let k = 0, at = position * COUNT; k < COUNT; k += 1, at += 1) {
      const score = scores[at] as number;
      if (score > best) {
        [two, next] = [one, best];
        [one, best] = [k, score];
      } else if (score > next) [two, next] = [k, score];
    }
    first[position] = one;
    second[position] = two;
  }
}

function traceBack(trellis: {
  readonly steps: number;
  readonly logs: Float32Array;
  readonly length: number;
  readonly inCharacter: Float32Array;
  readonly inNone: Float32Array;
  readonly cameFrom: Int8Array;
  readonly noneFrom: Int8Array;
}): Path {
  const { steps, logs, length, inCharacter, inNone, cameFrom, noneFrom } = trellis;
  const positions: PathPoint[] = new Array(length).fill({ character: COUNT - 1, step: 0 });
  let character = 0;
  for (let k = 1; k < COUNT; k += 1) {
    const last = (length - 1) * COUNT;
    if ((inCharacter[last + k] as number) > (inCharacter[last + character] as number)) character = k;
  }
  const ending = inCharacter[(length - 1) * COUNT + character] as number;
  const score = Math.max(ending, inNone[length] as number);
  let inside = ending > (inNone[length] as number);
  let position = inside ? length - 1 : length;
  for (let step = steps - 1; step >= 0; step -= 1) {
    if (!inside) {
      const from = noneFrom[step * (length + 1) + position] as number;
      if (from === STAY) continue;
      inside = true;
      position -= 1;
      character = from;
      continue;
    }
    const point = positions[position] as PathPoint;
    const better = (logs[step * WIDTH + character] as number) > (logs[point.step * WIDTH + character] as number);
    if (point.character !== character || better || point.step === 0) positions[position] = { character, step };
    const from = cameFrom[(step * length + position) * COUNT + character] as number;
    if (from === STAY) continue;
    if (from === FROM_NONE) inside = false;
    else {
      position -= 1;
      character = from;
    }
  }
  return { score, positions };
}
