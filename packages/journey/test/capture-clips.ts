import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSpecimen, type SpecimenOrder } from '@grove/vision';
import sharp from 'sharp';
import { oncePerRun } from '../../../scripts/once-per-run.ts';
import { ALL_MOMENTS, AT_REST, nameOf, openRecording, SHOWN } from '../../vision/test/recording.ts';
import type { Acting } from './capture-camera.ts';

/** What the fake camera shows: JPEG pictures one after the other, made when a test needs them. */
const SIZE = { width: 1280, height: 720 } as const;
/** Of the width. Fills the frame on a phone that is held upright. */
const SHARE = 0.47;
/** A camera leaves paper a little below white. */
const LIGHT = 0.8;

export async function specimenPicture(order: Partial<SpecimenOrder> = {}): Promise<Buffer> {
  const { jpeg } = await makeSpecimen({
    ...{ kind: 'idCard', side: 'front', seed: 7 },
    ...order,
    photograph: { size: SIZE, share: SHARE, light: LIGHT, ...order.photograph },
  });
  return jpeg;
}

export function writeClip(folder: string, name: string, pictures: readonly Buffer[]): string {
  const file = join(folder, `${name}.mjpeg`);
  // One picture alone is not taken for a film.
  writeFileSync(file, Buffer.concat([...pictures, ...(pictures.length === 1 ? pictures : [])]));
  return file;
}

/** Pictures of a head by name; those at rest, and for each movement the takes that show it. */
export type Head = { pictures: Record<string, Buffer>; acting: Acting };

export function headPictures(): Promise<Head> {
  return oncePerRun('head-pictures', makeHeadPictures);
}

async function makeHeadPictures(): Promise<Head> {
  const recording = await openRecording();
  const frames = ALL_MOMENTS.map(recording.at);
  // As large as the least that a camera gives.
  const enlarge = (frame: Buffer) => sharp(frame).resize(800, 600).jpeg({ quality: 92 }).toBuffer();
  const enlarged = await Promise.all(frames.map(enlarge));
  const named = ALL_MOMENTS.map((moment, at) => [nameOf(moment), enlarged[at] as Buffer] as const);
  const takes = Object.entries(SHOWN).map(
    ([movement, all]) => [movement, all.map((take) => take.map(nameOf))] as const,
  );
  const rest = AT_REST.map(nameOf);
  const pictures = Object.fromEntries(named);
  return {
    pictures: { ...pictures, centre: pictures[rest[0] as string] as Buffer },
    acting: { rest, takes: Object.fromEntries(takes) },
  };
}
