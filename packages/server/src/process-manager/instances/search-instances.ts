import type { TenantReads } from '../../db/db.ts';
import { rangeBehind } from '../../kernel/id-range.ts';
import { ID_PATTERN } from '../../kernel/ids.ts';
import { idsOf } from './instance-ids.repository.ts';
import { CANDIDATES_AT_ONCE, countWithWord, idsPassing, idsWithWord, type Word } from './instance-search.repository.ts';
import { COUNT_CAP, type Filter, type Page, type Window } from './list-instances.ts';
import { MIN_PREFIX_LENGTH } from './search-terms.ts';

/**
 * Finds the instances that have all words; of the last word a prefix is enough. A rare word is looked up, and its few
 * instances are tested for the others. If all words are frequent, matches are close together: instances are read from one end
 * and tested until the page is full. Neither way reads or sorts all matches.
 */

const VERY_FEW = 100;

export type SearchLimits = {
  /** Set if a prefix is not enough, because masked callers could find a name letter by letter. */
  readonly wholeWords?: boolean;
  /** So few are read without a count before. */
  readonly few: number;
  /** A word of more instances is not looked up, and no more are counted. */
  readonly countLimit: number;
  /** The number of instances that are tested for a page. To see more, a caller narrows the time or adds a word. */
  readonly walked: number;
  /** The numbers of instances that are read at once: first, and then. */
  readonly firstStride: number;
  readonly stride: number;
};

export const SEARCH_LIMITS: SearchLimits = {
  few: 1000,
  countLimit: COUNT_CAP,
  walked: 50_000,
  firstStride: 100,
  stride: CANDIDATES_AT_ONCE,
};

export async function searchInstances(
  db: TenantReads,
  filter: Filter,
  typed: readonly string[],
  window: Window,
  limits: SearchLimits = SEARCH_LIMITS,
): Promise<Page> {
  const seal = await db.personal();
  // No instance of this tenant has search terms yet.
  if (!seal) return { ids: [], total: 0 };
  const unfinished = limits.wholeWords ? -1 : typed.length - 1;
  const words = typed.map((text, at) => searchWord(seal.code(text), text, at === unfinished));
  const candidates = await candidatesOf(db, filter, words, limits);
  if (!candidates) return walk(db, filter, words, window, limits);
  const all = await testIds(db, filter, candidates.rest, candidates.ids);
  all.sort();
  if (window.direction === 'DESC') all.reverse();
  const left = all.filter(isBehind(window));
  return { ids: left.slice(window.offset, window.offset + window.size), total: all.length };
}

/** A search word: the last one may be a prefix, because it is still being typed. Words are stored as codes. */
function searchWord(code: string, typed: string, isLast: boolean): Word {
  return { text: code, begins: isLast && [...typed].length >= MIN_PREFIX_LENGTH };
}

/** The instance with this id, if it matches the filter. */
export async function searchId(db: TenantReads, filter: Filter, id: string, window: Window): Promise<Page> {
  const inRange = id >= filter.range.from && id < filter.range.below;
  const ids = inRange ? await idsPassing(db, filter, [], [id]) : [];
  return { ids: ids.filter(isBehind(window)).slice(window.offset), total: ids.length };
}

function isBehind({ after, direction }: Window): (id: string) => boolean {
  return (id) => after === undefined || (direction === 'DESC' ? id < after : id > after);
}

export function asId(typed: string): string | undefined {
  const id = typed.trim().toUpperCase();
  return ID_PATTERN.test(id) ? id : undefined;
}

/** The instances with the rarest words, without duplicates, and the other words to test. */
type Candidates = { ids: string[]; rest: readonly Word[] };

/** Undefined if all words are too frequent. */
async function candidatesOf(
  db: TenantReads,
  filter: Filter,
  words: readonly Word[],
  { few, countLimit }: SearchLimits,
): Promise<Candidates | undefined> {
  const [only] = words;
  if (only && words.length === 1) {
    // In two rounds, because most search words are rare.
    for (const most of [Math.min(VERY_FEW, few), few]) {
      const bearers = await idsWithWord(db, filter, only, { size: most + 1, offset: 0 });
      if (bearers.length <= most) return { ids: [...new Set(bearers)], rest: [] };
    }
  }
  const rarest = words.length > 1 && (await rarestOf(db, filter, words, few));
  if (rarest) return bearersOf(db, filter, { words, rarest, most: few, countLimit });
  for (const word of words) {
    const [past] = await idsWithWord(db, filter, word, { size: 1, offset: countLimit });
    if (past === undefined) return bearersOf(db, filter, { words, rarest: word, most: countLimit, countLimit });
  }
  return undefined;
}

