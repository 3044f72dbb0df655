import type { CaptureIconName } from '../icons.tsx';
import type { FaceHint } from './judge-face.ts';

export const FACE_ICONS: Readonly<Record<FaceHint, CaptureIconName>> = {
  noFace: 'face',
  severalFaces: 'faces',
  closer: 'closer',
  back: 'back',
  centre: 'centre',
  dark: 'light',
  bright: 'light',
  lookForward: 'face',
  openEyes: 'face',
  closeMouth: 'face',
  hold: 'hold',
  tooFar: 'face',
};
