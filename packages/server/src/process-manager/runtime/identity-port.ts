import type { TenantTx } from '../../db/db.ts';
import type { VisionImage } from '../../engines/vision/vision.ts';
import type { IdentityActs, PresentedFace, StepAbout } from '../engine/steps/identity-acts.ts';

/** The identity store, as the runtime is handed it. */
export type IdentityPort = {
  acts(tx: TenantTx, about: StepAbout): IdentityActs;
  /** Looks at a picture, so never within a transaction. */
  presentFace(image: VisionImage, environment: 'live' | 'test', signal: AbortSignal): Promise<PresentedFace>;
};
