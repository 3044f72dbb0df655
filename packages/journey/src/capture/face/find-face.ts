import { Human } from '@vladmandic/human';
import { measureLight } from '../document/measure-card.ts';
import type { Pixels } from '../pixels.ts';
import type { FaceLook } from './judge-face.ts';

export type FoundFace = Omit<FaceLook, 'at'>;

/** Another face counts if it has at least this share of the largest one's area: passers-by do not count. */
const OTHER_FACE_SHARE = 0.2;
const MAX_FACES = 3;
/**
 * The yaw and pitch of the library have the opposite sign, and its yaw is smaller than the server's in the same frames:
 * in a recording of somebody who turns, 8 degrees where the server finds 14.
 */
const DEGREES = 180 / Math.PI;
const YAW_SCALE = -1.5;
const PITCH_SCALE = -1;

/** `base` is the address of the models. No other server is called. */
export async function openFaceFinder(base: string): Promise<(pixels: Pixels) => Promise<FoundFace>> {
  const off = { enabled: false };
  const human = new Human({
    backend: 'wasm',
    wasmPath: base,
    modelBasePath: base,
    cacheModels: false,
    cacheSensitivity: 0,
    debug: false,
    warmup: 'none',
    filter: { enabled: false },
    gesture: off,
    face: {
      enabled: true,
      detector: { modelPath: 'blazeface.json', maxDetected: MAX_FACES, minConfidence: 0.4, rotation: false },
      mesh: { enabled: true, modelPath: 'facemesh.json' },
      iris: off,
      emotion: off,
      description: off,
      antispoof: off,
      liveness: off,
    },
    body: off,
    hand: off,
    object: off,
    segmentation: off,
  });
  await human.load();
  const blank = human.tf.zeros([1, 240, 320, 3]);
  // The first detection compiles the models, so it runs before somebody waits for it.
  await human.detect(blank as never);
  human.tf.dispose(blank);
  return async (pixels) => {
    const tensor = human.tf.tensor4d(withoutOpacity(pixels), [1, pixels.height, pixels.width, 3]);
    try {
      const { face } = await human.detect(tensor as never);
      return lookOf(face, pixels);
    } finally {
      human.tf.dispose(tensor);
    }
  };
}

type HumanFace = Awaited<ReturnType<Human['detect']>>['face'][number];

function lookOf(faces: readonly HumanFace[], pixels: Pixels): FoundFace {
  const bySize = [...faces].sort((one, other) => areaOf(other) - areaOf(one));
  const [main] = bySize;
  const light = measureLight(main ? crop(pixels, main.box) : pixels);
  if (!main) {
    return { faces: 0, centre: { x: 0, y: 0 }, height: 0, angles: { yaw: 0, pitch: 0, roll: 0 }, light };
  }
  const largeFaces = bySize.filter((each) => areaOf(each) >= areaOf(main) * OTHER_FACE_SHARE);
  const [left, top, width, height] = main.boxRaw;
  const { yaw = 0, pitch = 0, roll = 0 } = main.rotation?.angle ?? {};
  return {
    faces: largeFaces.length,
    centre: { x: left + width / 2, y: top + height / 2 },
    height,
    angles: { yaw: yaw * DEGREES * YAW_SCALE, pitch: pitch * DEGREES * PITCH_SCALE, roll: roll * DEGREES },
    light,
  };
}

function areaOf({ box: [, , width, height] }: HumanFace): number {
  return width * height;
}

function withoutOpacity({ width, height, data }: Pixels): Float32Array {
  const colours = new Float32Array(width * height * 3);
  for (let from = 0, to = 0; to < colours.length; from += 4, to += 3) {
    colours[to] = data[from] ?? 0;
    colours[to + 1] = data[from + 1] ?? 0;
    colours[to + 2] = data[from + 2] ?? 0;
  }
  return colours;
}

function crop({ width, height, data }: Pixels, box: readonly [number, number, number, number]): Pixels {
  const left = Math.max(0, Math.min(width - 1, Math.floor(box[0])));
  const top = Math.max(0, Math.min(height - 1, Math.floor(box[1])));
  const columns = Math.max(1, Math.min(width - left, Math.ceil(box[2])));
  const rows = Math.max(1, Math.min(height - top, Math.ceil(box[3])));
  const cut = new Uint8ClampedArray(columns * rows * 4);
  for (let row = 0; row < rows; row += 1) {
    const from = ((top + row) * width + left) * 4;
    cut.set(data.subarray(from, from + columns * 4), row * columns * 4);
  }
  return { width: columns, height: rows, data: cut };
}
