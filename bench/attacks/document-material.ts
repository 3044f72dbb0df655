import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import sharp from 'sharp';
import type { DocumentArea } from '../../packages/vision/src/attacks/attacks.ts';
import { findPortrait } from '../../packages/vision/src/faces/find-portrait.ts';
import type { Raster } from '../../packages/vision/src/images/raster.ts';
import { loadModels } from '../../packages/vision/src/models.ts';
import { drawDocument, type ZoneChange } from '../../packages/vision/src/specimens/draw-document.ts';
import { everydayPhotograph } from '../../packages/vision/src/specimens/make-specimen.ts';
import { pastePortrait } from '../../packages/vision/src/specimens/paste-portrait.ts';
import { inventPerson, type Person } from '../../packages/vision/src/specimens/person.ts';
import type { Photograph } from '../../packages/vision/src/specimens/photograph.ts';
import { seeded, within } from '../../packages/vision/src/specimens/random.ts';
import { AUDREY, CONNERY, FRANCK, picture } from '../../packages/vision/test/pictures.ts';

/** A document seen from straight above, as a forger has it. */
export type FlatDocument = { readonly image: Raster; readonly portraitArea?: DocumentArea };
export type DocumentMaterial = {
  /** The document with this number, from a folder or drawn by us. */
  flat(at: number): Promise<FlatDocument>;
  /** The file of the document, if it is not drawn by us. */
  nameOf(at: number): string | undefined;
  /** The unchanged picture in that file, as a JPEG. */
  original(at: number): Promise<Buffer | undefined>;
  /** The number of different documents, if they are not drawn by us. */
  readonly count: number | undefined;
  /** A face to put over the portrait. */
  face(at: number): Promise<Raster>;
  /** A passport that we draw: print and zone can be changed only in these. */
  passport(at: number, change?: DocumentChange): Promise<FlatDocument>;
  /** An identity card that we draw: print and portrait on the front, the zone on the back. */
  card(at: number, change?: DocumentChange): Promise<{ readonly front: FlatDocument; readonly back: FlatDocument }>;
};
export type DocumentChange = { readonly person?: Partial<Person>; readonly zone?: ZoneChange };

const WIDTH = 1250;
const FACE_WIDTH = 600;
const MAX_FILES = 500;
/** The size of a portrait photograph around a face, in widths and heights of the face. */
const [PHOTO_WIDTH, PHOTO_HEIGHT] = [1.6, 1.55];
const MIN_FACE_HEIGHT = 70;
/** Pages whose ratio of height to width is not that of a document in landscape are left out. */
const [FLATTEST, HIGHEST] = [0.5, 0.85];

export type MaterialOptions = {
  readonly today: string;
  readonly seed: number;
  /** A folder of pictures of documents, taken from straight above. */
  readonly documents?: string | undefined;
  /** A folder of portraits. */
  readonly faces?: string | undefined;
  /** The portrait in every passport that we draw; it is also pasted over others. */
  readonly holder?: Buffer | undefined;
};

