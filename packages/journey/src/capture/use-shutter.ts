import { useEffect, useRef, useState } from 'preact/hooks';
import { encodePicture, type Picture } from './picture/picture.ts';
import { takeSharpest } from './picture/take-sharpest.ts';
import { SHUTTER_MS } from './shutter.tsx';
import type { Camera } from './use-camera.ts';
import { regionOf } from './use-looks.ts';

export type How = 'auto' | 'manual';

/** Takes one picture, automatically or by the button, which appears after a while, or at once for those who need it. */
export function useShutter(
  { video, running }: Pick<Camera, 'video' | 'running'>,
  atOnce: boolean,
  onPicture: (picture: Picture, how: How) => void,
) {
  const [late, setLate] = useState(atOnce);
  const [taking, setTaking] = useState(false);
  const busy = useRef(false);

  useEffect(() => {
    if (!running || late) return;
    const timer = setTimeout(() => setLate(true), SHUTTER_MS);
    return () => clearTimeout(timer);
  }, [running, late]);

  const take = async (how: How) => {
    const element = video.current;
    if (busy.current || !element || element.videoWidth === 0) return;
    busy.current = true;
    setTaking(true);
    try {
      navigator.vibrate?.(40);
      await nextPaint();
      onPicture(await encodePicture(await takeSharpest(element, regionOf(element))), how);
    } catch {
      // The picture was not taken; the next good look takes another.
      busy.current = false;
      setTaking(false);
    }
  };
  return { late, taking, busy, take };
}

/** To draw and judge a picture takes a slow phone a tenth of a second, so the flash is painted first. */
function nextPaint(): Promise<void> {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}
