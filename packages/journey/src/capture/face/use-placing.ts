import { useEffect, useRef, useState } from 'preact/hooks';
import type { Camera } from '../use-camera.ts';
import { useLooks } from '../use-looks.ts';
import type { FaceFinder } from './face-finder.ts';
import { type FaceHint, judgeFace, OVAL } from './judge-face.ts';

const LOOK_EDGE = 480;
const PLACED_LOOKS = 3;
/** A device this slow guides badly, so the server's hints guide instead. */
const SLOW_LOOK = { milliseconds: 400, times: 5 } as const;
/** The time that the landmarks have to load. */
const FINDER_MS = 5_000;
/** The time to place one's face in the oval without guidance. */
const READY_MS = 2_500;

type PlacingDevices = { camera: Camera; finder: FaceFinder | null | undefined };

/** Guides the face into the oval: by landmarks if this device finds them quickly, otherwise after a fixed time. */
export function usePlacing(
  { camera: { video }, finder }: PlacingDevices,
  active: boolean,
  onLook: (hint: FaceHint | null, isPlaced: boolean) => void,
): void {
  const [unguided, setUnguided] = useState(false);
  const steady = useRef(0);
  const slow = useRef(0);
  const latestOnLook = useRef(onLook);
  latestOnLook.current = onLook;
  const guide = unguided ? null : finder;
  useLooks(
    video,
    active && Boolean(guide),
    async ({ pixels, at }) => {
      if (!guide) return;
      const hint = judgeFace({ at, ...(await guide.find(pixels)) }, OVAL);
      if (performance.now() - at > SLOW_LOOK.milliseconds) slow.current += 1;
      if (slow.current >= SLOW_LOOK.times) return setUnguided(true);
      steady.current = hint === null ? steady.current + 1 : 0;
      const isPlaced = steady.current >= PLACED_LOOKS;
      if (isPlaced) steady.current = 0;
      latestOnLook.current(hint, isPlaced);
    },
    () => setUnguided(true),
    LOOK_EDGE,
  );
  useEffect(() => {
    if (!active || guide) return;
    const timer =
      guide === null
        ? setTimeout(() => latestOnLook.current(null, true), READY_MS)
        : setTimeout(() => setUnguided(true), FINDER_MS);
    return () => clearTimeout(timer);
  }, [active, guide]);
}
