import sharp from 'sharp';
import { apply, homography, type Point, type Quad, rectangle } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { noise, type Random, within } from './random.ts';

/** How a document is held before the camera. All of it is optional; nothing given is straight on and sharp. */
export type Photograph = {
  /** Degrees by which the document is turned on the table. */
  readonly tilt?: number;
  /** Degrees by which the camera looks from aside and from below. */
  readonly yaw?: number;
  readonly pitch?: number;
  /** Quarter turns of the finished picture. */
  readonly quarters?: number;
  /** The share of the picture's width that the document takes. */
  readonly share?: number;
  readonly shift?: readonly [x: number, y: number];
  /** The deviation of a Gaussian blur, in pixels. */
  readonly blur?: number;
  /** Brightness: 1 as it is, 0.2 in a dark room. */
  readonly light?: number;
  /** The colour of the lamp: how much of red, green and blue it gives; white unless it says otherwise. */
  readonly tint?: readonly [red: number, green: number, blue: number];
  /** The strength of a lamp's reflection, 0…1. */
  readonly glare?: number;
  /** The deviation of the noise, in steps of 255; that of a camera by day unless it says otherwise. */
  readonly noise?: number;
  readonly quality?: number;
  readonly size?: { readonly width: number; readonly height: number };
};

const SIZE = { width: 1600, height: 1200 } as const;
/** The noise of a telephone's camera by day. A picture without any was drawn by a computer, and is taken for that. */
const CAMERA_NOISE = 2;
const GRAINS = 1 << 16;

/** Photographs documents that lie on a table, and says where their corners are in the picture. */
export async function photograph(
  documents: readonly Raster[],
  how: Photograph,
  random: Random,
): Promise<{ jpeg: Buffer; quads: readonly Quad[] }> {
  const size = how.size ?? SIZE;
  const scene = tableTop(size, random);
  const places = documents.map((_, i) => (documents.length === 1 ? 0 : i === 0 ? -0.52 : 0.52));
  const quads = documents.map((image, i) => {
    const quad = cornersInPhoto(image, how, size, places[i] as number, documents.length);
    paste(scene, image, quad);
    return quad;
  });
  if (how.glare) addGlare(scene, quads[0] as Quad, how.glare, random);
  const blurred = how.blur ? await blur(scene, how.blur) : scene;
  addNoise(blurred, how, random);
  const picture = sharp(blurred.data, { raw: { width: size.width, height: size.height, channels: 3 } });
  const turned = how.quarters ? picture.rotate((((how.quarters % 4) + 4) % 4) * 90) : picture;
  return { jpeg: await turned.jpeg({ quality: how.quality ?? 88 }).toBuffer(), quads };
}

/** A table of some plain colour with soft light and a little grain. */
function tableTop(size: { width: number; height: number }, random: Random): Raster {
  const data = new Uint8Array(size.width * size.height * 3);
  const base = [within(random, 50, 110), within(random, 45, 95), within(random, 40, 90)];
  const fall = within(random, -0.25, 0.25);
  for (let y = 0; y < size.height; y += 1) {
    for (let x = 0; x < size.width; x += 1) {
      const light = 1 + fall * (x / size.width - 0.5) + 0.1 * Math.sin(y / 37) * Math.sin(x / 211);
      for (let k = 0; k < 3; k += 1) data[(y * size.width + x) * 3 + k] = (base[k] as number) * light;
    }
  }
  return { ...size, data };
}

/** Where the corners of a document appear: a pinhole camera, two widths of the document away. */
function cornersInPhoto(
  { width, height }: Raster,
  how: Photograph,
  size: { readonly width: number; readonly height: number },
  offset: number,
  count: number,
): Quad {
  const [tilt, yaw, pitch] = [how.tilt ?? 0, how.yaw ?? 0, how.pitch ?? 0].map(
    (degrees) => (degrees * Math.PI) / 180,
  ) as [number, number, number];
  const share = how.share ?? 0.78;
  const span = size.width * share * (count === 1 ? 1 : 0.55);
  const away = 2 * size.width;
  const [shiftX, shiftY] = how.shift ?? [0, 0];
  const project = ({ x, y }: Point): Point => {
    const u = ((x - width / 2) / width) * span;
    const v = ((y - height / 2) / width) * span;
    const [a, b] = [u * Math.cos(tilt) - v * Math.sin(tilt), u * Math.sin(tilt) + v * Math.cos(tilt)];
    const [c, depth] = [a * Math.cos(yaw), a * Math.sin(yaw)];
    const [d, further] = [b * Math.cos(pitch) - depth * Math.sin(pitch), b * Math.sin(pitch) + depth * Math.cos(pitch)];
    const scale = away / (away + further);
    return {
      x: size.width * (0.5 + shiftX + offset * 0.46) + c * scale,
      y: size.height * (0.5 + shiftY) + d * scale,
    };
  };
  const [p0, p1, p2, p3] = rectangle(width, height);
  return [project(p0), project(p1), project(p2), project(p3)];
}

