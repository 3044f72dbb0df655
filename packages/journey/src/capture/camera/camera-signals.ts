import { labelToSend } from './choose-lens.ts';
import type { OpenCamera } from './open-camera.ts';

/**
 * What the page can tell about the camera and the browser. An attacker who controls the browser can fake all of it;
 * what an ordinary browser reports is still useful.
 */
export type CameraSignals = {
  readonly cameraLabel: string;
  readonly cameraCount: number;
  /** `MediaStreamTrack` for a camera; the track of a canvas has another class. */
  readonly trackClass: string;
  readonly nativeGetUserMedia: boolean;
  readonly automated: boolean;
  readonly frameRate?: number;
  readonly frameJitterMs?: number;
};

export function signalsOf({ stream, lens, lenses }: OpenCamera, times: readonly number[]): CameraSignals {
  const [track] = stream.getVideoTracks();
  return {
    cameraLabel: labelToSend(lens.label),
    cameraCount: lenses.length,
    trackClass: track?.constructor.name ?? '',
    nativeGetUserMedia: isNative(navigator.mediaDevices.getUserMedia),
    automated: navigator.webdriver === true,
    ...paceOf(times),
  };
}

/** A replaced or bound function has another text. */
function isNative(getUserMedia: unknown): boolean {
  const text = Function.prototype.toString.call(getUserMedia).replaceAll(/\s+/g, ' ');
  return getUserMedia === MediaDevices.prototype.getUserMedia && text === 'function getUserMedia() { [native code] }';
}

/** The frames per second, and the standard deviation of the gaps between them. */
export function paceOf(times: readonly number[]): Pick<CameraSignals, 'frameRate' | 'frameJitterMs'> {
  const gaps = times.slice(1).map((time, at) => time - (times[at] as number));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  if (!(mean > 0)) return {};
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  return { frameRate: rounded(1000 / mean), frameJitterMs: rounded(Math.sqrt(variance)) };
}

const MAX_TIMES = 240;

/** Collects the times of frames until the signal is aborted, if the browser reports them. */
export function watchFrames(video: HTMLVideoElement, signal: AbortSignal): number[] {
  const times: number[] = [];
  const note: VideoFrameRequestCallback = (now, { captureTime }) => {
    if (signal.aborted) return;
    times.push(captureTime ?? now);
    if (times.length > MAX_TIMES) times.shift();
    video.requestVideoFrameCallback(note);
  };
  video.requestVideoFrameCallback?.(note);
  return times;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
