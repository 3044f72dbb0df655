import sharp from 'sharp';
import { drawExpression, type Expression } from './draw-expression.ts';
import { type Point, type Still, sample } from './still.ts';

/**
 * Renders a head from one photograph, as an attacker without a neural network would: it invents a depth for every pixel and
 * warps the picture accordingly. It exists to attack our own liveness check.
 */
export type HeadPose = Expression & {
  /** Degrees; positive towards the right edge of the picture, and up. */
  readonly yaw: number;
  readonly pitch: number;
  readonly roll?: number;
  /** How much larger the head becomes: 0 is unchanged, 1 is twice as large. */
  readonly nearer?: number;
};

export type RenderOptions = {
  readonly model: 'ellipsoid' | 'mesh' | 'flat';
  /** Holds the background still and fills what the head uncovers. */
  readonly ownBackground?: boolean;
  /** Darkens the side that turns away. */
  readonly relight?: number;
  /** A few pixels of elastic wobble, different in every frame. */
  readonly wobble?: number;
  /** Local changes of brightness as a share, different in every frame. */
  readonly flicker?: number;
  /** Standard deviation of the noise, in grey levels. */
  readonly noise?: number;
  readonly jpegQuality?: number;
  /** How the expression is drawn: roughly, or with shading and teeth. */
  readonly paint?: 'rough' | 'careful';
  /** What the camera photographs, if the picture is not injected. */
  readonly medium?: 'screen' | 'print';
  readonly random: () => number;
};

export async function renderHead(still: Still, pose: HeadPose, options: RenderOptions): Promise<Buffer> {
  const { width, height } = still;
  const expressive = drawExpression(still, pose, options.paint ?? 'rough');
  const turned = turnHead(still, expressive, pose, options);
  const finished = finish(options.medium ? recapture(turned, still, options.medium) : turned, still, options);
  const zoom = 1 + (pose.nearer ?? 0);
  const size = { width: Math.round(width / zoom), height: Math.round(height / zoom) };
  const { x, y } = headOf(still);
  const left = Math.round(Math.min(width - size.width, Math.max(0, x - size.width / 2)));
  const top = Math.round(Math.min(height - size.height, Math.max(0, y - size.height / 2)));
  return sharp(finished, { raw: { width, height, channels: 3 } })
    .extract({ left, top, ...size })
    .resize(width, height)
    .jpeg({ quality: options.jpegQuality ?? 88 })
    .toBuffer();
}

/** Encodes the picture unchanged, with a little noise. */
export function encode(still: Still, random: () => number): Promise<Buffer> {
  return renderHead(still, { yaw: 0, pitch: 0 }, { model: 'flat', noise: 2, random });
}

/** Turns the head by a field of displacements from the depth of a generic head, which falls off outside of it. */
function turnHead(still: Still, source: Float32Array, pose: HeadPose, options: RenderOptions): Float32Array {
  const { width, height } = still;
  const head = headOf(still);
  const yaw = (pose.yaw * Math.PI) / 180;
  const pitch = (-pose.pitch * Math.PI) / 180;
  const roll = ((pose.roll ?? 0) * Math.PI) / 180;
  const wave = wobbleField(options);
  const out = new Float32Array(source.length);
  const depthAt = depthMap(still, head, options.model);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const u = (x - head.x) / head.radiusX;
      const v = (y - head.y) / head.radiusY;
      const distance = Math.hypot(u, v);
      if (distance > FAR && !wave) {
        const at = (y * width + x) * 3;
        for (let channel = 0; channel < 3; channel += 1) out[at + channel] = source[at + channel] as number;
        continue;
      }
      const z = depthAt(x, y);
      // Solves for where the pixel came from, to first order and once more at that place.
      let sx = x - rotatedShift(x - head.x, z, yaw);
      let sy = y - rotatedShift(y - head.y, z, pitch);
      const again = depthAt(sx, sy);
      sx = x - rotatedShift(sx - head.x, again, yaw);
      sy = y - rotatedShift(sy - head.y, again, pitch);
      if (roll !== 0) {
        const [dx, dy] = [sx - head.x, sy - head.y];
        sx = head.x + dx * Math.cos(roll) + dy * Math.sin(roll);
        sy = head.y - dx * Math.sin(roll) + dy * Math.cos(roll);
      }
      const share = options.ownBackground ? 1 : falloff(distance);
      sx = x + (sx - x) * share + (wave ? wave.x(x, y) : 0);
      sy = y + (sy - y) * share + (wave ? wave.y(x, y) : 0);
      const light = options.relight ? 1 + options.relight * u * Math.sin(yaw) * (distance < 1.2 ? 1 : 0) : 1;
      const at = (y * width + x) * 3;
      const mask = options.ownBackground ? maskOf((sx - head.x) / head.radiusX, (sy - head.y) / head.radiusY) : 1;
      for (let channel = 0; channel < 3; channel += 1) {
        const front = sample(source, still, sx, sy, channel) * light;
        const back = mask < 1 ? background(source, still, head, x, y, channel) : 0;
        out[at + channel] = front * mask + back * (1 - mask);
      }
    }
  }
  return out;
}