/** Undefined if each word has more than `most` instances. */
async function rarestOf(
  db: TenantReads,
  filter: Filter,
  words: readonly Word[],
  most: number,
): Promise<Word | undefined> {
  let rarest: Word | undefined;
  let fewest = most + 1;
  // The last word comes first, because it is usually a surname. The count of each other stops at the lowest so far.
  for (const word of words.toReversed()) {
    const bearerCount = await countWithWord(db, filter, word, fewest);
    if (bearerCount < fewest) [rarest, fewest] = [word, bearerCount];
    if (fewest === 0) break;
  }
  return rarest;
}

type BearerSearch = { words: readonly Word[]; rarest: Word; most: number; countLimit: number };

/** Finds the instances of the rarest word that have the other whole words. */
async function bearersOf(
  db: TenantReads,
  filter: Filter,
  { words, rarest, most, countLimit }: BearerSearch,
): Promise<Candidates> {
  const others = words.flatMap((word) => (word === rarest || word.begins ? [] : [word.text]));
  const ids = new Set(await idsWithWord(db, filter, rarest, { size: most, offset: 0, others }));
  const rest = words.filter((word) => word !== rarest && word.begins);
  return narrowPage(db, filter, { ids, rest }, countLimit);
}

/** So many entries of the index cost as much as the look-up of one instance. */
const ENTRIES_PER_INSTANCE = 20;

/** Narrows the candidates by the instances of another word, if that is cheaper than to test each candidate. */
async function narrowPage(
  db: TenantReads,
  filter: Filter,
  { ids, rest }: { ids: Set<string>; rest: readonly Word[] },
  countLimit: number,
): Promise<Candidates> {
  let remaining = ids;
  const untested: Word[] = [];
  for (const word of rest) {
    const most = Math.min(remaining.size * ENTRIES_PER_INSTANCE, countLimit);
    const bearers = remaining.size === 0 ? [] : await idsWithWord(db, filter, word, { size: most + 1, offset: 0 });
    if (bearers.length > most) untested.push(word);
    else remaining = new Set(bearers.filter((id) => remaining.has(id)));
  }
  return { ids: [...remaining], rest: untested };
}

async function testIds(db: TenantReads, filter: Filter, words: readonly Word[], ids: string[]): Promise<string[]> {
  if (words.length === 0 && !isFiltered(filter)) return ids;
  const all: string[] = [];
  for (let from = 0; from < ids.length; from += CANDIDATES_AT_ONCE) {
    all.push(...(await idsPassing(db, filter, words, ids.slice(from, from + CANDIDATES_AT_ONCE))));
  }
  return all;
}

function isFiltered({ definitionIds, status }: Filter): boolean {
  return definitionIds !== undefined || status !== undefined;
}

async function walk(
  db: TenantReads,
  filter: Filter,
  words: readonly Word[],
  window: Window,
  limits: SearchLimits,
): Promise<Page> {
  const { size, offset, direction } = window;
  // The word has more instances than are counted.
  const isCounted = words.length === 1 && !isFiltered(filter);
  if (isCounted && offset >= limits.countLimit) return { ids: [], total: limits.countLimit };
  const list = filter.status === undefined ? {} : { status: filter.status };
  // One more than the page shows whether there is another page.
  const wantedCount = offset + size + 1;
  const matches: string[] = [];
  let range = rangeBehind(filter.range, window);
  let stride = limits.firstStride;
  for (let examined = 0; matches.length < wantedCount && examined < limits.walked; stride = limits.stride) {
    const ids = await idsOf(db, filter.environment, list, range, { size: stride, offset: 0, direction });
    const match = new Set(await idsPassing(db, filter, words, ids));
    matches.push(...ids.filter((id) => match.has(id)));
    const last = ids.at(-1);
    if (last === undefined || ids.length < stride) break;
    // All ids have one length, so an id with a suffix is a bound.
    range = direction === 'DESC' ? { ...range, below: last } : { ...range, from: `${last}0` };
    examined += stride;
    // SQLite answers within the same turn, so others are served in between.
    if (matches.length < wantedCount) await new Promise((turn) => setImmediate(turn));
  }
  return {
    ids: matches.slice(offset, offset + size),
    total: isCounted ? limits.countLimit : Math.min(matches.length, wantedCount),
  };
}
