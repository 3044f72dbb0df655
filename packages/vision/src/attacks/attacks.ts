import sharp from 'sharp';
import { apply, homography, type Quad, rectangle } from '../images/geometry.ts';
import { decodeImage, type Raster } from '../images/raster.ts';
import { resize, warp } from '../images/warp.ts';
import { type Photograph, photograph } from '../specimens/photograph.ts';
import { noise, type Random, within } from '../specimens/random.ts';

/**
 * Renders attacks from pictures of documents, for measurements. They go through the same camera as genuine documents,
 * so that only the attack differs.
 */
export const ATTACKS = [
  'grey',
  'screen',
  'moire',
  'halftone',
  'halftoneFine',
  'pasteDigital',
  'pasteCareful',
  'pasteStuck',
  'drawn',
] as const;
export type Attack = (typeof ATTACKS)[number];

/** An area of a document, in shares of its width and height. */
export type DocumentArea = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
export type AttackMaterial = {
  /** The place of the portrait. */
  readonly portraitArea?: DocumentArea;
  /** The face that is pasted over the portrait. */
  readonly face?: Raster;
};

/** The photograph of a document, genuine or attacked; undefined if the attack needs a portrait and there is none. */
export async function renderAttack(
  attack: Attack | 'genuine',
  document: Raster,
  how: Photograph,
  random: Random,
  { portraitArea, face }: AttackMaterial = {},
): Promise<{ jpeg: Buffer; quad: Quad } | undefined> {
  const shoot = async (flat: Raster, more: Photograph = {}) => {
    const { jpeg, quads } = await photograph([flat], { ...how, ...more }, random);
    return { jpeg, quad: quads[0] as Quad };
  };
  if (attack === 'genuine') return shoot(document);
  if (attack === 'grey') return shoot(greyCopy(document, random));
  if (attack === 'screen') return shoot(onScreen(document, Math.round(within(random, 450, 850))));
  if (attack === 'moire') return shoot(withBands(document, random));
  if (attack === 'halftone') return shoot(halftone(document, 4.5));
  if (attack === 'halftoneFine') return shoot(halftone(document, 2.6));
  if (attack === 'drawn') return shoot(document, { noise: 0, blur: Math.min(0.4, how.blur ?? 0) });
  if (!portraitArea || !face) return undefined;
  if (attack === 'pasteStuck') return shoot(stickOn(document, portraitArea, face));
  return pasteInto(await shoot(document), portraitArea, face, attack === 'pasteCareful' ? { how, random } : undefined);
}

/** A black and white copy: no colour, more contrast, the speckle of toner. */
function greyCopy({ width, height, data }: Raster, random: Random): Raster {
  const copy = new Uint8Array(data.length);
  for (let i = 0; i < data.length; i += 3) {
    const light = 0.299 * (data[i] as number) + 0.587 * (data[i + 1] as number) + 0.114 * (data[i + 2] as number);
    const value = Math.min(250, Math.max(18, (light - 128) * 1.2 + 140 + noise(random) * 4));
    copy.fill(value, i, i + 3);
  }
  return { width, height, data: copy };
}

/** Each pixel of a screen is three stripes of red, green and blue with a dark line below. */
function onScreen(document: Raster, pixelsAcross: number): Raster {
  const height = Math.round((document.height * pixelsAcross) / document.width);
  const pixels = resize(document, pixelsAcross, height);
  const [width, rows] = [pixelsAcross * 3, height * 3];
  const data = new Uint8Array(width * rows * 3);
  for (let y = 0; y < rows; y += 1) {
    const line = y % 3 === 2 ? 0.35 : 1;
    for (let x = 0; x < width; x += 1) {
      const from = (Math.floor(y / 3) * pixelsAcross + Math.floor(x / 3)) * 3;
      for (let k = 0; k < 3; k += 1) {
        const stripe = x % 3 === k ? 1 : 0.55;
        data[(y * width + x) * 3 + k] = Math.min(255, (pixels.data[from + k] as number) * line * stripe * 1.7);
      }
    }
  }
  return { width, height: rows, data };
}

/**
 * A screen whose pixels are too fine for the camera: the camera shows only their beat with its own pixels, as bands of
 * colour that bend with the perspective.
 */
function withBands({ width, height, data }: Raster, random: Random): Raster {
  const pixels = Uint8Array.from(data);
  const angle = within(random, 0, Math.PI);
  const waves = (2 * Math.PI) / within(random, 18, 60);
  const [bendX, bendY] = [within(random, -0.25, 0.25), within(random, -0.25, 0.25)];
  const strength = within(random, 0.03, 0.08);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [u, v] = [x - width / 2, y - height / 2];
      const along = u * Math.cos(angle) + v * Math.sin(angle) + (bendX * u * u) / width + (bendY * v * v) / height;
      for (let k = 0; k < 3; k += 1) {
        const band = 1 + strength * Math.cos(along * waves + (2 * Math.PI * k) / 3);
        const at = (y * width + x) * 3 + k;
        pixels[at] = Math.min(255, Math.round((data[at] as number) * band));
      }
    }
  }
  return { width, height, data: pixels };
}

