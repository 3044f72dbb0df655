import sharp from 'sharp';
import { type Attack, renderAttack } from '../../packages/vision/src/attacks/attacks.ts';
import type { Raster } from '../../packages/vision/src/images/raster.ts';
import type { Person } from '../../packages/vision/src/specimens/person.ts';
import { type Photograph, photograph } from '../../packages/vision/src/specimens/photograph.ts';
import { type Random, seeded, within } from '../../packages/vision/src/specimens/random.ts';
import { type DocumentChange, type DocumentMaterial, type FlatDocument, howOf, personAt } from './document-material.ts';
import { copiedZone, coveredZone, exchangedZone, inkedZone } from './zone-forgeries.ts';

/** What an attacker presents instead of a genuine document of his own. */
export type DocumentKind = {
  readonly about: string;
  readonly picture: (material: DocumentMaterial, at: number, order: Order) => Promise<Picture | undefined>;
  /** The tenant refuses specimens: set only for the attack with a specimen. */
  readonly refusesSpecimens?: true;
  /** The parameters with the person whom the tenant expects. */
  readonly expects?: (holder: Person) => Record<string, string>;
};
/** The uploaded pictures: only the front, or both sides of a card. */
export type Picture = Buffer | { readonly front: Buffer; readonly back: Buffer };
export type Order = {
  readonly today: string;
  readonly seed: number;
  /** How many photographs of the document were taken before this one, each from elsewhere and in other light. */
  readonly shot?: number;
};

/** Further apart than the numbers of attempts, so that no photograph is that of another attempt. */
const BETWEEN_SHOTS = 100_000;
const shotSeed = ({ seed, shot = 0 }: Order, at: number): number => seed + at + shot * BETWEEN_SHOTS;

const rendered =
  (attack: Attack | 'genuine', lamp: Photograph = {}): DocumentKind['picture'] =>
  async (material, at, order) => {
    const { image, portraitArea } = await material.flat(at);
    const seed = shotSeed(order, at);
    const face = await material.face(at);
    const of = { ...(portraitArea && { portraitArea }), face };
    return (await renderAttack(attack, image, { ...howOf(seed), ...lamp }, seeded(seed), of))?.jpeg;
  };

/** A passport that we draw and whose zone and print differ. */
const changed =
  (change: (holder: Person, at: number, order: Order) => DocumentChange): DocumentKind['picture'] =>
  async (material, at, order) =>
    shoot(await material.passport(at, change(personAt(at, order), at, order)), shotSeed(order, at));

async function shoot({ image }: FlatDocument, seed: number): Promise<Buffer> {
  return (await photograph([image], howOf(seed), seeded(seed))).jpeg;
}

/** A card that we draw, attacked or not, whose zone and front may differ. */
const card =
  (
    attack: Attack | 'genuine',
    change: (holder: Person, at: number, order: Order) => DocumentChange = () => ({}),
  ): DocumentKind['picture'] =>
  async (material, at, order) => {
    const { front, back } = await material.card(at, change(personAt(at, order), at, order));
    const seed = shotSeed(order, at);
    const face = await material.face(at);
    const { portraitArea } = front;
    const of = { ...(portraitArea && { portraitArea }), face };
    const shot = await renderAttack(attack, front.image, howOf(seed), seeded(seed), of);
    // A copied card is copied on both sides; only the front has a portrait.
    const behind = attack.startsWith('paste') ? 'genuine' : attack;
    const other = await renderAttack(behind, back.image, howOf(seed + 1), seeded(seed + 1));
    return shot && other && { front: shot.jpeg, back: other.jpeg };
  };