export async function openMaterial({
  today,
  seed,
  documents,
  faces,
  holder,
}: MaterialOptions): Promise<DocumentMaterial> {
  const portraits = faces
    ? filesIn(faces).map((file) => () => readFileSync(file))
    : OWN_FACES.map((name) => () => picture(name));
  const portraitAt = (at: number): Buffer => holder ?? (portraits[at % portraits.length] as () => Buffer)();
  const front = async (kind: 'passport' | 'idCard', at: number, { person: changed, zone }: DocumentChange) => {
    const random = seeded(seed + at);
    const person = { ...inventPerson(random, today), ...changed };
    const { image, portrait } = drawDocument(kind, 'front', person, random, zone);
    if (!portrait) throw new Error(`a ${kind} has a portrait`);
    await pastePortrait(image, portrait, portraitAt(at));
    const { left, top, width, height } = portrait;
    const portraitArea = {
      x: left / image.width,
      y: top / image.height,
      width: width / image.width,
      height: height / image.height,
    };
    return { image, portraitArea };
  };
  const passport: DocumentMaterial['passport'] = (at, change = {}) => front('passport', at, change);
  const card: DocumentMaterial['card'] = async (at, change = {}) => {
    const random = seeded(seed + at);
    const person = { ...inventPerson(random, today), ...change.person };
    return {
      front: await front('idCard', at, change),
      back: { image: drawDocument('idCard', 'back', person, random, change.zone).image },
    };
  };
  const public_ = documents ? await flatDocuments(documents) : [];
  return {
    passport,
    card,
    flat: (at) => public_[at % public_.length]?.load() ?? passport(at),
    nameOf: (at) => public_[at % public_.length]?.name,
    original: async (at) => public_[at % public_.length]?.original(),
    count: public_.length || undefined,
    face: (at) => rasterOf(holder ?? portraitAt(at + 1), FACE_WIDTH),
  };
}

const OWN_FACES = [AUDREY, CONNERY, FRANCK] as const;

export function personAt(at: number, { today, seed }: Pick<MaterialOptions, 'today' | 'seed'>): Person {
  return inventPerson(seeded(seed + at), today);
}

function filesIn(folder: string): string[] {
  const files = globSync(`${folder}/*.{jpg,jpeg,png}`).sort().slice(0, MAX_FILES);
  if (files.length === 0) throw new Error(`there is no picture in ${folder}`);
  return files;
}

type PublicDocument = { readonly name: string; load(): Promise<FlatDocument>; original(): Promise<Buffer> };

async function flatDocuments(folder: string): Promise<PublicDocument[]> {
  const { detect } = await loadModels(['detect']);
  const documents: PublicDocument[] = [];
  for (const file of filesIn(folder)) {
    const { width, height } = await sharp(file).metadata();
    if (height < FLATTEST * width || height > HIGHEST * width) continue;
    const load = async () => {
      const image = await rasterOf(readFileSync(file), WIDTH);
      const face = await findPortrait(image, detect);
      return face && face.height >= MIN_FACE_HEIGHT
        ? { image, portraitArea: photographAround(face, image) }
        : { image };
    };
    const original = async () => {
      const bytes = readFileSync(file);
      const isJpeg = /\.jpe?g$/i.test(file);
      return isJpeg ? bytes : sharp(bytes).flatten({ background: '#ffffff' }).jpeg({ quality: 95 }).toBuffer();
    };
    documents.push({ name: basename(file), load, original });
  }
  return documents;
}

function photographAround(face: DocumentArea, { width, height }: Raster): DocumentArea {
  const [across, down] = [face.width * PHOTO_WIDTH, face.height * PHOTO_HEIGHT];
  const x = Math.max(0, face.x + face.width / 2 - across / 2);
  const y = Math.max(0, face.y + face.height / 2 - down / 2);
  return {
    x: x / width,
    y: y / height,
    width: Math.min(across, width - x) / width,
    height: Math.min(down, height - y) / height,
  };
}

async function rasterOf(bytes: Buffer, width: number): Promise<Raster> {
  const { data, info } = await sharp(bytes)
    .autoOrient()
    .resize({ width })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data) };
}

/** The way in which a telephone photographs a document on a table. */
export function howOf(seed: number): Photograph {
  const random = seeded(seed);
  const tint = [within(random, 0.95, 1.1), 1, within(random, 0.72, 1.05)] as const;
  const { tilt = 0, yaw = 0, ...rest } = everydayPhotograph(random);
  const noise = within(random, 1.5, 4);
  // No lens is sharper: with less than 0.6, the drawn pixels would stay visible.
  const blur = within(random, 0.6, 1);
  return {
    ...rest,
    tint,
    noise,
    blur,
    tilt: tilt / 2,
    yaw: yaw / 2,
    share: 0.8,
    quality: Math.round(within(random, 78, 93)),
  };
}
