import { oneOf, Type, text } from '@grove/contract';
import type { Step } from '../definition.ts';
import { documentNumbersIn, emailsIn } from './listed-values.ts';
import { notPerformed } from './not-performed.ts';
import type { StepType } from './step-type.ts';

type ListStep = Step & { face: string; threshold: number; by?: 'face' | 'documentNumber' | 'email' };

const faceKey = Type.String({ ...text(1, 50, 'The key of a face step'), default: 'face1' });
/** Higher than for two pictures, because the chance of a similar stranger grows with the list. */
const DEFAULT_THRESHOLD = 0.6;
const threshold = Type.Number({
  minimum: 0.5,
  maximum: 1,
  default: DEFAULT_THRESHOLD,
  description: 'The lowest score at which a face is a candidate',
});

export const watchlist: StepType = {
  type: 'watchlist',
  repeatable: true,
  about: 'Searches a watchlist of the tenant. A match goes to a human; it never decides by itself.',
  kind: 'server',
  settings: {
    name: text(1, 100, 'The name of the watchlist'),
    by: { ...oneOf('face', 'documentNumber', 'email'), default: 'face', description: 'What the list contains' },
    face: faceKey,
    document: Type.String({ ...text(1, 50, 'The key of a document step, for `documentNumber`'), default: 'doc1' }),
    threshold,
  },
  references: ({ name, by, face, document }) => [
    { kind: 'watchlist', name: name as string, pointer: '/name' },
    ...(by === undefined || by === 'face' ? [{ kind: 'face', name: face as string, pointer: '/face' } as const] : []),
    ...(by === 'documentNumber' ? [{ kind: 'document', name: document as string, pointer: '/document' } as const] : []),
  ],
  readsValuesOf: ({ by, document }, key) => by === 'documentNumber' && document === key,
  looks: true,
  async work({ step, state, image, vision, signal }) {
    const { face: key, threshold: atLeast = DEFAULT_THRESHOLD, by = 'face' } = step as ListStep;
    if (by !== 'face') {
      const values = by === 'email' ? emailsIn(state) : documentNumbersIn(state, step.document as string);
      if (values.length === 0) return notPerformed('watchlist', 'watchlist', 'value_missing');
      return { checks: [await vision.searchValues({ list: step.name as string, values }, signal)] };
    }
    const face = await image(key, 'image');
    if (!face) return notPerformed('watchlist', 'watchlist', 'image_missing');
    const check = await vision.searchFaces({ list: step.name as string, face, threshold: atLeast }, signal);
    return { checks: [check] };
  },
};

export const duplicate: StepType = {
  type: 'duplicate',
  repeatable: true,
  about: 'Searches the other instances of the tenant for the same face.',
  kind: 'server',
  settings: { face: faceKey, threshold },
  references: ({ face }) => [{ kind: 'face', name: face as string, pointer: '/face' }],
  looks: true,
  async work({ step, image, vision, signal }) {
    const { face: key, threshold: atLeast = DEFAULT_THRESHOLD } = step as ListStep;
    const face = await image(key, 'image');
    if (!face) return notPerformed('duplicate', 'face', 'image_missing');
    return { checks: [await vision.findDuplicates({ face, threshold: atLeast }, signal)] };
  },
};
