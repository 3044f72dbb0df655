import { isVisionInstalled } from '../engines/vision/installed.ts';
import type { VisionMode } from '../engines/vision/modes.ts';
import { type Check, ok, warning } from './check.ts';

/** Checks whether the server analyses images. Without vision it works, and a human decides every live verification. */
export function checkVision(mode: VisionMode, isInstalled = isVisionInstalled()): Check {
  const name = 'vision';
  if (mode === 'off') return ok(name, 'Vision is switched off (GROVE_VISION); a human decides.');
  if (isInstalled) return ok(name, 'The packages of vision are installed.');
  return warning(
    name,
    'The packages of vision are not installed, so nothing looks at documents and faces and a human decides.',
    'Install Grove with its optional packages (without --omit=optional), or set GROVE_VISION=off.',
  );
}
