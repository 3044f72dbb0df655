import { oneOf } from '@grove/contract';
import { Type } from 'typebox';
import type { StepType } from './step-type.ts';

const MAX_FRAMES = 10;
const FRAMES = Array.from({ length: MAX_FRAMES }, (_, at) => `frame${at + 1}`);

export const face: StepType = {
  type: 'face',
  about: 'The end user takes a selfie; its quality and liveness are checked.',
  kind: 'user',
  keeps: { in: 'faces', defaultKey: 'face1' },
  settings: {
    liveness: Type.Unsafe<string>({
      ...oneOf('none', 'passive', 'active'),
      default: 'passive',
      description: '`active` asks for movements that the server chooses',
    }),
    maxAttempts: Type.Integer({ minimum: 1, maximum: 10, default: 3 }),
  },
  user: {
    images: () => [{ name: 'image', required: true }, ...FRAMES.map((name) => ({ name, required: false }))],
    result: () => Type.Object({}, { additionalProperties: false }),
    show: ({ liveness }) => ({ liveness }),
    take: (step, { images }) => ({ outcome: 'WORK', data: { faces: { [step.key as string]: { images } } } }),
  },
  async work({ step, images, vision, signal }) {
    const image = images.get('image');
    if (!image) throw new Error('the selfie is not there');
    const frames = FRAMES.flatMap((name, at) => {
      const frame = images.get(name);
      return frame ? [{ image: frame, at }] : [];
    });
    const liveness = step.liveness as 'none' | 'passive' | 'active';
    const { checks, ...read } = await vision.readFace({ image, frames, liveness }, signal);
    return { checks, data: { faces: { [step.key as string]: { ...read, images: [...images.keys()] } } } };
  },
};
