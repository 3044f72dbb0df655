import sharp from 'sharp';
import { apply, homography, type Quad, rectangle } from '../../packages/vision/src/images/geometry.ts';
import { decodeImage, type Raster } from '../../packages/vision/src/images/raster.ts';
import { weightAt } from '../../packages/vision/src/mrz/check-digit.ts';
import type { Colour } from '../../packages/vision/src/specimens/canvas.ts';
import type { RewrittenZone } from '../../packages/vision/src/specimens/draw-document.ts';
import type { Person } from '../../packages/vision/src/specimens/person.ts';
import { photograph } from '../../packages/vision/src/specimens/photograph.ts';
import { seeded } from '../../packages/vision/src/specimens/random.ts';
import { type DocumentChange, type DocumentMaterial, howOf } from './document-material.ts';

/**
 * Forgers who change the number of a passport in the print and in the zone: two of its digits, chosen so that every check
 * digit stays right. The print is assumed to be flawless; only the zone has traces.
 */

const PENS: readonly Colour[] = [
  [30, 50, 150],
  [20, 110, 50],
  [170, 30, 40],
  [90, 30, 130],
  [20, 28, 80],
];
const PRINT_INK: Colour = [24, 24, 28];
const FLUID: Colour = [252, 252, 250];

/** Digits that are written with a pen over the printed ones, which may be rubbed out before. */
export function inkedZone(holder: Person, at: number, erased: number): DocumentChange {
  const ink = PENS[at % PENS.length] as Colour;
  return rewrittenZone(holder, at, { ink, strength: 0.7 + 0.1 * (at % 4), erased });
}

/** Digits that are covered with correction fluid and printed anew. */
export function coveredZone(holder: Person, at: number): DocumentChange {
  return rewrittenZone(holder, at, { ink: PRINT_INK, strength: 1, cover: FLUID });
}

function rewrittenZone(holder: Person, at: number, how: Omit<RewrittenZone, 'printedFor'>): DocumentChange {
  const [documentNumber = holder.documentNumber] = formerNumbers(holder.documentNumber, at);
  return { zone: { rewritten: { printedFor: { documentNumber }, ...how } } };
}

/** For each digit, those whose strokes it nearly contains, so that a pen must add few strokes. */
const PARTS: Readonly<Record<string, string>> = { 8: '0369', 4: '1', 6: '5', 9: '5', 7: '1' };

/** Numbers that differ in two digits and have the same check digit. Those that need the fewest strokes come first. */
function formerNumbers(number: string, at: number): string[] {
  const random = seeded(at + 77);
  const digits = [...number].flatMap((character, place) => (/\d/.test(character) ? [place] : []));
  const changes = digits.flatMap((place) =>
    [...'0123456789'].filter((digit) => digit !== number[place]).map((digit) => ({ place, digit })),
  );
  const step = ({ place, digit }: { place: number; digit: string }) =>
    weightAt(place) * (Number(digit) - Number(number[place]));
  const ease = ({ place, digit }: { place: number; digit: string }) =>
    PARTS[number[place] as string]?.includes(digit) ? 1 : 0;
  const numbers = changes.flatMap((one) =>
    changes.flatMap((other) => {
      if (one.place >= other.place || (step(one) + step(other)) % 10 !== 0) return [];
      const characters = [...number];
      characters[one.place] = one.digit;
      characters[other.place] = other.digit;
      return [{ number: characters.join(''), ease: ease(one) + ease(other) + random() / 2 }];
    }),
  );
  return numbers.sort((one, other) => other.ease - one.ease).map((each) => each.number);
}

/** The page of a passport that we draw, and the cells of the second line of its zone, in millimetres. */
const PAGE = { width: 125, height: 88 };
const CELL = { left: 7.82, centre: 80.6, pitch: 2.54, width: 2.4, height: 3.6 };

type Copy = { readonly from: number; readonly to: number };

