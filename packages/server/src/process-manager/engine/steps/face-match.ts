import { Type, text } from '@grove/contract';
import type { Step } from '../definition.ts';
import { notPerformed } from './not-performed.ts';
import type { StepType } from './step-type.ts';

type MatchStep = Step & { document: string; face: string };

export const faceMatch: StepType = {
  type: 'faceMatch',
  repeatable: true,
  about: 'Compares the portrait of a document with a selfie.',
  kind: 'server',
  isEvidence: true,
  settings: {
    document: Type.String({ ...text(1, 50, 'The key of a document step'), default: 'doc1' }),
    face: Type.String({ ...text(1, 50, 'The key of a face step'), default: 'face1' }),
  },
  references(step) {
    const { document, face } = step as MatchStep;
    return [
      { kind: 'document', name: document, pointer: '/document' },
      { kind: 'face', name: face, pointer: '/face' },
    ];
  },
  looks: true,
  async work({ step, state, image, challenge, vision, signal }) {
    const { document: documentKey, face: faceKey } = step as MatchStep;
    const document = (await image(documentKey, 'portrait')) ?? (await image(documentKey, 'front'));
    const face = await image(faceKey, 'image');
    if (!document || !face) return notPerformed('faceMatch', 'face', 'image_missing');
    const { challengeId } = (state.data.faces[faceKey] ?? {}) as { challengeId?: string };
    const progress = challengeId === undefined ? undefined : await challenge(challengeId);
    return { checks: [await vision.matchFaces({ document, face, ...(progress && { challenge: progress }) }, signal)] };
  },
};
