import { type CameraFault, cameraFaultOf, faultBeforeAsking } from './camera-fault.ts';
import { chooseLens, type Facing, type Lens } from './choose-lens.ts';

export type OpenCamera = {
  readonly stream: MediaStream;
  readonly lens: Lens;
  readonly lenses: readonly Lens[];
  readonly facing: Facing;
  readonly hasTorch: boolean;
  setTorch(on: boolean): Promise<boolean>;
  close(): void;
};

export type CameraChoice = { readonly facing: Facing; readonly deviceId?: string };

export class NoCamera extends Error {
  readonly fault: CameraFault;

  constructor(fault: CameraFault) {
    super(fault);
    this.fault = fault;
  }
}

const VIDEO_CONSTRAINTS = { width: { ideal: 1920 }, height: { ideal: 1080 }, frameRate: { ideal: 30 } } as const;
/** The time until a camera that another page has just released is free. */
const BUSY_WAIT_MS = 600;

/** Opens the main lens of the wanted side, or else any camera. */
export async function openCamera(wish: CameraChoice): Promise<OpenCamera> {
  const devices = (navigator as { mediaDevices?: MediaDevices }).mediaDevices;
  const fault = faultBeforeAsking({ isSecure: window.isSecureContext, hasCameras: Boolean(devices?.getUserMedia) });
  if (fault || !devices) throw new NoCamera(fault ?? 'noApi');
  const stream = await openStream(devices, wish);
  const lenses = await lensesOf(devices);
  const open = lensOf(stream);
  const better = wish.deviceId ? null : chooseLens(lenses, open, wish.facing);
  if (!better) return camera(stream, lenses, wish.facing);
  // Some phones open a second lens only after the first one was released.
  stop(stream);
  const main = await openStream(devices, { ...wish, deviceId: better.deviceId });
  return camera(main, lenses, wish.facing);
}

async function openStream(devices: MediaDevices, { facing, deviceId }: CameraChoice): Promise<MediaStream> {
  const side = deviceId ? { deviceId: { exact: deviceId } } : { facingMode: { ideal: facing } };
  try {
    return await devices.getUserMedia({ audio: false, video: { ...side, ...VIDEO_CONSTRAINTS } });
  } catch (error) {
    const fault = cameraFaultOf(error);
    if (fault === 'inUse' || fault === 'aborted') {
      await new Promise((resolve) => setTimeout(resolve, BUSY_WAIT_MS));
      return anyStream(devices, { video: deviceId ? side : { facingMode: { ideal: facing } } });
    }
    if (fault === 'unsuitable') return anyStream(devices, { video: true });
    throw new NoCamera(fault);
  }
}

async function anyStream(devices: MediaDevices, wish: MediaStreamConstraints): Promise<MediaStream> {
  try {
    return await devices.getUserMedia({ audio: false, ...wish });
  } catch (error) {
    throw new NoCamera(cameraFaultOf(error));
  }
}

async function lensesOf(devices: MediaDevices): Promise<Lens[]> {
  try {
    const all = await devices.enumerateDevices();
    return all.filter(({ kind }) => kind === 'videoinput').map(({ deviceId, label }) => ({ deviceId, label }));
  } catch {
    // Without the list there is no choice, and the open camera is used.
    return [];
  }
}

function lensOf(stream: MediaStream): Lens {
  const [track] = stream.getVideoTracks();
  return { deviceId: track?.getSettings().deviceId ?? '', label: track?.label ?? '' };
}

function camera(stream: MediaStream, lenses: readonly Lens[], wantedFacing: Facing): OpenCamera {
  const [track] = stream.getVideoTracks();
  const abilities = (track?.getCapabilities?.() ?? {}) as { torch?: boolean };
  const facing = (track?.getSettings().facingMode ?? wantedFacing) as Facing;
  return {
    stream,
    lens: lensOf(stream),
    lenses,
    facing: facing === 'user' ? 'user' : wantedFacing,
    hasTorch: abilities.torch === true,
    async setTorch(on) {
      try {
        await track?.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] });
        return on;
      } catch {
        // A torch that cannot be switched counts as no torch.
        return false;
      }
    },
    close: () => stop(stream),
  };
}

function stop(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
