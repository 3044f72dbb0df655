import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSpecimen, type SpecimenOrder } from '@grove/vision';
import sharp from 'sharp';
import { recordedFrames } from '../../vision/test/recording.ts';

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

/** Seconds of the recording in which somebody looks ahead, turns and nods: the way to each pose, from the middle. */
export const HEAD = {
  centre: 18.6,
  left: [19.4, 19.6, 19.8, 20.0],
  right: [20.8, 21.0, 21.2, 21.4],
  down: [22.2, 22.4, 22.6, 22.8, 23.2],
  up: [23.8, 24.0, 24.2, 24.4, 24.6],
} as const;

type Turn = Exclude<keyof typeof HEAD, 'centre'>;
const TURNS: readonly Turn[] = ['left', 'right', 'down', 'up'];

/** Pictures of a head by name, and the names that lead to each pose. */
export type Head = { pictures: Record<string, Buffer>; ways: Record<string, string[]> };

export async function headPictures(): Promise<Head> {
  const names = ['centre', ...TURNS.flatMap((turn) => HEAD[turn].map((_, at) => `${turn}${at}`))];
  const seconds = [HEAD.centre, ...TURNS.flatMap((turn) => HEAD[turn])];
  const frames = await recordedFrames(seconds);
  // As large as the least that a camera gives.
  const enlarged = await Promise.all(
    frames.map((frame) => sharp(frame).resize(800, 600).jpeg({ quality: 92 }).toBuffer()),
  );
  return {
    pictures: Object.fromEntries(names.map((name, at) => [name, enlarged[at] as Buffer])),
    ways: Object.fromEntries(TURNS.map((turn) => [turn, HEAD[turn].map((_, at) => `${turn}${at}`)])),
  };
}
