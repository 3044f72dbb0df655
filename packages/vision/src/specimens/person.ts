import { pick, type Random, within } from './random.ts';

/** An invented citizen of the state that ICAO reserves for examples. */
export type Person = {
  readonly surname: string;
  readonly givenNames: string;
  readonly sex: 'F' | 'M';
  /** Dates are YYYY-MM-DD. */
  readonly birthDate: string;
  readonly issueDate: string;
  readonly expiryDate: string;
  readonly documentNumber: string;
  readonly birthPlace: string;
  readonly street: string;
  readonly town: string;
};

const SURNAMES = [
  'Eriksson', 'Müller', 'Gonçalves', 'Nováková', 'Kowalska', 'Þórsdóttir', 'Øverland', 'Łukasiewicz', 'Dvořák', 'Ionescu',
  'Szabó', 'García Núñez', 'O’Connor', 'Østergård', 'Grüßner', 'Lefèvre', 'Vasić', 'Tanner', 'Marković', 'Åkesson',
  'Fernández', 'van der Berg', 'Baptiste', 'Quintero', 'Winterbottom', 'Zimmermann', 'Yılmaz', 'Jokinen', 'Hopkins', 'Weißhaupt',
] as const; // biome-ignore format: a list of names reads better in rows
const GIVEN_NAMES: Readonly<Record<'F' | 'M', readonly string[]>> = {
  F: [
    'Anna Maria',
    'Zoë',
    'Jüliane',
    'Kateřina',
    'Beatriz',
    'Wanda',
    'Sofía',
    'Fatima',
    'Rosalind',
    'Quinta',
    'Żaneta',
    'Ingrid',
  ],
  M: [
    'Jürgen',
    'Oskar',
    'Björn',
    'Viktor',
    'François',
    'Kwame',
    'Mikołaj',
    'Xavier',
    'Hugo Pedro',
    'Gustav',
    'Émile',
    'Yusuf',
  ],
};
const PLACES = ['Zenith', 'Amaurot', 'Port Harmony', 'Lake Abraxa', 'New Anyder', 'Hilltop'] as const;
const STREETS = ['12 River Road', '7 Garden Lane', '101 Market Street', '45 Hythloday Avenue'] as const;

export function inventPerson(random: Random, today: string): Person {
  const sex = random() < 0.5 ? 'F' : 'M';
  const year = Number(today.slice(0, 4));
  const issued = year - 1 - Math.floor(random() * 7);
  return {
    surname: pick(random, SURNAMES),
    givenNames: pick(random, GIVEN_NAMES[sex]),
    sex,
    birthDate: someDay(random, year - 19 - Math.floor(random() * 60)),
    issueDate: someDay(random, issued),
    expiryDate: someDay(random, issued + 10),
    documentNumber: someNumber(random),
    birthPlace: pick(random, PLACES),
    street: pick(random, STREETS),
    town: pick(random, PLACES),
  };
}

function someDay(random: Random, year: number): string {
  const month = 1 + Math.floor(random() * 12);
  const day = 1 + Math.floor(random() * 28);
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Like real numbers: one or two letters that do not look like digits, then digits. */
function someNumber(random: Random): string {
  const letters = Array.from({ length: random() < 0.5 ? 1 : 2 }, () => pick(random, [...'ACEFHKLMNPRTUVWXY'])).join('');
  let number = letters;
  while (number.length < 9) number += String(Math.floor(within(random, 0, 10)));
  return number;
}
