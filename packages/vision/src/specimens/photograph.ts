import sharp from 'sharp';
import { type Homography, homography, type Point, type Quad, rectangle } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { noise, type Random, within } from './random.ts';

/** How a document is photographed. Everything is optional; by default it is straight on and sharp. */
export type Photograph = {
  /** Degrees by which the document is turned on the table. */
  readonly tilt?: number;
  /** Degrees by which the camera looks from the side and from below. */
  readonly yaw?: number;
  readonly pitch?: number;
  /** Quarter turns of the finished picture. */
  readonly quarters?: number;
  /** The share of the picture's width that the document takes. */
  readonly share?: number;
  readonly shift?: readonly [x: number, y: number];
  /** The deviation of a Gaussian blur, in pixels. */
  readonly blur?: number;
  /** Brightness: 1 is unchanged, 0.2 a dark room. */
  readonly light?: number;
  /** The colour of the lamp: its share of red, green and blue; white by default. */
  readonly tint?: readonly [red: number, green: number, blue: number];
  /** The strength of a lamp's reflection, 0…1. */
  readonly glare?: number;
  /** The deviation of the noise, in steps of 255; by default that of a camera by day. */
  readonly noise?: number;
  readonly quality?: number;
  readonly size?: { readonly width: number; readonly height: number };
};

const SIZE = { width: 1600, height: 1200 } as const;
/** The noise of a phone's camera by day. A picture without noise is recognised as drawn by a computer. */
const CAMERA_NOISE = 2;
const GRAINS = 1 << 16;
const LAST_GRAIN = GRAINS - 1;

/** Photographs documents on a table. Returns the picture and the corners of the documents in it. */
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

/** A table in a plain colour with soft light and a little grain. */
function tableTop(size: { width: number; height: number }, random: Random): Raster {
  const { width, height } = size;
  const data = new Uint8Array(width * height * 3);
  const [red, green, blue] = [within(random, 50, 110), within(random, 45, 95), within(random, 40, 90)];
  const fall = within(random, -0.25, 0.25);
  const across = Float64Array.from({ length: width }, (_, x) => 1 + fall * (x / width - 0.5));
  const waves = Float64Array.from({ length: width }, (_, x) => Math.sin(x / 211));
  for (let y = 0, to = 0; y < height; y += 1) {
    const wave = 0.1 * Math.sin(y / 37);
    for (let x = 0; x < width; x += 1, to += 3) {
      const light = (across[x] as number) + wave * (waves[x] as number);
      data[to] = red * light;
      data[to + 1] = green * light;
      data[to + 2] = blue * light;
    }
  }
  return { width, height, data };
}

/** The corners of a document in the picture of a pinhole camera, two widths of the document away. */
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
  for (let y = top; y <= bottom; y += 1) pasteRow(scene, image, map, { y, left, right });
}

type Row = { readonly y: number; readonly left: number; readonly right: number };

/** A pixel is the mean of four samples of the document, or of the table beside it. */
function pasteRow(scene: Raster, image: Raster, map: Homography, { y, left, right }: Row): void {
  const [m0, m1, m2, m3, m4, m5, m6, m7, m8] = map;
  const { width, height, data } = image;
  for (let x = left, to = (y * scene.width + left) * 3; x <= right; x += 1, to += 3) {
    let red = 0;
    let green = 0;
    let blue = 0;
    let inside = 0;
    for (let v = y + 0.25; v < y + 1; v += 0.5) {
      for (let u = x + 0.25; u < x + 1; u += 0.5) {
        const depth = m6 * u + m7 * v + m8;
        const across = (m0 * u + m1 * v + m2) / depth;
        const down = (m3 * u + m4 * v + m5) / depth;
        if (across < 0 || down < 0 || across >= width || down >= height) continue;
        const at = ((down | 0) * width + (across | 0)) * 3;
        red += data[at] as number;
        green += data[at + 1] as number;
        blue += data[at + 2] as number;
        inside += 1;
      }
    }
    const table = 1 - inside / 4;
    scene.data[to] = (scene.data[to] as number) * table + red / 4;
    scene.data[to + 1] = (scene.data[to + 1] as number) * table + green / 4;
    scene.data[to + 2] = (scene.data[to + 2] as number) * table + blue / 4;
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
  const grain = Float32Array.from({ length: GRAINS }, () => (deviation > 0 ? noise(random) * deviation : 0));
  const { data } = scene;
  const row = scene.width * 3;
  for (let start = 0; start < data.length; start += row) {
    // Every row begins elsewhere in the table, so that nothing repeats.
    const from = Math.floor(random() * GRAINS) + start;
    for (let colour = 0; colour < 3; colour += 1) {
      const lamp = tint[colour] as number;
      for (let i = colour; i < row; i += 3) {
        const lit = (data[start + i] as number) * light * lamp;
        data[start + i] = Math.min(255, Math.max(0, lit + (grain[(from + i) & LAST_GRAIN] as number)));
      }
    }
  }
}