const depthMaps = new WeakMap<Still, Map<string, Float32Array>>();

/** The depth of every pixel, computed once for a photograph. */
function depthMap(still: Still, head: Head, model: RenderOptions['model']): (x: number, y: number) => number {
  const { width, height } = still;
  const maps = depthMaps.get(still) ?? new Map<string, Float32Array>();
  depthMaps.set(still, maps);
  const cached = maps.get(model);
  const map = cached ?? new Float32Array(width * height);
  if (!cached) {
    for (let y = 0, at = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1, at += 1) {
        const [u, v] = [(x - head.x) / head.radiusX, (y - head.y) / head.radiusY];
        map[at] = DEPTHS[model](u, v, head) * head.radiusX;
      }
    }
    maps.set(model, map);
  }
  return (x, y) => {
    const column = Math.min(width - 1, Math.max(0, Math.round(x)));
    const row = Math.min(height - 1, Math.max(0, Math.round(y)));
    return map[row * width + column] as number;
  };
}

function rotatedShift(offset: number, depth: number, angle: number): number {
  return depth * Math.sin(angle) - offset * (1 - Math.cos(angle));
}

type Head = Point & { radiusX: number; radiusY: number; nose: Point; eyes: number };

function headOf({ points }: Still): Head {
  const at = (index: number): Point => ({ x: points[index * 2] as number, y: points[index * 2 + 1] as number });
  const [left, right, chin, brow] = [at(0), at(16), at(8), at(27)];
  const eyes = Math.hypot(at(45).x - at(36).x, at(45).y - at(36).y);
  const radiusX = Math.hypot(right.x - left.x, right.y - left.y) / 2;
  const faceHeight = Math.hypot(chin.x - brow.x, chin.y - brow.y);
  const x = (left.x + right.x) / 2;
  const y = (brow.y + chin.y) / 2 - faceHeight * 0.12;
  const radiusY = faceHeight * 0.95;
  const nose = { x: (at(30).x - x) / radiusX, y: (at(30).y - y) / radiusY };
  return { x, y, radiusX, radiusY, nose, eyes };
}

const bump = (u: number, v: number, at: Point, width: number, height: number) =>
  Math.exp(-((u - at.x) ** 2) / (2 * width * width) - (v - at.y) ** 2 / (2 * height * height));

/** The depth at a place beside the middle of the head, all in radii of the head. */
const DEPTHS: Record<RenderOptions['model'], (u: number, v: number, head: Head) => number> = {
  flat: () => 0,
  ellipsoid(u, v, { nose }) {
    const inside = Math.sqrt(Math.max(0, 1 - Math.min(1, u * u + v * v)));
    return 0.9 * inside + 0.28 * bump(u, v, nose, 0.16, 0.16);
  },
  mesh(u, v, { nose }) {
    const inside = Math.sqrt(Math.max(0, 1 - Math.min(1, u * u + 0.8 * v * v)));
    const ridge = bump(u, v, { x: nose.x, y: nose.y - 0.18 }, 0.1, 0.16);
    const tip = bump(u, v, nose, 0.13, 0.1);
    const sockets =
      bump(u, v, { x: -0.42, y: nose.y - 0.3 }, 0.16, 0.09) + bump(u, v, { x: 0.42, y: nose.y - 0.3 }, 0.16, 0.09);
    const lips = bump(u, v, { x: nose.x, y: nose.y + 0.28 }, 0.24, 0.08);
    const chin = bump(u, v, { x: nose.x, y: nose.y + 0.58 }, 0.22, 0.12);
    return 0.85 * inside + 0.16 * ridge + 0.26 * tip - 0.09 * sockets + 0.07 * lips + 0.08 * chin;
  },
};