/** Copies digits of the line over two others in the finished photograph; undefined if the line has no suitable digits. */
export function copiedZone(material: DocumentMaterial, holder: Person, at: number, seed: number) {
  const { documentNumber: target, birthDate, expiryDate } = holder;
  const lineOf = (number: string) =>
    `${number}?UTO${birthDate.slice(2).replaceAll('-', '')}?M${expiryDate.slice(2).replaceAll('-', '')}`;
  for (const former of formerNumbers(target, at)) {
    const line = lineOf(former);
    const copies = [...target].flatMap((character, to): Copy[] => {
      if (character === former[to]) return [];
      return [{ to, from: [...line].findIndex((other, place) => other === character && place !== to) }];
    });
    if (copies.every(({ from }) => from >= 0)) return shootCopies(material, former, copies, at, seed);
  }
  return undefined;
}

/** Exchanges two digits of the number in the finished photograph. They are three places apart, so their weight is equal. */
export function exchangedZone(material: DocumentMaterial, { documentNumber }: Person, at: number, seed: number) {
  const places = [...documentNumber].flatMap((digit, one) => {
    const other = documentNumber[one + 3];
    return /\d/.test(digit) && other !== undefined && /\d/.test(other) && digit !== other ? [one] : [];
  });
  const one = places[at % places.length];
  if (one === undefined) return undefined;
  const former = [...documentNumber];
  [former[one], former[one + 3]] = [documentNumber[one + 3] as string, documentNumber[one] as string];
  const copies: Copy[] = [
    { from: one, to: one + 3 },
    { from: one + 3, to: one },
  ];
  return shootCopies(material, former.join(''), copies, at, seed);
}

/** The photograph of a passport whose zone was printed for another number, with its digits copied, and saved again. */
async function shootCopies(
  material: DocumentMaterial,
  documentNumber: string,
  copies: readonly Copy[],
  at: number,
  seed: number,
): Promise<Buffer> {
  const { image } = await material.passport(at, { zone: { person: { documentNumber } } });
  const { jpeg, quads } = await photograph([image], howOf(seed), seeded(seed));
  const photo = await decodeImage(jpeg);
  const changed = Uint8Array.from(photo.data);
  for (const copy of copies) copyCell(photo, changed, quads[0] as Quad, copy, at % 2 === 0 ? 0 : 2);
  const { width, height } = photo;
  return sharp(changed, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
}

/** Copies a cell by whole pixels, with edges as soft as `softness` pixels. */
function copyCell(
  { width, height, data }: Raster,
  changed: Uint8Array,
  quad: Quad,
  { from, to }: Copy,
  softness: number,
): void {
  const map = homography(rectangle(PAGE.width, PAGE.height), quad);
  const centreOf = (place: number) => apply(map, { x: CELL.left + place * CELL.pitch, y: CELL.centre });
  const [here, there] = [centreOf(to), centreOf(from)];
  const next = centreOf(to + 1);
  const pixelsPerMm = Math.hypot(next.x - here.x, next.y - here.y) / CELL.pitch;
  const [across, down] = [(CELL.width / 2) * pixelsPerMm, (CELL.height / 2) * pixelsPerMm];
  const shift = { x: Math.round(there.x - here.x), y: Math.round(there.y - here.y) };
  for (let y = Math.ceil(here.y - down); y <= here.y + down; y += 1) {
    for (let x = Math.ceil(here.x - across); x <= here.x + across; x += 1) {
      const [fromX, fromY] = [x + shift.x, y + shift.y];
      const isInside =
        [x, fromX].every((each) => each >= 0 && each < width) && [y, fromY].every((each) => each >= 0 && each < height);
      if (!isInside) continue;
      const edge = Math.min(across - Math.abs(x - here.x), down - Math.abs(y - here.y));
      const share = softness === 0 ? 1 : Math.min(1, edge / softness);
      for (let k = 0; k < 3; k += 1) {
        const at = (y * width + x) * 3 + k;
        const value = data[(fromY * width + fromX) * 3 + k] as number;
        changed[at] = value * share + (data[at] as number) * (1 - share);
      }
    }
  }
}