/** Dots of cyan, magenta and yellow in screens at 15, 75 and 0 degrees, `pitch` pixels apart. */
function halftone(document: Raster, pitch: number): Raster {
  const scale = 2;
  const [width, height] = [document.width * scale, document.height * scale];
  const large = resize(document, width, height);
  const screens = [15, 75, 0].map((degrees) => (degrees * Math.PI) / 180);
  const data = new Uint8Array(large.data.length);
  const wave = (2 * Math.PI) / (pitch * scale);
  for (let k = 0; k < 3; k += 1) {
    const [cosine, sine] = [Math.cos(screens[k] as number), Math.sin(screens[k] as number)];
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const u = (x * cosine + y * sine) * wave;
        const v = (y * cosine - x * sine) * wave;
        const threshold = 0.5 + 0.25 * (Math.cos(u) + Math.cos(v));
        const at = (y * width + x) * 3 + k;
        const ink = 1 - (large.data[at] as number) / 255;
        // Paper and ink are neither white nor black, and dots have soft edges.
        data[at] = 40 + 205 * Math.min(1, Math.max(0, 0.5 + (threshold - ink) * 3));
      }
    }
  }
  return { width, height, data };
}

/** A photograph glued on: its right and lower edge throw a thin shadow. */
function stickOn(document: Raster, area: DocumentArea, face: Raster): Raster {
  const data = Uint8Array.from(document.data);
  const { width, height } = document;
  const box = pixelsOf(area, document);
  const print = coverOf(face, box.width, box.height);
  for (let y = 0; y < box.height + 2; y += 1) {
    for (let x = 0; x < box.width + 2; x += 1) {
      const to = ((box.top + y) * width + box.left + x) * 3;
      if (box.top + y >= height || box.left + x >= width) continue;
      const inside = x < box.width && y < box.height;
      for (let k = 0; k < 3; k += 1) {
        data[to + k] = inside ? (print.data[(y * box.width + x) * 3 + k] as number) : (data[to + k] as number) * 0.62;
      }
    }
  }
  return { width, height, data };
}

/** Another face put into the finished photograph, and saved again; with care, its noise and its edges are matched. */
async function pasteInto(
  photo: { jpeg: Buffer; quad: Quad },
  area: DocumentArea,
  face: Raster,
  care: { how: Photograph; random: Random } | undefined,
): Promise<{ jpeg: Buffer; quad: Quad }> {
  const { width, height, data } = await decodeImage(photo.jpeg);
  const out = Uint8Array.from(data);
  const toDocument = homography(photo.quad, rectangle(1, 1));
  const print = coverOf(face, 300, Math.round((300 * area.height * 0.68) / area.width));
  const light = care ? { gain: care.how.light ?? 1, tint: care.how.tint ?? [1, 1, 1] } : { gain: 1, tint: [1, 1, 1] };
  const xs = photo.quad.map(({ x }) => x);
  const ys = photo.quad.map(({ y }) => y);
  for (let y = Math.max(0, Math.floor(Math.min(...ys))); y < Math.min(height, Math.max(...ys)); y += 1) {
    for (let x = Math.max(0, Math.floor(Math.min(...xs))); x < Math.min(width, Math.max(...xs)); x += 1) {
      const on = apply(toDocument, { x, y });
      const u = (on.x - area.x) / area.width;
      const v = (on.y - area.y) / area.height;
      if (u < 0 || v < 0 || u >= 1 || v >= 1) continue;
      const share = care ? Math.min(1, Math.min(u, v, 1 - u, 1 - v) / 0.04) : 1;
      for (let k = 0; k < 3; k += 1) {
        const value =
          sample(print, u * (print.width - 1), v * (print.height - 1), k) * light.gain * (light.tint[k] as number);
        const grain = care ? noise(care.random) * (care.how.noise ?? 0) : 0;
        const to = (y * width + x) * 3 + k;
        out[to] = Math.min(255, Math.max(0, value * share + (out[to] as number) * (1 - share) + grain * share));
      }
    }
  }
  const jpeg = await sharp(out, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
  return { jpeg, quad: photo.quad };
}

function sample({ width, data }: Raster, x: number, y: number, k: number): number {
  const [x0, y0] = [Math.floor(x), Math.floor(y)];
  const [fx, fy] = [x - x0, y - y0];
  const value = (dx: number, dy: number): number =>
    (data[((y0 + dy) * width + x0 + dx) * 3 + k] as number | undefined) ?? 0;
  return (value(0, 0) * (1 - fx) + value(1, 0) * fx) * (1 - fy) + (value(0, 1) * (1 - fx) + value(1, 1) * fx) * fy;
}

function pixelsOf(area: DocumentArea, { width, height }: Raster) {
  return {
    left: Math.round(area.x * width),
    top: Math.round(area.y * height),
    width: Math.round(area.width * width),
    height: Math.round(area.height * height),
  };
}

/** Cuts the middle of a picture to another aspect ratio. */
function coverOf(face: Raster, width: number, height: number): Raster {
  const scale = Math.min(face.width / width, face.height / height);
  const [across, down] = [width * scale, height * scale];
  const [left, top] = [(face.width - across) / 2, (face.height - down) / 2];
  return warp(
    face,
    [
      { x: left, y: top },
      { x: left + across, y: top },
      { x: left + across, y: top + down },
      { x: left, y: top + down },
    ],
    { width, height },
  );
}