/** One field of a person, a different one each time, changed as a forger would change it. */
function oneFieldOf(holder: Person, at: number, order: Order): Partial<Person> {
  const other = personAt(at + 5000, order);
  const year = (date: string, years: number) => `${Number(date.slice(0, 4)) + years}${date.slice(4)}`;
  const digit = (Number(holder.documentNumber.at(-2)) + 5) % 10;
  const number = `${holder.documentNumber.slice(0, -2)}${digit}${holder.documentNumber.at(-1)}`;
  const changes: readonly Partial<Person>[] = [
    { birthDate: year(holder.birthDate, 10) },
    { documentNumber: number },
    { expiryDate: year(holder.expiryDate, 2) },
    { surname: other.surname === holder.surname ? 'Quartermaine' : other.surname },
  ];
  return changes[at % changes.length] as Partial<Person>;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Replaces one random letter of a word by another one. */
function oneLetterOf(text: string, random: Random): string {
  const places = [...text].flatMap((character, at) => (/[A-Za-z]/.test(character) ? [at] : []));
  const place = places[Math.floor(random() * places.length)];
  if (place === undefined) return text;
  const others = [...LETTERS].filter((letter) => letter !== text[place]?.toUpperCase());
  return `${text.slice(0, place)}${others[Math.floor(random() * others.length)]}${text.slice(place + 1)}`;
}

/** One letter or digit of a person, in a different field each time. The changed dates exist. */
function oneCharacterOf(holder: Person, at: number): Partial<Person> {
  const random = seeded(at + 1);
  const { documentNumber: number } = holder;
  const digit = (value: string | undefined) => (Number(value) + 1 + Math.floor(random() * 9)) % 10;
  const place = 2 + Math.floor(random() * (number.length - 2));
  const dayBefore = (date: string) => `${date.slice(0, 9)}${date.endsWith('1') ? 2 : 1}`;
  const changes: readonly Partial<Person>[] = [
    { surname: oneLetterOf(holder.surname, random) },
    { givenNames: oneLetterOf(holder.givenNames, random) },
    { documentNumber: `${number.slice(0, place)}${digit(number[place])}${number.slice(place + 1)}` },
    { birthDate: dayBefore(holder.birthDate) },
    { expiryDate: dayBefore(holder.expiryDate) },
  ];
  return changes[at % changes.length] as Partial<Person>;
}

/** One letter of the names of a person, which no check digit covers. */
function oneLetterOfNames(holder: Person, at: number): Partial<Person> {
  const name = at % 2 === 0 ? 'surname' : 'givenNames';
  return { [name]: oneLetterOf(holder[name], seeded(at + 1)) };
}

/** A clear film over the document: a rim around it, and the soft reflection of a lamp, in which no pixel is clipped. */
function filmOver({ width, height, data }: Raster, random: Random): Raster {
  const rim = Math.round(0.03 * width);
  const [across, down] = [width + 2 * rim, height + 2 * rim];
  const film = new Uint8Array(across * down * 3).fill(205);
  const middle = within(random, 0.2, 0.8);
  const [breadth, strength] = [within(random, 0.04, 0.1), within(random, 0.15, 0.35)];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const apart = (x / width + 0.3 * (y / height) - middle) / breadth;
      const shine = 0.04 + strength * Math.exp(-apart * apart);
      for (let k = 0; k < 3; k += 1) {
        const value = data[(y * width + x) * 3 + k] as number;
        film[((y + rim) * across + x + rim) * 3 + k] = value + (245 - value) * shine;
      }
    }
  }
  return { width: across, height: down, data: film };
}

/** The light of a lamp of 2,700 kelvin, which the camera did not correct. */
const WARM = [1.15, 1, 0.6] as const;

const expected = ({ givenNames, surname, birthDate }: Person) => ({
  firstName: givenNames,
  lastName: surname,
  dateOfBirth: birthDate,
});

