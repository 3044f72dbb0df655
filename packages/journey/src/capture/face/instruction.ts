import type { Challenge } from '../../api.ts';
import type { CaptureIconName } from '../icons.tsx';
import type { FaceHint } from './judge-face.ts';

/** What the page shows of a response of the server: words, a drawing, and whether a movement was just recognised. */
export type Instruction = NonNullable<Challenge['instruction']>;
export type Movement = Instruction['kind'];
export type EndReason = NonNullable<Challenge['reason']>;
export type Omission = 'eyes' | 'mouth' | 'turn' | 'closer';

/** The preview is a mirror, so it shows on the right what the camera sees on the left. */
export function asInMirror(kind: Movement): Movement {
  if (kind === 'left') return 'right';
  return kind === 'right' ? 'left' : kind;
}

type InstructionView = { readonly text: string; readonly icon: CaptureIconName; readonly drawing: Movement };

/** `text` is the key of the words. */
export function instructionView({ kind, phase }: Pick<Instruction, 'kind' | 'phase'>): InstructionView {
  if (phase === 'return') return { text: RETURNS[kind] ?? 'pose.centre', icon: 'done', drawing: 'centre' };
  const drawing = asInMirror(kind);
  return { text: kind === 'closer' ? 'hint.face.closer' : `pose.${drawing}`, icon: drawing, drawing };
}

const RETURNS: Readonly<Partial<Record<Movement, string>>> = {
  closeEyes: 'pose.openEyes',
  openMouth: 'pose.closeMouth',
  closer: 'hint.face.back',
};

/** Whether the server recognised the movement between these two answers. */
export function isRecognised(before: Challenge | undefined, now: Challenge): boolean {
  if (before?.instruction?.phase !== 'do' || now.state === 'ENDED') return false;
  return now.state === 'DONE' || now.number > before.number || now.instruction?.phase === 'return';
}

/** In 0…1. */
export function progressOf({ state, number, total, instruction }: Challenge): number {
  if (state === 'DONE') return 1;
  return (number - (instruction?.phase === 'return' ? 0.5 : 1)) / total;
}

/** What is left out for a person who cannot make this movement. Everybody can look straight ahead. */
export const OMISSIONS: Readonly<Partial<Record<Movement, Omission>>> = {
  closeEyes: 'eyes',
  openMouth: 'mouth',
  closer: 'closer',
  left: 'turn',
  right: 'turn',
  up: 'turn',
  down: 'turn',
};

/** The hint for a frame that was of no use, if the person can do something about it. */
export const HINTS: Readonly<Record<string, FaceHint>> = {
  no_face: 'noFace',
  several_faces: 'severalFaces',
  too_small: 'closer',
  cut_off: 'centre',
  too_dark: 'dark',
  too_bright: 'bright',
  blurred: 'hold',
  hold_still: 'hold',
  turned_away: 'lookForward',
  look_ahead: 'lookForward',
  eyes_closed: 'openEyes',
  close_mouth: 'closeMouth',
  too_far: 'tooFar',
};

/** The key of the words that say why a challenge ended. */
export const ENDINGS: Readonly<Record<EndReason, string>> = {
  too_slow: 'challenge.tooSlow',
  too_many_frames: 'challenge.tooSlow',
  wrong_movement: 'challenge.wrongMovement',
  face_lost: 'challenge.faceLost',
  several_faces: 'challenge.severalFaces',
  too_quick: 'challenge.tooQuick',
};
