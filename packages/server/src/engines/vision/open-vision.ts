import { ApiError } from '../../kernel/errors.ts';
import { algorithmOfPack, compareFaces, type FacePackName } from './face-templates.ts';
import { isVisionInstalled } from './installed.ts';
import type { LookDeps } from './look-at-pictures.ts';
import type { VisionMode } from './modes.ts';
import { noVision, type VisionMachine, visionElsewhere } from './vision.ts';

export type OpenVisionDeps = Omit<LookDeps, 'facePack'> & {
  mode: VisionMode;
  /** Whether other processes analyse pictures if this one cannot. */
  isElsewhere?: boolean;
  /** The network that turns faces into templates. */
  facePack?: FacePackName;
};

/**
 * The real machine. Its workers take a second to start and a few hundred megabytes of memory, so they and their code are
 * loaded only when the first picture arrives.
 */
export function openVision({ mode, isElsewhere, facePack = 'faceplugin', ...others }: OpenVisionDeps): VisionMachine {
  if (mode === 'off') return isElsewhere ? visionElsewhere(facePack) : noVision(facePack);
  if (!isVisionInstalled()) {
    others.onError('vision is not installed, a human decides', new Error('optional packages are missing'));
    return isElsewhere ? visionElsewhere(facePack) : noVision(facePack);
  }
  const deps = { facePack, ...others };
  let loading: Promise<VisionMachine> | undefined;
  let stopped = false;
  const machine = (): Promise<VisionMachine> => {
    if (stopped)
      return Promise.reject(new ApiError(100010, { detail: 'the server is stopping', retryAfterSeconds: 5 }));
    loading ??= import('./look-at-pictures.ts').then(({ lookAtPictures }) => lookAtPictures(deps));
    return loading;
  };
  const warm = () => {
    machine().catch((error) => stopped || deps.onError('could not load the vision engine', error));
  };
  if (mode === 'eager') warm();
  return {
    algorithm: algorithmOfPack(facePack),
    compareFaces,
    faceTemplate: async (...request) => (await machine()).faceTemplate(...request),
    readDocument: async (...request) => (await machine()).readDocument(...request),
    readFace: async (...request) => (await machine()).readFace(...request),
    matchFaces: async (...request) => (await machine()).matchFaces(...request),
    observeFrame: async (...request) => (await machine()).observeFrame(...request),
    warm,
    lookAhead(...request) {
      // A failure to load is reported to the request for the image, not here.
      machine().then(
        (vision) => vision.lookAhead(...request),
        () => undefined,
      );
    },
    async stop() {
      stopped = true;
      await (await loading?.catch(() => undefined))?.stop();
    },
  };
}
