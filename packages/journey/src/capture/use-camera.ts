import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { CameraFault } from './camera/camera-fault.ts';
import { type Facing, isGreyFrame, lensesInTurn } from './camera/choose-lens.ts';
import { type CameraChoice, NoCamera, type OpenCamera, openCamera } from './camera/open-camera.ts';

export type CameraState =
  | { readonly phase: 'opening' }
  | { readonly phase: 'open'; readonly camera: OpenCamera }
  | { readonly phase: 'fault'; readonly fault: CameraFault };

export type Camera = {
  readonly state: CameraState;
  /** The reference for the video element. */
  readonly video: { current: HTMLVideoElement | null };
  /** True once pictures arrive. */
  readonly running: boolean;
  readonly torch: boolean;
  again(): void;
  switchLens(): void;
  setTorch(on: boolean): void;
};

/** A camera that is open and shows nothing within this time counts as a fault. */
const PICTURE_MS = 8_000;
/** The time that a lens needs to find its exposure. */
const GREY_TEST_MS = 900;
const GREY_TEST = { width: 64, height: 48 } as const;

/** Keeps a camera open while the view is shown. */
export function useCamera(facing: Facing): Camera {
  const [wish, setWish] = useState<CameraChoice>({ facing });
  const [state, setState] = useState<CameraState>({ phase: 'opening' });
  const [running, setRunning] = useState(false);
  const [torch, setTorchOn] = useState(false);
  const video = useRef<HTMLVideoElement | null>(null);
  const grey = useRef(new Set<string>());

  useEffect(() => {
    let current = true;
    let opened: OpenCamera | undefined;
    setState({ phase: 'opening' });
    setRunning(false);
    setTorchOn(false);
    const fail = (fault: CameraFault) => current && setState({ phase: 'fault', fault });
    openCamera(wish).then(
      (camera) => {
        if (!current) return camera.close();
        opened = camera;
        // The camera was unplugged, taken by another program, or forbidden later.
        for (const track of camera.stream.getVideoTracks()) track.onended = () => fail('aborted');
        setState({ phase: 'open', camera });
      },
      (error: unknown) => fail(error instanceof NoCamera ? error.fault : 'unknown'),
    );
    return () => {
      current = false;
      opened?.close();
    };
  }, [wish]);

  useEffect(() => {
    const element = video.current;
    if (state.phase !== 'open' || !element) return;
    return show(element, state.camera, {
      onRunning: () => setRunning(true),
      onNothing: () => setState({ phase: 'fault', fault: 'noPicture' }),
      onGrey() {
        const { lens, lenses } = state.camera;
        grey.current.add(lens.deviceId);
        const [next] = lensesInTurn(lenses, lens).filter(({ deviceId }) => !grey.current.has(deviceId));
        if (next && facing === 'environment') setWish({ facing, deviceId: next.deviceId });
      },
    });
  }, [state, facing]);

  const again = useCallback(() => setWish({ facing }), [facing]);
  const switchLens = useCallback(() => {
    if (state.phase !== 'open') return;
    const [, next] = lensesInTurn(state.camera.lenses, state.camera.lens);
    if (next) setWish({ facing, deviceId: next.deviceId });
  }, [state, facing]);
  const setTorch = useCallback(
    (on: boolean) => {
      if (state.phase === 'open') void state.camera.setTorch(on).then(setTorchOn);
    },
    [state],
  );
  return { state, video, running, torch, again, switchLens, setTorch };
}

type Events = { onRunning(): void; onNothing(): void; onGrey(): void };

function show(video: HTMLVideoElement, camera: OpenCamera, { onRunning, onNothing, onGrey }: Events): () => void {
  let greyTimer: ReturnType<typeof setTimeout> | undefined;
  const nothing = setTimeout(onNothing, PICTURE_MS);
  const run = () => {
    if (video.videoWidth === 0) return;
    clearTimeout(nothing);
    onRunning();
    greyTimer ??= setTimeout(() => showsGrey(video) && onGrey(), GREY_TEST_MS);
  };
  video.addEventListener('playing', run);
  video.srcObject = camera.stream;
  // Playing is refused only if the element was removed meanwhile.
  void video.play().catch(() => undefined);
  return () => {
    clearTimeout(nothing);
    clearTimeout(greyTimer);
    video.removeEventListener('playing', run);
    video.srcObject = null;
  };
}

function showsGrey(video: HTMLVideoElement): boolean {
  const canvas = document.createElement('canvas');
  canvas.width = GREY_TEST.width;
  canvas.height = GREY_TEST.height;
  const context = canvas.getContext('2d');
  if (!context) return false;
  context.drawImage(video, 0, 0, canvas.width, canvas.height);
  return isGreyFrame(context.getImageData(0, 0, canvas.width, canvas.height));
}
