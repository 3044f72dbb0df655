/** Steps from which the tests build journeys. */
export const CONSENT = { id: 'consent', type: 'consent' };
export const SWITCH = { id: 'switch', type: 'switchDevice' };
export const DOCUMENT = { id: 'document', type: 'document' };
export const CAPTURE = [
  DOCUMENT,
  { id: 'selfie', type: 'face', liveness: 'passive', passiveIsEnough: true },
  { id: 'match', type: 'faceMatch', document: 'doc1', face: 'face1' },
];
export const FORM = {
  id: 'form',
  type: 'form',
  title: 'About you',
  schema: {
    type: 'object',
    required: ['firstName', 'email', 'terms'],
    properties: {
      firstName: { type: 'string', maxLength: 40 },
      email: { type: 'string', format: 'email', description: 'We write to you once.' },
      age: { type: 'integer', minimum: 18 },
      reason: { type: 'string', title: 'Reason', enum: ['Account', 'Loan'] },
      terms: { type: 'boolean', title: 'I have read the terms', const: true },
    },
  },
};
