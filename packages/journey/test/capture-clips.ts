import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSpecimen, type SpecimenOrder } from '@grove/vision';
import sharp from 'sharp';
import { oncePerRun } from '../../../scripts/once-per-run.ts';
import { ALL_MOMENTS, AT_REST, nameOf, openRecording, SHOWN } from '../../vision/test/recording.ts';
import type { Acting } from './capture-camera.ts';

/** The films of the fake camera: JPEG pictures one after the other, made when a test needs them. */
const SIZE = { width: 1280, height: 720 } as const;
/** A share of the width that fills the frame on a phone held upright. */
const SHARE = 0.47;
/** A camera leaves paper a little below white. */
const LIGHT = 0.8;

export async function specimenPicture(order: Partial<SpecimenOrder> = {}): Promise<Buffer> {
  const { jpeg } = await makeSpecimen({
    kind: 'idCard',
    side: 'front',
    seed: 7,
    ...order,
    photograph: { size: SIZE, share: SHARE, light: LIGHT, ...order.photograph },
  });
  return jpeg;
}

export function writeClip(folder: string, name: string, pictures: readonly Buffer[]): string {
  const file = join(folder, `${name}.mjpeg`);
  // A film needs two pictures at least.
  writeFileSync(file, Buffer.concat([...pictures, ...(pictures.length === 1 ? pictures : [])]));
  return file;
}

/** The frames per second: the page looks no more often, and each further frame would be drawn in vain. */
const STILL_RATE = 10;

/** Writes one picture as an uncompressed film. */
export async function writeStill(folder: string, name: string, picture: Buffer): Promise<string> {
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const frame = Buffer.concat([Buffer.from('FRAME\n'), toI420(data, width, height)]);
  const file = join(folder, `${name}.y4m`);
  const head = `YUV4MPEG2 W${width} H${height} F${STILL_RATE}:1 Ip A1:1 C420jpeg\n`;
  // A film needs two pictures at least.
  writeFileSync(file, Buffer.concat([Buffer.from(head), frame, frame]));
  return file;
}

/** Converts a picture with an even width and height (ITU-R BT.601). */
function toI420(rgb: Uint8Array, width: number, height: number): Buffer {
  const luma = width * height;
  const planes = Buffer.alloc(luma * 1.5);
  for (let at = 0; at < luma; at += 1) {
    const [r, g, b] = [rgb[at * 3] as number, rgb[at * 3 + 1] as number, rgb[at * 3 + 2] as number];
    planes[at] = 16.5 + 0.257 * r + 0.504 * g + 0.098 * b;
    const x = at % width;
    const y = (at - x) / width;
    if (x % 2 !== 0 || y % 2 !== 0) continue;
    const chroma = luma + (y / 2) * (width / 2) + x / 2;
    planes[chroma] = 128.5 - 0.148 * r - 0.291 * g + 0.439 * b;
    planes[chroma + luma / 4] = 128.5 + 0.439 * r - 0.368 * g - 0.071 * b;
  }
  return planes;
}

/** Pictures of a head by name: those at rest, and the takes of each movement. */
export type Head = { pictures: Record<string, Buffer>; acting: Acting };

export function headPictures(): Promise<Head> {
  return oncePerRun('head-pictures', makeHeadPictures);
}

async function makeHeadPictures(): Promise<Head> {
  const recording = await openRecording();
  const frames = ALL_MOMENTS.map(recording.at);
  // The smallest size that a camera has.
  const enlarge = (frame: Buffer) => sharp(frame).resize(800, 600).jpeg({ quality: 92 }).toBuffer();
  const enlarged = await Promise.all(frames.map(enlarge));
  const namedPictures = ALL_MOMENTS.map((moment, at) => [nameOf(moment), enlarged[at] as Buffer] as const);
  const takes = Object.entries(SHOWN).map(
    ([movement, all]) => [movement, all.map((take) => take.map(nameOf))] as const,
  );
  const rest = AT_REST.map(nameOf);
  const pictures = Object.fromEntries(namedPictures);
  return {
    pictures: { ...pictures, centre: pictures[rest[0] as string] as Buffer },
    acting: { rest, takes: Object.fromEntries(takes) },
  };
}
