import { text } from '@grove/contract';
import { Type } from 'typebox';
import { notPerformed } from './not-performed.ts';
import type { StepType } from './step-type.ts';

const faceKey = Type.String({ ...text(1, 50, 'The key of a face step'), default: 'face1' });

export const watchlist: StepType = {
  type: 'watchlist',
  about: 'Looks for the face in a watchlist of the tenant. A match is for a human, never a verdict.',
  kind: 'server',
  settings: { name: text(1, 100, 'The name of the watchlist'), face: faceKey },
  references: ({ name, face }) => [
    { kind: 'watchlist', name: name as string, pointer: '/name' },
    { kind: 'face', name: face as string, pointer: '/face' },
  ],
  async work({ step, image, vision, signal }) {
    const face = await image(step.face as string, 'image');
    if (!face) return notPerformed('watchlist', 'watchlist', 'image_missing');
    return { checks: [await vision.searchFaces({ list: step.name as string, face }, signal)] };
  },
};

export const duplicate: StepType = {
  type: 'duplicate',
  about: 'Looks for the same face in other instances of the tenant.',
  kind: 'server',
  settings: { face: faceKey },
  references: ({ face }) => [{ kind: 'face', name: face as string, pointer: '/face' }],
  async work({ step, image, vision, signal }) {
    const face = await image(step.face as string, 'image');
    if (!face) return notPerformed('duplicate', 'face', 'image_missing');
    return { checks: [await vision.findDuplicates({ face }, signal)] };
  },
};
