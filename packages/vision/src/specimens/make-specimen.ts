import type { Quad } from '../images/geometry.ts';
import { drawDocument, type Side, SPECIMEN_KINDS, type SpecimenKind, type ZoneChange } from './draw-document.ts';
import { pastePortrait } from './paste-portrait.ts';
import { inventPerson, type Person } from './person.ts';
import { type Photograph, photograph } from './photograph.ts';
import { type Random, seeded, within } from './random.ts';

export type SpecimenOrder = {
  readonly kind: SpecimenKind;
  readonly side?: Side;
  readonly seed: number;
  /** The day of the examination, YYYY-MM-DD, on which it is valid. */
  readonly today?: string;
  readonly person?: Partial<Person>;
  /** A picture of a face instead of the drawn one; its middle is shown. */
  readonly portrait?: Uint8Array;
  readonly photograph?: Photograph;
  /** How the zone differs from the print, for forgeries. */
  readonly zoneChange?: ZoneChange;
  /** A second document beside the first. */
  readonly twice?: boolean;
};

export type Specimen = {
  readonly jpeg: Buffer;
  readonly kind: SpecimenKind;
  readonly side: Side;
  readonly person: Person;
  readonly mrz?: readonly string[];
  readonly barcode?: string;
  /** The corners of the document in the picture, before quarter turns. */
  readonly quads: readonly Quad[];
};

/** Draws and photographs a document of Utopia. The same order gives the same picture. */
export async function makeSpecimen(order: SpecimenOrder): Promise<Specimen> {
  const random = seeded(order.seed);
  const side = order.side ?? (order.kind === 'idCard' || order.kind === 'licence' ? 'back' : 'front');
  const person = { ...inventPerson(random, order.today ?? '2026-01-01'), ...order.person };
  const document = drawDocument(order.kind, side, person, random, order.zoneChange);
  if (order.portrait && document.portrait) await pastePortrait(document.image, document.portrait, order.portrait);
  const images = order.twice
    ? [document.image, drawDocument(order.kind, side, inventPerson(random, '2026-01-01'), random).image]
    : [document.image];
  const { jpeg, quads } = await photograph(images, order.photograph ?? {}, random);
  return {
    jpeg,
    kind: order.kind,
    side,
    person,
    ...(document.mrz ? { mrz: document.mrz } : {}),
    ...(document.barcode ? { barcode: document.barcode } : {}),
    quads,
  };
}

/** The conditions of an everyday photograph: rotated up to 20°, seen from up to 15° aside, a little blur and noise. */
export function everydayPhotograph(random: Random): Photograph {
  return {
    tilt: within(random, -20, 20),
    yaw: within(random, -15, 15),
    pitch: within(random, -15, 15),
    share: within(random, 0.62, 0.8),
    blur: within(random, 0, 0.9),
    noise: within(random, 0, 6),
    light: within(random, 0.75, 1.1),
    quality: Math.round(within(random, 70, 95)),
  };
}

/** Orders for `count` documents with a machine readable zone, photographed as people do. */
export function everydayOrders(count: number, seed: number): SpecimenOrder[] {
  const random = seeded(seed);
  const kinds = SPECIMEN_KINDS.filter((kind) => kind !== 'licence');
  return Array.from({ length: count }, (_, i) => ({
    kind: kinds[i % kinds.length] as SpecimenKind,
    seed: Math.floor(random() * 2 ** 31),
    photograph: everydayPhotograph(random),
  }));
}