export const DOCUMENT_KINDS = {
  genuine: { about: 'a photograph of the document itself, for comparison', picture: rendered('genuine') },
  asItIs: {
    about: 'a public picture of a document as it is (only with --documents), for comparison',
    picture: (material, at) => material.original(at),
  },
  photocopy: { about: 'a grey copy under lamps of any tint', picture: rendered('grey') },
  photocopyWarm: { about: 'a grey copy under a warm lamp', picture: rendered('grey', { tint: WARM }) },
  screen: { about: 'the document on a screen', picture: rendered('screen') },
  moire: {
    about: 'a screen too fine to show its pixels, with bands of colour',
    picture: rendered('moire'),
  },
  print: { about: 'a copy in colour, in dots 4.5 pixels apart', picture: rendered('halftone') },
  finePrint: { about: 'a copy in colour, in dots 2.6 pixels apart', picture: rendered('halftoneFine') },
  pastedHard: { about: 'another portrait put into the photograph', picture: rendered('pasteDigital') },
  pastedSoft: {
    about: 'the same with soft edges, the same light and the same noise',
    picture: rendered('pasteCareful'),
  },
  stuckOn: { about: 'another portrait stuck on the document and photographed', picture: rendered('pasteStuck') },
  drawing: { about: 'a drawing of a computer that no camera has seen', picture: rendered('drawn') },
  specimen: {
    about: 'a specimen, where the tenant does not allow them',
    picture: rendered('genuine'),
    refusesSpecimens: true,
  },
  zoneOfAnother: {
    about: 'the zone of another person, with right digits',
    picture: changed((_, at, order) => ({ zone: { person: personAt(at + 5000, order) } })),
  },
  zoneEdited: {
    about: 'one field of the zone changed, with right digits',
    picture: changed((holder, at, order) => ({ zone: { person: oneFieldOf(holder, at, order) } })),
  },
  printEdited: {
    about: 'one field of the print changed',
    picture: changed((holder, at, order) => ({ person: oneFieldOf(holder, at, order), zone: { person: holder } })),
  },
  zoneLetterEdited: {
    about: 'one letter of a name in the zone changed',
    picture: changed((holder, at) => ({ zone: { person: oneLetterOfNames(holder, at) } })),
  },
  printLetterEdited: {
    about: 'one letter or digit of the print changed',
    picture: changed((holder, at) => ({ person: oneCharacterOf(holder, at), zone: { person: holder } })),
  },
  wrongDigits: { about: 'a zone with a wrong check digit', picture: changed(() => ({ zone: { wrongDigit: true } })) },
  numberOverwritten: {
    about: 'a digit of the number in the zone with another one over it',
    picture: changed((_, at) => ({ zone: { overwritten: 0.55 + (at % 10) * 0.05 } })),
  },
  numberReplaced: {
    about: 'a digit of the number in the zone rubbed out, with another one in its place',
    picture: changed((_, at) => ({ zone: { erased: 0.5 + (at % 10) * 0.05, overwritten: 1 } })),
  },
  zoneInked: {
    about: 'two digits of the number in the zone written over with a pen, the print changed alike',
    picture: changed((holder, at) => inkedZone(holder, at, 0)),
  },
  zoneInkedAfresh: {
    about: 'the same, after the digits were rubbed out',
    picture: changed((holder, at) => inkedZone(holder, at, 1)),
  },
  zoneCovered: {
    about: 'the same two digits under correction fluid, and printed anew',
    picture: changed((holder, at) => coveredZone(holder, at)),
  },
  zoneCopied: {
    about:
      'two digits of the number in the zone copied in the photograph from elsewhere in the line, the print changed alike',
    picture: async (material, at, order) => copiedZone(material, personAt(at, order), at, shotSeed(order, at)),
  },
  zoneExchanged: {
    about: 'two digits of the number in the zone exchanged in the photograph, the print changed alike',
    picture: async (material, at, order) => exchangedZone(material, personAt(at, order), at, shotSeed(order, at)),
  },
  mirrored: {
    about: 'a photograph of a genuine document that is mirrored',
    picture: async (material, at, order) => {
      const jpeg = await shoot(await material.flat(at), shotSeed(order, at));
      return sharp(jpeg).flop().jpeg({ quality: 92 }).toBuffer();
    },
  },
  twoDocuments: {
    about: 'two genuine documents of different people side by side',
    picture: async (material, at, order) => {
      const seed = shotSeed(order, at);
      const images = [await material.passport(at), await material.passport(at + 5000)].map(({ image }) => image);
      return (await photograph(images, howOf(seed), seeded(seed))).jpeg;
    },
  },
  laminated: {
    about: 'a genuine document under a shining film, for comparison',
    picture: async (material, at, order) => {
      const { image } = await material.flat(at);
      const seed = shotSeed(order, at);
      const random = seeded(seed);
      return (await photograph([filmOver(image, random)], howOf(seed), random)).jpeg;
    },
  },
  card: { about: 'both sides of an identity card, for comparison', picture: card('genuine') },
  cardCopied: { about: 'grey copies of both sides of an identity card', picture: card('grey') },
  cardOnScreen: { about: 'both sides of an identity card on a screen', picture: card('screen') },
  cardPastedHard: { about: 'another portrait put into the photograph of the front', picture: card('pasteDigital') },
  cardPastedSoft: {
    about: 'the same with soft edges, the same light and the same noise',
    picture: card('pasteCareful'),
  },
  cardStuckOn: { about: 'another portrait stuck on an identity card', picture: card('pasteStuck') },
  cardZoneEdited: {
    about: 'one field of the zone on the back of a card changed, with right digits',
    picture: card('genuine', (holder, at, order) => ({ zone: { person: oneFieldOf(holder, at, order) } })),
  },
  cardZoneOfAnother: {
    about: 'the back of another card of the same kind',
    picture: card('genuine', (_, at, order) => ({ zone: { person: personAt(at + 5000, order) } })),
  },
  anotherPerson: {
    about: 'the genuine document of somebody else than the tenant expects',
    picture: changed(() => ({})),
    expects: (holder) => ({ ...expected(holder), ...OTHERS[holder.documentNumber.charCodeAt(8) % OTHERS.length] }),
  },
} as const satisfies Record<string, DocumentKind>;

/** The expected person differs from the holder of the document in one of these ways. */
const OTHERS: readonly Record<string, string>[] = [
  { firstName: 'Ferdinand', lastName: 'Quartermaine' },
  { dateOfBirth: '1971-02-03' },
  { lastName: 'Quartermaine' },
];

export type DocumentKindName = keyof typeof DOCUMENT_KINDS;
