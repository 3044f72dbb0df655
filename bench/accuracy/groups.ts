import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cosineOf, type FaceTemplate, facePack, MATCH_SCORE } from '@grove/vision';
import { cosine } from '../../packages/vision/src/faces/match.ts';
import { embedAll } from './embed-all.ts';
import { drawHistograms } from './histogram.ts';
import { share } from './intervals.ts';
import type { AccuracyOptions } from './options.ts';
import { type Pair, readPairs } from './pairs.ts';
import type { Outcome, Row } from './rows.ts';

/**
 * Measures how often strangers of one sex and one group are confused, and how often a person is not recognised. The folder
 * has a list of pairs for each group, `…_pairs_Asian.txt`; `Male` and `NOTMale` are the sexes.
 */
export async function measureGroups(options: AccuracyOptions & { faces: string; groups: string }): Promise<Outcome> {
  const { groups, sexOf } = readGroups(options.groups, options.faces);
  const chosenGroups = groups.map((group) => ({ ...group, pairs: group.pairs.slice(0, options.limit) }));
  const files = [...new Set(chosenGroups.flatMap(({ pairs }) => pairs.flatMap(({ one, other }) => [one, other])))];
  const { pack: name, weights, workers } = options;
  const { templates } = await embedAll(files, workers, { pack: name, ...(weights !== undefined && { weights }) });
  const { algorithm, calibration } = facePack(name);
  const at = { match: cosineOf(MATCH_SCORE, calibration), human: calibration.humanFromCosine };
  const several = new Set(personsOf(chosenGroups).filter((person, index, all) => all.indexOf(person) !== index));
  const measured = chosenGroups.flatMap((group) =>
    SEXES.map((sex) => {
      const of = (person: string) => sexOf(person) === sex && !several.has(person);
      return { group: `${group.name}, ${sex}`, ...judgeGroup(group.pairs, templates, of, at) };
    }),
  );
  const likenesses = measured.flatMap(({ group, likeness }) => [
    { name: `${group}: strangers`, values: likeness.strangers },
    { name: `${group}: one person`, values: likeness.truePairs },
  ]);
  const series = likenesses.filter(({ values }) => values.length > 0);
  const plot = { title: 'Cosine between two pictures', from: -0.3, to: 1, bounds: [at.human, at.match], series };
  return {
    title: `Faces by group and sex, ${algorithm}: a match from cosine ${at.match}, a human from ${at.human}`,
    rows: measured.flatMap(rowsOf),
    json: {
      what: 'groups',
      algorithm,
      calibration: calibration.name,
      ...at,
      groups: measured.map(({ likeness: _, ...counts }) => counts),
    },
    histograms: [drawHistograms(plot)],
  };
}

const SEXES = ['men', 'women'] as const;
type Sex = (typeof SEXES)[number];
type Group = { readonly name: string; readonly pairs: readonly Pair[] };

const LIST = /_pairs_(\w+)\.txt$/;
const SEX_OF_LIST: Readonly<Record<string, Sex>> = { Male: 'men', NOTMale: 'women' };

function readGroups(folder: string, faces: string): { groups: Group[]; sexOf(person: string): Sex | undefined } {
  const lists = readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const name = LIST.exec(file)?.[1];
      return name === undefined ? [] : [{ name, pairs: readPairs(join(folder, file), faces) }];
    });
  const sexes = new Map<string, Sex>();
  for (const { name, pairs } of lists) {
    const sex = SEX_OF_LIST[name];
    if (sex) for (const person of personsOf([{ name, pairs }])) sexes.set(person, sex);
  }
  const groups = lists.filter(({ name }) => SEX_OF_LIST[name] === undefined);
  return { groups, sexOf: (person) => sexes.get(person) };
}

/** The persons of each list. A person in two lists is in the result twice. */
function personsOf(groups: readonly Group[]): string[] {
  return groups.flatMap(({ pairs }) => [...new Set(pairs.flatMap(({ one, other }) => [nameOf(one), nameOf(other)]))]);
}

export type GroupJudgement = {
  persons: number;
  strangers: number;
  falseMatches: number;
  strangersForHuman: number;
  truePairs: number;
  notMatched: number;
  refused: number;
  /** The cosines from which the counts were made. */
  likeness: { strangers: readonly number[]; truePairs: readonly number[] };
};

/** How many pictures of a person are compared with strangers: otherwise persons with many photographs would count most. */
const MAX_PICTURES_OF_A_PERSON = 4;

export function judgeGroup(
  pairs: readonly Pair[],
  templates: ReadonlyMap<string, FaceTemplate>,
  belongs: (person: string) => boolean,
  at: { match: number; human: number },
): GroupJudgement {
  const pictures = new Map<string, string[]>();
  for (const file of [...new Set(pairs.flatMap(({ one, other }) => [one, other]))].sort()) {
    const own = pictures.get(nameOf(file)) ?? [];
    if (templates.has(file) && belongs(nameOf(file)) && own.length < MAX_PICTURES_OF_A_PERSON) own.push(file);
    if (own.length > 0) pictures.set(nameOf(file), own);
  }
  const likeness = (one: string, other: string) =>
    cosine((templates.get(one) as FaceTemplate).vector, (templates.get(other) as FaceTemplate).vector);
  const strangers = strangersOf([...pictures]).map(([one, other]) => likeness(one, other));
  const own = pairs.filter(({ one, other, same }) => same && pictures.has(nameOf(one)) && templates.has(other));
  const alike = own.filter(({ one }) => templates.has(one)).map(({ one, other }) => likeness(one, other));
  const count = (values: readonly number[], is: (value: number) => boolean) => values.filter(is).length;
  return {
    persons: pictures.size,
    strangers: strangers.length,
    falseMatches: count(strangers, (value) => value >= at.match),
    strangersForHuman: count(strangers, (value) => value >= at.human && value < at.match),
    truePairs: alike.length,
    notMatched: count(alike, (value) => value < at.match),
    refused: count(alike, (value) => value < at.human),
    likeness: { strangers, truePairs: alike },
  };
}

function strangersOf(persons: readonly (readonly [string, readonly string[]])[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (const [index, [person, pictures]] of persons.entries()) {
    for (const [stranger, others] of persons.slice(index + 1)) {
      if (isOnePerson(person, stranger)) continue;
      for (const one of pictures) for (const other of others) pairs.push([one, other]);
    }
  }
  return pairs;
}

/** A medallist is in LFW under two names, in front of the same wall. */
const KNOWN_AS_BOTH = [['Shinya_Taniguchi', 'Takahiro_Mori']];

/** LFW has some persons twice, with the words of their name in another order. */
export function isOnePerson(one: string, other: string): boolean {
  const words = (name: string) => name.toLowerCase().split(/[_-]/).sort().join(' ');
  return words(one) === words(other) || KNOWN_AS_BOTH.some((names) => names.includes(one) && names.includes(other));
}

function nameOf(file: string): string {
  return basename(dirname(file));
}

function rowsOf({ group, ...found }: GroupJudgement & { group: string }): Row[] {
  const { persons, strangers, falseMatches, strangersForHuman, truePairs, notMatched, refused } = found;
  return [
    { what: `${group}: strangers accepted (${persons} persons)`, measured: share(falseMatches, strangers, 4) },
    { what: `${group}: strangers for a human`, measured: share(strangersForHuman, strangers) },
    { what: `${group}: true pairs not accepted at once`, measured: share(notMatched, truePairs, 1) },
    { what: `${group}: true pairs refused`, measured: share(refused, truePairs, 1) },
  ];
}
