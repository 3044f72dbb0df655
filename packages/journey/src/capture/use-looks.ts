import { useEffect, useRef } from 'preact/hooks';
import { fitWithin, type Region, visibleRegion } from './picture/geometry.ts';
import type { Pixels } from './pixels.ts';

/** At most eight pictures a second: more would only warm the phone. */
const LOOK_MS = 125;
const LOOK_EDGE = 640;

/** `at` is on the clock of the page; `canvas` holds the same picture until the next look. */
export type VideoFrame = { pixels: Pixels; canvas: HTMLCanvasElement; at: number };

/**
 * Calls `look` with the visible picture again and again, never twice at a time. If it throws, it is not called again,
 * and `onEnd` is called.
 */
export function useLooks(
  video: { current: HTMLVideoElement | null },
  active: boolean,
  look: (frame: VideoFrame) => Promise<void>,
  onEnd?: () => void,
  edge = LOOK_EDGE,
): void {
  const latest = useRef(look);
  latest.current = look;
  const end = useRef(onEnd);
  end.current = onEnd;
  useEffect(() => {
    if (!active) return;
    let going = true;
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d', { willReadFrequently: true });
    const run = async () => {
      while (going && context) {
        const startedAt = performance.now();
        const element = video.current;
        if (element && element.videoWidth > 0 && !document.hidden) {
          await latest.current({ pixels: grab(element, canvas, context, edge), canvas, at: startedAt });
        }
        await new Promise((done) => setTimeout(done, Math.max(0, LOOK_MS - (performance.now() - startedAt))));
      }
    };
    run().catch(() => going && end.current?.());
    return () => {
      going = false;
    };
  }, [active, video, edge]);
}

/** The part of the video that its element shows. */
export function regionOf(video: HTMLVideoElement): Region {
  return visibleRegion(
    { width: video.videoWidth, height: video.videoHeight },
    { width: video.clientWidth, height: video.clientHeight },
  );
}

function grab(
  video: HTMLVideoElement,
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  edge: number,
): Pixels {
  const region = regionOf(video);
  const { width, height } = fitWithin(region, edge);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  context.drawImage(video, region.left, region.top, region.width, region.height, 0, 0, width, height);
  return context.getImageData(0, 0, width, height);
}
