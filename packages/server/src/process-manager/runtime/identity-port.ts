import type { TenantTx } from '../../db/db.ts';
import type { VisionImage } from '../../engines/vision/vision.ts';
import type { IdentityActs, PresentedFace, StepAbout } from '../engine/steps/identity-acts.ts';

/** The port of identity stores for the runtime. */
export type IdentityPort = {
  acts(tx: TenantTx, about: StepAbout): IdentityActs;
  /** Must not be called within a transaction, because it analyses a picture. */
  presentFace(image: VisionImage, environment: 'live' | 'test', signal: AbortSignal): Promise<PresentedFace>;
};
