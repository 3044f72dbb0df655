import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { openCamera } from './open-camera.ts';

type CameraRequest = { video: { deviceId?: { exact: string }; facingMode?: { ideal: string }; width?: object } | true };
type Device = { deviceId: string; label: string; torch?: boolean };

/** Stands in for a browser with these cameras. `refuse` names the error of each request, by its number. */
function browserWith(devices: readonly Device[], refuse: (request: number) => string | undefined = () => undefined) {
  const requests: CameraRequest[] = [];
  const stopped: string[] = [];
  const torches: boolean[] = [];
  const streamOf = ({ deviceId, label, torch = false }: Device) => {
    const track = {
      label,
      getSettings: () => ({ deviceId, facingMode: 'environment' }),
      getCapabilities: () => ({ torch }),
      async applyConstraints({ advanced }: { advanced: { torch: boolean }[] }) {
        torches.push(advanced[0]?.torch ?? false);
      },
      stop: () => stopped.push(label),
    };
    return { getVideoTracks: () => [track], getTracks: () => [track] };
  };
  const mediaDevices = {
    async getUserMedia(wish: CameraRequest) {
      requests.push(wish);
      const fault = refuse(requests.length);
      if (fault) throw Object.assign(new Error(fault), { name: fault });
      const exact = wish.video === true ? undefined : wish.video.deviceId?.exact;
      return streamOf(devices.find(({ deviceId }) => deviceId === exact) ?? (devices[0] as Device));
    },
    enumerateDevices: async () => devices.map((device) => ({ ...device, kind: 'videoinput' })),
  };
  Object.defineProperty(globalThis, 'navigator', { value: { mediaDevices }, configurable: true });
  Object.assign(globalThis, { window: { isSecureContext: true } });
  return { asked: requests, stopped, torches };
}

const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
afterEach(() => {
  if (before) Object.defineProperty(globalThis, 'navigator', before);
  Reflect.deleteProperty(globalThis, 'window');
});

const MAIN = { deviceId: 'a', label: 'camera2 0, facing back', torch: true };
const WIDE = { deviceId: 'b', label: 'camera2 2, facing back' };

test('the camera that faces away is asked for at 1920 × 1080, and the main lens is taken in place of another', async () => {
  const { asked, stopped } = browserWith([WIDE, MAIN]);
  const { lens, lenses } = await openCamera({ facing: 'environment' });
  const [first] = asked;
  assert.deepEqual(first?.video !== true && [first?.video.facingMode, first?.video.width], [
    { ideal: 'environment' },
    { ideal: 1920 },
  ]);
  assert.deepEqual([lens.label, lenses.length, stopped], [MAIN.label, 2, [WIDE.label]]);
});

test('the lens that the person chose is opened', async () => {
  browserWith([MAIN, WIDE]);
  assert.equal((await openCamera({ facing: 'environment', deviceId: 'b' })).lens.label, WIDE.label);
});

test('a torch is offered where the camera has one, and can be switched', async () => {
  const { torches } = browserWith([MAIN]);
  const camera = await openCamera({ facing: 'environment' });
  assert.equal(camera.hasTorch, true);
  assert.deepEqual([await camera.setTorch(true), await camera.setTorch(false), torches], [true, false, [true, false]]);
  browserWith([WIDE]);
  assert.equal((await openCamera({ facing: 'environment' })).hasTorch, false);
});

test('a busy camera is requested a second time, and one that cannot meet the constraints is opened without them', async () => {
  const busy = browserWith([MAIN], (request) => (request === 1 ? 'NotReadableError' : undefined));
  await openCamera({ facing: 'environment' });
  assert.equal(busy.asked.length, 2);
  const plain = browserWith([MAIN], (request) => (request === 1 ? 'OverconstrainedError' : undefined));
  await openCamera({ facing: 'environment' });
  assert.equal(plain.asked[1]?.video, true);
});

test('a refused request fails with its fault', async () => {
  browserWith([MAIN], () => 'NotAllowedError');
  await assert.rejects(openCamera({ facing: 'environment' }), { fault: 'denied' });
});
