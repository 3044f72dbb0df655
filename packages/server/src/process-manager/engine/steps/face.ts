import { oneOf, Type } from '@grove/contract';
import type { ClientHints } from '../../../engines/vision/vision.ts';
import type { Step } from '../definition.ts';
import { ANY, listOf as listShape, NUMBER, objectOf, TEXT } from '../expressions/shapes.ts';
import { clientHints } from './client-hints.ts';
import type { StepType } from './step-type.ts';

/** Two frames of each movement are stored: one that shows it, and one with the face at rest after it. */
const MAX_MOVEMENTS = 6;
const FRAMES = Array.from({ length: MAX_MOVEMENTS * 2 }, (_, at) => `frame${at + 1}`);
const SELFIE = 'image';

/** The name under which a frame is stored. The first instruction, the face at rest, gives the selfie. */
export function imageOfFrame(instruction: number, isFirst: boolean): string | undefined {
  if (instruction === 0) return isFirst ? undefined : SELFIE;
  return FRAMES[instruction * 2 - (isFirst ? 2 : 1)];
}

type Liveness = 'none' | 'passive' | 'active';
type FaceStep = Step & { key: string; liveness: Liveness };
type Answer = { readonly challengeId?: string; readonly hints?: ClientHints };

/** The facts of a selfie for conditions. */
export const FACE_SHAPE = objectOf({ quality: NUMBER, images: listShape(TEXT), nonce: TEXT, frames: ANY, hints: ANY });

/** Whether the step has a challenge of active liveness. */
function asksForChallenge(step: Step): boolean {
  return (step as FaceStep).liveness === 'active';
}

const answerOfChallenge = {
  challengeId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Of the challenge that is `DONE`' }),
  ),
};

export const face: StepType = {
  type: 'face',
  repeatable: true,
  about: 'The end user takes a selfie; Grove checks its quality and liveness.',
  kind: 'user',
  keeps: { in: 'faces', defaultKey: 'face1', shape: () => FACE_SHAPE },
  settings: {
    liveness: Type.Unsafe<string>({
      ...oneOf('none', 'passive', 'active'),
      default: 'active',
      description:
        '`active` asks for movements that the server chooses; `passive` analyses one picture and never passes',
    }),
    passiveIsEnough: Type.Boolean({
      default: false,
      description:
        'For `basic` only: the step passes if one picture shows no attack. Masks and good prints can pass, too',
    }),
    maxAttempts: Type.Integer({ minimum: 1, maximum: 10, default: 3 }),
  },
  isEvidence: true,
  user: {
    needs: 'face',
    seconds: 40,
    challenge: asksForChallenge,
    images(step) {
      const byChallenge = asksForChallenge(step);
      const frames = byChallenge ? FRAMES.map((name) => ({ name, required: false, byChallenge })) : [];
      return [{ name: SELFIE, required: true, ahead: 'face', byChallenge }, ...frames];
    },
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
  looks: true,
  async work({ step, state, images, vision, challenge, signal }) {
    const image = images.get(SELFIE);
    if (!image) throw new Error('the selfie is missing');
    const { key, liveness } = step as FaceStep;
    const { challengeId, hints } = (state.data.faces[key] ?? {}) as Answer;
    const progress = liveness === 'active' && challengeId ? await challenge(challengeId) : undefined;
    const { checks, ...faceData } = await vision.readFace(
      {
        image,
        liveness,
        ...(progress && { challenge: progress }),
        ...(hints && { clientHints: hints }),
        frames: FRAMES.flatMap((name) => images.get(name) ?? []),
      },
      signal,
    );
    return { checks, data: { faces: { [key]: { ...faceData, images: [...images.keys()] } } } };
  },
};
