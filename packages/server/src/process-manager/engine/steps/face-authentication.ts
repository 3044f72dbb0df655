import { Type } from '@grove/contract';
import type { Step } from '../definition.ts';
import { isPassiveEnough } from '../passive-enough.ts';
import { FACE_SHAPE, face } from './face.ts';
import { ofStore, recognisedCheck, userMissing, withStore } from './identity-check.ts';
import { linkedUser } from './linked-user.ts';
import { notPerformed } from './not-performed.ts';
import type { StepType } from './step-type.ts';

type FaceStep = Step & { key: string; store: string; threshold: number };

const NAME = 'faceAuthentication';

/** Takes a selfie as a `face` step does. If it is a living face, it is compared with the user's face in the store. */
export const faceAuthentication: StepType = {
  type: NAME,
  about: 'The end user authenticates by face.',
  kind: 'user',
  keeps: { in: 'faces', defaultKey: 'authentication1', shape: () => FACE_SHAPE },
  proves: true,
  isEvidence: true,
  failureEnds: true,
  settings: withStore({
    ...face.settings,
    threshold: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description: 'The lowest score that counts as a match; it cannot go below the minimum of the store',
    }),
  }),
  references: ofStore,
  ...(face.user && { user: { ...face.user, seconds: 30 } }),
  looks: true,
  async work(request) {
    const { step, images, presentFace } = request;
    const user = linkedUser(request);
    if (!user) return userMissing(NAME);
    const findings = await face.work?.(request);
    const image = images.get('image');
    if (!findings || !image) throw new Error('the selfie is missing');
    // A face that may not be alive proves nothing, so it is not compared.
    if (findings.checks.some((check) => check.status !== 'PASSED' && !isPassiveEnough(step, check))) return findings;
    const presented = await presentFace(image);
    if (presented.template === undefined && presented.reason === 'engine_not_available') {
      const { checks } = notPerformed(NAME, 'face', presented.reason);
      return { ...findings, checks: [...findings.checks, ...checks] };
    }
    const { store, threshold } = step as FaceStep;
    return {
      ...findings,
      async conclude(identity) {
        const actResult = await identity.authenticateFace({ store, user, presented, threshold });
        const check = { ...recognisedCheck(NAME, actResult, 'face'), threshold };
        return { checks: [...findings.checks, check], ...(findings.data && { data: findings.data }) };
      },
    };
  },
};