function paste(scene: Raster, image: Raster, quad: Quad): void {
  const map = homography(quad, rectangle(image.width, image.height));
  const xs = quad.map(({ x }) => x);
  const ys = quad.map(({ y }) => y);
  const [left, right] = [
    Math.max(0, Math.floor(Math.min(...xs))),
    Math.min(scene.width - 1, Math.ceil(Math.max(...xs))),
  ];
  const [top, bottom] = [
    Math.max(0, Math.floor(Math.min(...ys))),
    Math.min(scene.height - 1, Math.ceil(Math.max(...ys))),
  ];
  const offsets = [0.25, 0.75];
  for (let y = top; y <= bottom; y += 1) {
    for (let x = left; x <= right; x += 1) {
      const sum = [0, 0, 0];
      let inside = 0;
      for (const dy of offsets) {
        for (const dx of offsets) {
          const from = apply(map, { x: x + dx, y: y + dy });
          if (from.x < 0 || from.y < 0 || from.x >= image.width || from.y >= image.height) continue;
          const at = (Math.floor(from.y) * image.width + Math.floor(from.x)) * 3;
          for (let k = 0; k < 3; k += 1) sum[k] = (sum[k] as number) + (image.data[at + k] as number);
          inside += 1;
        }
      }
      const to = (y * scene.width + x) * 3;
      for (let k = 0; k < 3 && inside > 0; k += 1) {
        scene.data[to + k] = (scene.data[to + k] as number) * (1 - inside / 4) + (sum[k] as number) / 4;
      }
    }
  }
}

function addGlare(scene: Raster, quad: Quad, strength: number, random: Random): void {
  const centre = {
    x: within(random, Math.min(quad[0].x, quad[3].x) * 0.5 + quad[1].x * 0.5, quad[1].x * 0.75 + quad[0].x * 0.25),
    y: (quad[0].y + quad[2].y) / 2,
  };
  const radius = scene.width * 0.16;
  for (let y = 0; y < scene.height; y += 1) {
    for (let x = 0; x < scene.width; x += 1) {
      const distance = Math.hypot(x - centre.x, (y - centre.y) * 1.4) / radius;
      if (distance > 2) continue;
      const light = 420 * strength * Math.exp(-distance * distance * 2);
      const at = (y * scene.width + x) * 3;
      for (let k = 0; k < 3; k += 1) scene.data[at + k] = Math.min(255, (scene.data[at + k] as number) + light);
    }
  }
}

async function blur({ width, height, data }: Raster, deviation: number): Promise<Raster> {
  const blurred = await sharp(data, { raw: { width, height, channels: 3 } })
    .blur(Math.max(0.3, deviation))
    .raw()
    .toBuffer();
  return { width, height, data: blurred };
}

function addNoise(
  scene: Raster,
  { light = 1, tint = [1, 1, 1], noise: deviation = CAMERA_NOISE }: Photograph,
  random: Random,
): void {
  const grain = deviation > 0 ? Float32Array.from({ length: GRAINS }, () => noise(random) * deviation) : undefined;
  let from = 0;
  for (let i = 0; i < scene.data.length; i += 1) {
    // Every row begins elsewhere in the table, so that nothing repeats.
    if (i % (scene.width * 3) === 0) from = Math.floor(random() * GRAINS);
    const lit = (scene.data[i] as number) * light * (tint[i % 3] as number);
    const value = lit + (grain?.[(from + i) % GRAINS] ?? 0);
    scene.data[i] = Math.min(255, Math.max(0, value));
  }
}