/** In radii of the head: nothing beyond is moved. */
const FAR = 2;

/** The picture around the head moves with it, less and less with the distance. */
function falloff(distance: number): number {
  if (distance <= 1) return 1;
  return Math.max(0, 1 - (distance - 1) / 0.9) ** 2;
}

/** The head, its hair included, with a soft edge. */
function maskOf(u: number, v: number): number {
  const edge = Math.hypot(u / 1.25, (v < 0 ? v / 1.45 : v / 1.12) * 1);
  return Math.min(1, Math.max(0, (1.06 - edge) / 0.12));
}

/** Fills what the head uncovers with the background beside it. */
function background(source: Float32Array, still: Still, head: Head, x: number, y: number, channel: number): number {
  const u = (x - head.x) / head.radiusX;
  const v = (y - head.y) / head.radiusY;
  if (maskOf(u, v) === 0) return sample(source, still, x, y, channel);
  const left = sample(source, still, head.x - head.radiusX * 1.45, y, channel);
  const right = sample(source, still, head.x + head.radiusX * 1.45, y, channel);
  const share = Math.min(1, Math.max(0, (u + 1.4) / 2.8));
  return left * (1 - share) + right * share;
}

/** Smooth waves with a random phase, different in every frame. */
function wobbleField({ wobble = 0, random }: RenderOptions) {
  if (wobble === 0) return undefined;
  const wave = () => {
    const parts = Array.from({ length: 4 }, () => ({
      fx: (0.5 + random() * 2) / 60,
      fy: (0.5 + random() * 2) / 60,
      phase: random() * Math.PI * 2,
    }));
    const at = (x: number, y: number) =>
      (wobble / 2) * parts.reduce((sum, { fx, fy, phase }) => sum + Math.sin(fx * x + fy * y + phase), 0) * 0.7;
    // The waves are long, so only every eighth pixel is computed.
    const cache = new Map<number, number>();
    return (x: number, y: number) => {
      const cell = (y >> 3) * 4096 + (x >> 3);
      const value = cache.get(cell) ?? at(x, y);
      cache.set(cell, value);
      return value;
    };
  };
  return { x: wave(), y: wave() };
}

/** Simulates a photograph of a screen, with its raster and glow, or of paper, with dots and faded colours. */
function recapture(data: Float32Array, { width, height }: Still, medium: 'screen' | 'print'): Float32Array {
  const out = new Float32Array(data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const raster =
        medium === 'screen'
          ? 1 + 0.06 * Math.sin(x * 2.17 + y * 0.13) + 0.05 * Math.sin(y * 2.31)
          : 1 + 0.07 * Math.sin((x + y) * 1.9) * Math.sin((x - y) * 1.9);
      const at = (y * width + x) * 3;
      const grey = ((data[at] as number) + (data[at + 1] as number) + (data[at + 2] as number)) / 3;
      for (let channel = 0; channel < 3; channel += 1) {
        const value = data[at + channel] as number;
        const tone =
          medium === 'screen' ? value * 0.9 + (channel === 2 ? 26 : 14) : (value * 0.7 + grey * 0.3) * 0.8 + 30;
        out[at + channel] = tone * raster;
      }
    }
  }
  return out;
}

/** Noise with a deviation of 1, computed once; each frame begins at a random place in it. */
const GRAINS = Float32Array.from({ length: 999_983 }, () => (Math.random() + Math.random() + Math.random() - 1.5) * 2);

function finish(
  data: Float32Array,
  { width, height }: Still,
  { noise = 0, flicker = 0, random }: RenderOptions,
): Buffer {
  const out = Buffer.alloc(data.length);
  const [fx, fy, phase] = [(0.5 + random()) / 50, (0.5 + random()) / 50, random() * 6.28];
  const gain = 1 + (random() - 0.5) * 0.02;
  let next = Math.floor(random() * GRAINS.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const light = gain * (flicker > 0 ? 1 + flicker * Math.sin(fx * x + phase) * Math.cos(fy * y + phase) : 1);
      for (let at = (y * width + x) * 3, channel = 0; channel < 3; channel += 1, at += 1) {
        next = (next + 1) % GRAINS.length;
        const grain = noise * (GRAINS[next] as number);
        out[at] = Math.max(0, Math.min(255, (data[at] as number) * light + grain));
      }
    }
  }
  return out;
}
