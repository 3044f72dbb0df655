import { type Attack, renderAttack } from '../../packages/vision/src/attacks/attacks.ts';
import type { Person } from '../../packages/vision/src/specimens/person.ts';
import { photograph } from '../../packages/vision/src/specimens/photograph.ts';
import { seeded } from '../../packages/vision/src/specimens/random.ts';
import { type DocumentMaterial, type FlatDocument, howOf, personAt } from './document-material.ts';

/** What somebody presents in place of a genuine document of his own. */
export type DocumentKind = {
  readonly about: string;
  readonly picture: (material: DocumentMaterial, at: number, order: Order) => Promise<Buffer | undefined>;
  /** The tenant allows specimens, unless this is about specimens. */
  readonly refusesSpecimens?: true;
  /** Whom the tenant expects. */
  readonly expects?: (holder: Person) => Record<string, string>;
};
export type Order = { readonly today: string; readonly seed: number };

const rendered =
  (attack: Attack | 'genuine'): DocumentKind['picture'] =>
  async (material, at, { seed }) => {
    const { image, portraitArea } = await material.flat(at);
    const random = seeded(seed + at);
    const face = await material.face(at);
    return (
      await renderAttack(attack, image, howOf(seed + at), random, { ...(portraitArea && { portraitArea }), face })
    )?.jpeg;
  };

/** A passport of ours whose zone says something else than its print. */
const changed =
  (
    change: (holder: Person, at: number, order: Order) => Parameters<DocumentMaterial['passport']>[1],
  ): DocumentKind['picture'] =>
  async (material, at, order) =>
    shoot(await material.passport(at, change(personAt(at, order), at, order)), order.seed + at);

async function shoot({ image }: FlatDocument, seed: number): Promise<Buffer> {
  return (await photograph([image], howOf(seed), seeded(seed))).jpeg;
}

/** One field of a person, another one each time, changed as a forger would. */
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

const expected = ({ givenNames, surname, birthDate }: Person) => ({
  firstName: givenNames,
  lastName: surname,
  dateOfBirth: birthDate,
});

export const DOCUMENT_KINDS = {
  genuine: { about: 'a photograph of the document itself, for comparison', picture: rendered('genuine') },
  photocopy: { about: 'a grey copy under lamps of any tint', picture: rendered('grey') },
  screen: { about: 'the document on a screen', picture: rendered('screen') },
  print: { about: 'a print in dots 4.5 pixels apart', picture: rendered('halftone') },
  finePrint: { about: 'a print in dots 2.6 pixels apart', picture: rendered('halftoneFine') },
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
  wrongDigits: { about: 'a zone with a wrong check digit', picture: changed(() => ({ zone: { wrongDigit: true } })) },
  numberOverwritten: {
    about: 'a digit of the number in the zone with another one over it',
    picture: changed((_, at) => ({ zone: { overwritten: 0.55 + (at % 10) * 0.05 } })),
  },
  anotherPerson: {
    about: 'the genuine document of somebody else than the tenant expects',
    picture: changed(() => ({})),
    expects: (holder) => ({ ...expected(holder), ...OTHERS[holder.documentNumber.charCodeAt(8) % OTHERS.length] }),
  },
} as const satisfies Record<string, DocumentKind>;

/** Who is expected differs from the holder of the document in one of these. */
const OTHERS: readonly Record<string, string>[] = [
  { firstName: 'Ferdinand', lastName: 'Quartermaine' },
  { dateOfBirth: '1971-02-03' },
  { lastName: 'Quartermaine' },
];

export type DocumentKindName = keyof typeof DOCUMENT_KINDS;
