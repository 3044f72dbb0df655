import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Movement, openVision, roleAtStart, type VisionEngine } from '@grove/vision';
import sharp from 'sharp';
import { AUDREY, CONNERY, FRANCK, picture } from '../../packages/vision/test/pictures.ts';
import { AT_REST, type Moment, openRecording, PORTRAIT_AT, SHOWN } from '../../packages/vision/test/recording.ts';
import { type Film, findFilms } from './films.ts';
import type { Still } from './still.ts';

/** The material of an attacker, and recordings of people who follow the instructions, for comparison. */
export type Faces = {
  /** Photographs of victims. */
  readonly stills: readonly Still[];
  /** The same, as small as the portrait on a card, and enlarged again. */
  readonly portraits: readonly Still[];
  /** Three photographs of one victim: turned to one side, straight ahead, turned to the other. */
  readonly turned: readonly Still[];
  /** Three photographs of one victim, straight ahead, taken at different times. */
  readonly albums: readonly (readonly Still[])[];
  /** Frames at rest of the person in the first of the films. */
  readonly resting: readonly Still[];
  readonly films: readonly Film[];
};

/** Faces of more than a hundred pixels: as large as those of a challenge, and rendered in half the time of 400. */
const SIDE = 288;
const PORTRAIT_SIDE = 150;
const MAX_FACES = 200;

export type FaceFolders = {
  /** A folder of photographs with one face each. */
  readonly faces?: string | undefined;
  /** A folder of folders, each with the frames of a recording as numbered JPEGs, twelve a second. */
  readonly films?: string | undefined;
  /** A folder of folders, each with photographs of one person. */
  readonly albums?: string | undefined;
};

/** Opens the material in the folders, or that of a development dependency. */
export async function openFaces({ faces, films, albums }: FaceFolders): Promise<Faces> {
  const recording = await openRecording();
  const own = [...[AUDREY, CONNERY, FRANCK].map(picture), recording.at(PORTRAIT_AT)];
  const vision = await openVision({ workers: 1 });
  try {
    const photographs = faces ? readPhotographs(faces) : own;
    const moments = (...list: readonly (Moment | undefined)[]) =>
      toStills(
        vision,
        list.flatMap((moment) => (moment ? [recording.at(moment)] : [])),
        { anyPose: true },
      );
    const stills = await toStills(vision, photographs);
    if (stills.length === 0) throw new Error('there is no face in these photographs');
    const first = {
      name: 'test recording',
      omit: [],
      shows: new Set(Object.keys(SHOWN) as Movement[]),
      actor: recording.actor,
    };
    return {
      stills,
      portraits: await toStills(vision, await Promise.all(photographs.map(shrink))),
      turned: await moments(SHOWN.left[0]?.[2], AT_REST[0], SHOWN.right[0]?.[2]),
      albums: albums ? await findAlbums(vision, albums) : [await moments(AT_REST[0], AT_REST[5], AT_REST[8])],
      resting: await moments(...AT_REST.slice(0, 12)),
      films: films ? await findFilms(vision, films) : [first],
    };
  } finally {
    await vision.stop();
  }
}

const PHOTOGRAPHS_OF_ALBUM = 3;
const MAX_ALBUMS = 100;
/** The largest angle of a head that looks straight ahead. */
const AHEAD_DEGREES = 12;

async function findAlbums(vision: VisionEngine, folder: string): Promise<Still[][]> {
  const albums: Still[][] = [];
  for (const person of readdirSync(folder)) {
    const files = readPhotographs(join(folder, person));
    if (files.length < PHOTOGRAPHS_OF_ALBUM) continue;
    const ahead = (await toStills(vision, files.slice(0, 2 * PHOTOGRAPHS_OF_ALBUM))).filter(
      ({ turned = 0 }) => Math.abs(turned) <= AHEAD_DEGREES,
    );
    if (ahead.length >= PHOTOGRAPHS_OF_ALBUM) albums.push(ahead.slice(0, PHOTOGRAPHS_OF_ALBUM));
    if (albums.length === MAX_ALBUMS) break;
  }
  return albums;
}

function readPhotographs(folder: string): Buffer[] {
  const files = readdirSync(folder).filter((file) => /\.jpe?g$/i.test(file));
  return files.slice(0, MAX_FACES).map((file) => readFileSync(join(folder, file)));
}

function shrink(photograph: Buffer): Promise<Buffer> {
  return sharp(photograph)
    .rotate()
    .resize(PORTRAIT_SIDE, PORTRAIT_SIDE, { fit: 'inside' })
    .jpeg({ quality: 80 })
    .toBuffer();
}

/** Leaves out photographs that the first instruction would refuse, unless `anyPose` is set. No attacker would use them. */
async function toStills(
  vision: VisionEngine,
  photographs: readonly Buffer[],
  { anyPose = false } = {},
): Promise<Still[]> {
  const stills: Still[] = [];
  for (const photograph of photographs) {
    const resized = sharp(photograph).rotate().resize(SIDE, SIDE, { fit: 'inside' }).removeAlpha();
    const { data, info } = await resized.raw().toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    const jpeg = await sharp(data, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 95 })
      .toBuffer();
    const observation = await vision.observeFace(jpeg);
    if ('points' in observation && (anyPose || roleAtStart(observation).role === 'centre'))
      stills.push({ width, height, data, points: observation.points, turned: observation.yaw });
  }
  return stills;
}
