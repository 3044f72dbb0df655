import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Person, Photograph, SpecimenKind } from '@grove/vision';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../failure.ts';
import { type CommonOptions, define, examples, print, type Result } from '../output.ts';

const KINDS: Readonly<Record<string, SpecimenKind>> = {
  passport: 'passport',
  'id-card': 'idCard',
  'id-card-td2': 'idCardTd2',
  visa: 'visa',
  'visa-b': 'visaB',
  licence: 'licence',
};

type PersonOptions = {
  surname?: string;
  givenNames?: string;
  sex?: 'F' | 'M';
  birthDate?: string;
  expiryDate?: string;
  documentNumber?: string;
};
type SpecimenOptions = CommonOptions &
  PersonOptions &
  Pick<Photograph, 'tilt' | 'yaw' | 'blur' | 'light' | 'glare' | 'noise'> & {
    kind: string;
    out: string;
    seed: number;
    side: 'front' | 'back';
    portrait?: string;
    force?: true;
  };

/** The length of a name in the machine-readable zone, and more than any number has. */
const MAX_NAME_LENGTH = 60;
const MAX_SEED = 2 ** 31;
const MAX_PORTRAIT_BYTES = 12 * 1024 * 1024;

export function defineSpecimen(program: Command): void {
  define(program, 'specimen', 'draw a document of Utopia, the state that ICAO uses in examples, as a photograph')
    .addOption(new Option('--kind <kind>', 'what to draw').choices(Object.keys(KINDS)).makeOptionMandatory())
    .requiredOption('--out <file>', 'the JPEG to write')
    .option('--seed <number>', 'determines person and look: the same number gives the same picture', wholeNumber, 1)
    .addOption(new Option('--side <side>', 'which side').choices(['front', 'back']).default('front'))
    .option('--portrait <file>', 'a picture of a face in place of the drawn one')
    .option('--surname <name>', 'instead of an invented one', name)
    .option('--given-names <names>', 'instead of invented ones', name)
    .addOption(new Option('--sex <sex>', 'as printed').choices(['F', 'M']))
    .option('--birth-date <date>', 'YYYY-MM-DD', date)
    .option('--expiry-date <date>', 'YYYY-MM-DD', date)
    .option('--document-number <number>', 'up to nine letters and digits', documentNumber)
    .option('--tilt <degrees>', 'how it lies on the table', within(-180, 180))
    .option('--yaw <degrees>', 'how far it is turned away from the camera', within(-45, 45))
    .option('--blur <pixels>', 'how far out of focus', within(0, 20))
    .option('--light <share>', '1 as it is, 0.2 in a dark room', within(0.02, 3))
    .option('--glare <share>', 'the reflection of a lamp, 0 to 1', within(0, 1))
    .option('--noise <steps>', 'the noise of the camera, in steps of 255', within(0, 60))
    .option('--force', 'replace an existing file')
    .addHelpText(
      'after',
      `${examples(
        'grove specimen --kind passport --out passport.jpg',
        'grove specimen --kind id-card --side back --seed 7 --tilt 12 --out back.jpg',
        'grove specimen --kind passport --surname Eriksson --portrait face.jpg --out passport.jpg',
      )}
For tests, demonstrations and the sandbox. The persons are invented, and no state issues such documents.`,
    )
    .action(async (options: SpecimenOptions) => print(options, await draw(options)));
}

async function draw(options: SpecimenOptions): Promise<Result> {
  const { kind, out, seed, side, force } = options;
  if (existsSync(out) && !force) throw new UsageError(`${out} exists already. Use --force to replace it.`);
  const portrait = options.portrait === undefined ? undefined : readPortrait(options.portrait);
  // Drawing needs fonts and a decoder, which no other command uses.
  const { makeSpecimen } = await import('@grove/vision');
  const specimen = await makeSpecimen({
    kind: KINDS[kind] as SpecimenKind,
    side,
    seed,
    person: personOf(options),
    photograph: photographOf(options),
    today: new Date().toISOString().slice(0, 10),
    ...(portrait && { portrait }),
  }).catch((error: Error) => {
    throw portrait ? new UsageError(`${options.portrait} cannot be used as a portrait: ${error.message}`) : error;
  });
  writeFileSync(out, specimen.jpeg);
  const { person, mrz, barcode } = specimen;
  return {
    value: {
      file: out,
      bytes: specimen.jpeg.length,
      kind,
      side,
      seed,
      person,
      ...(mrz && { mrz }),
      ...(barcode && { barcode }),
    },
    text: [
      `Drawn to ${out}: ${kind}, ${side}, of ${person.givenNames} ${person.surname}, number ${person.documentNumber}.`,
      ...(mrz ?? []),
    ].join('\n'),
  };
}

function readPortrait(file: string): Uint8Array {
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`);
  const bytes = readFileSync(file);
  if (bytes.length > MAX_PORTRAIT_BYTES) throw new UsageError(`${file} is larger than ${MAX_PORTRAIT_BYTES} bytes.`);
  return bytes;
}

function personOf({
  surname,
  givenNames,
  sex,
  birthDate,
  expiryDate,
  documentNumber: number,
}: PersonOptions): Partial<Person> {
  return {
    ...(surname !== undefined && { surname }),
    ...(givenNames !== undefined && { givenNames }),
    ...(sex !== undefined && { sex }),
    ...(birthDate !== undefined && { birthDate }),
    ...(expiryDate !== undefined && { expiryDate }),
    ...(number !== undefined && { documentNumber: number }),
  };
}

function photographOf(options: Photograph): Photograph {
  const givenOptions = (['tilt', 'yaw', 'blur', 'light', 'glare', 'noise'] as const).flatMap((each) =>
    options[each] === undefined ? [] : [[each, options[each]] as const],
  );
  return Object.fromEntries(givenOptions);
}

function wholeNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) >= MAX_SEED)
    throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function within(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() === '' || !(number >= from && number <= to)) {
      throw new InvalidArgumentError(`It must be a number from ${from} to ${to}.`);
    }
    return number;
  };
}

function name(text: string): string {
  if (!/\p{L}/u.test(text) || text.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(text)) {
    throw new InvalidArgumentError(`It must be a name of at most ${MAX_NAME_LENGTH} characters.`);
  }
  return text;
}

function date(text: string): string {
  const time = Date.parse(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) {
    throw new InvalidArgumentError('It must be a day, as 2030-01-31.');
  }
  return text;
}

function documentNumber(text: string): string {
  if (!/^[A-Z0-9]{1,9}$/.test(text)) throw new InvalidArgumentError('It must be one to nine of A–Z and 0–9.');
  return text;
}
