import { listOf, oneOf, Type } from '@grove/contract';
import type { ClientHints } from '../../../engines/vision/vision.ts';
import type { Step } from '../definition.ts';
import { ANY, listOf as listShape, NUMBER, objectOf, TEXT } from '../expressions/shapes.ts';
import { clientHints } from './client-hints.ts';
import type { StepType } from './step-type.ts';

/** As many as a challenge of four movements needs at a few frames a second, and no more than a phone can send in time. */
export const MAX_FRAMES = 24;
const FRAMES = Array.from({ length: MAX_FRAMES }, (_, at) => `frame${at + 1}`);
const MAX_CHALLENGE_MS = 120_000;

type Liveness = 'none' | 'passive' | 'active';
type FaceStep = Step & { key: string; liveness: Liveness };
type Answer = {
  readonly nonce?: string;
  readonly frames?: readonly { name: string; at: number }[];
  readonly hints?: ClientHints;
};

/** What is read of a selfie, and what came with it. */
export const FACE_SHAPE = objectOf({ quality: NUMBER, images: listShape(TEXT), nonce: TEXT, frames: ANY, hints: ANY });

const CHALLENGED: readonly string[] = ['face', 'faceAuthentication'];

/** Whether the end user is asked to move before the camera. */
export function asksForChallenge(step: Step): boolean {
  return CHALLENGED.includes(step.type) && (step as FaceStep).liveness === 'active';
}

const answerOfChallenge = {
  nonce: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Of the challenge' })),
  frames: Type.Optional(
    listOf(
      Type.Object(
        {
          name: oneOf(...FRAMES),
          at: Type.Number({ minimum: 0, maximum: MAX_CHALLENGE_MS, description: 'Milliseconds since the start' }),
        },
        { additionalProperties: false },
      ),
      MAX_FRAMES,
      'In the order in which they were taken',
    ),
  ),
};

export const face: StepType = {
  type: 'face',
  about: 'The end user takes a selfie; its quality and liveness are checked.',
  kind: 'user',
  keeps: { in: 'faces', defaultKey: 'face1', shape: () => FACE_SHAPE },
  settings: {
    liveness: Type.Unsafe<string>({
      ...oneOf('none', 'passive', 'active'),
      default: 'active',
      description:
        '`active` asks for movements that the server chooses; `passive` looks at one picture and never passes',
    }),
    passiveIsEnough: Type.Boolean({
      default: false,
      description:
        '`basic` alone: one picture in which no attack was seen lets the step pass. Masks and good prints do, too',
    }),
    maxAttempts: Type.Integer({ minimum: 1, maximum: 10, default: 3 }),
  },
  user: {
    images: (step) => [
      { name: 'image', required: true, ahead: 'face' },
      ...(asksForChallenge(step) ? FRAMES.map((name) => ({ name, required: false, ahead: 'face' }) as const) : []),
    ],
    result: (step) =>
      Type.Object(
        { ...(asksForChallenge(step) && answerOfChallenge), hints: Type.Optional(clientHints) },
        { additionalProperties: false },
      ),
    show: ({ liveness }) => ({ liveness }),
    take: (step, { result, images }) => ({
      outcome: 'WORK',
      data: { faces: { [step.key as string]: { ...result, images } } },
    }),
  },
  async work({ step, state, images, vision, challenge, signal }) {
    const image = images.get('image');
    if (!image) throw new Error('the selfie is not there');
    const { key, liveness } = step as FaceStep;
    const { nonce, frames = [], hints: told } = (state.data.faces[key] ?? {}) as Answer;
    const spent = liveness === 'active' && nonce !== undefined ? await challenge(nonce) : undefined;
    const sent = frames.flatMap(({ name, at }) => {
      const frame = images.get(name);
      return frame ? [{ image: frame, at }] : [];
    });
    const { checks, ...read } = await vision.readFace(
      { image, frames: sent, liveness, ...(spent && { challenge: spent }), ...(told && { clientHints: told }) },
      signal,
    );
    return { checks, data: { faces: { [key]: { ...read, images: [...images.keys()] } } } };
  },
};
