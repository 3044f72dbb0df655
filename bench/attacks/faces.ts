import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openVision } from '@grove/vision';
import sharp from 'sharp';
import { AUDREY, CONNERY, FRANCK, picture } from '../../packages/vision/test/pictures.ts';
import { openRecording, PORTRAIT_AT, type Recording } from '../../packages/vision/test/recording.ts';
import type { Still } from './render-head.ts';

/** The material of an attacker: photographs of victims. And a recording of somebody who moves, for comparison. */
export type Faces = { readonly stills: readonly Still[]; readonly recording: Recording };

const SIDE = 480;
const MAX_FACES = 200;

/** Photographs of a folder, or those that a development dependency carries. */
export async function openFaces(folder: string | undefined): Promise<Faces> {
  const recording = await openRecording();
  const own = [AUDREY, CONNERY, FRANCK].map(picture);
  const photographs = folder
    ? readdirSync(folder)
        .filter((file) => /\.jpe?g$/i.test(file))
        .slice(0, MAX_FACES)
        .map((file) => readFileSync(join(folder, file)))
    : [...own, recording.at(PORTRAIT_AT)];
  const vision = await openVision({ workers: 1 });
  const stills: Still[] = [];
  try {
    for (const photograph of photographs) {
      const resized = sharp(photograph).rotate().resize(SIDE, SIDE, { fit: 'inside' }).removeAlpha();
      const { data, info } = await resized.raw().toBuffer({ resolveWithObject: true });
      const { width, height } = info;
      const jpeg = await sharp(data, { raw: { width, height, channels: 3 } })
        .jpeg({ quality: 95 })
        .toBuffer();
      const seen = await vision.observeFace(jpeg);
      if ('points' in seen) stills.push({ width, height, data, points: seen.points, turned: 0 });
    }
  } finally {
    await vision.stop();
  }
  if (stills.length === 0) throw new Error('there is no face in these photographs');
  return { stills, recording };
}
