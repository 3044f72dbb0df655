import type { TenantReads } from '../../db/db.ts';
import { ID_PATTERN } from '../../kernel/ids.ts';
import { idsOf } from './instance-ids.repository.ts';
import { CANDIDATES_AT_ONCE, countWithWord, idsWithWord, passing, type Word } from './instance-search.repository.ts';
import { COUNT_CAP, type Filter, type Page, rangeBehind, type Window } from './list-instances.ts';
import { MIN_PREFIX_LENGTH } from './search-terms.ts';

/**
 * The instances that bear all of some words; of the last one the beginning is enough. A word that few bear is looked up,
 * and the few are tested for the rest. If many bear every word, then matches are close together: instances are read from
 * one end and tested, until the page is full. Neither way reads or sorts all that match.
 */

const VERY_FEW = 100;

export type SearchLimits = {
  /** Set if the beginning of a word is not enough, for callers from whom names are masked. */
  readonly wholeWords?: boolean;
  /** So few are fetched at once without asking first how many there are. */
  readonly few: number;
  /** A word that more bear is not looked up, and no more are counted. */
  readonly countLimit: number;
  /** A page is looked for among so many instances; who wants to see further narrows the time or adds a word. */
  readonly walked: number;
  /** How many are read at once, at first and then. */
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
  // Nothing of this tenant was ever stored with words.
  if (!seal) return { ids: [], total: 0 };
  const unfinished = limits.wholeWords ? -1 : typed.length - 1;
  const words = typed.map((text, at) => searchWord(seal.code(text), text, at === unfinished));
  const candidates = await candidatesOf(db, filter, words, limits);
  if (!candidates) return walk(db, filter, words, window, limits);
  const all = await tested(db, filter, candidates.rest, candidates.ids);
  all.sort();
  if (window.direction === 'DESC') all.reverse();
  const left = all.filter(isBehind(window));
  return { ids: left.slice(window.offset, window.offset + window.size), total: all.length };
}

/** Whoever types has finished every word but the last. Words are stored as codes, and looked for as such. */
function searchWord(code: string, typed: string, isLast: boolean): Word {
  return { text: code, begins: isLast && [...typed].length >= MIN_PREFIX_LENGTH };
}

/** The one with this id, if the filter lets it through. */
export async function searchId(db: TenantReads, filter: Filter, id: string, window: Window): Promise<Page> {
  const inRange = id >= filter.range.from && id < filter.range.below;
  const ids = inRange ? await passing(db, filter, [], [id]) : [];
  return { ids: ids.filter(isBehind(window)).slice(window.offset), total: ids.length };
}

function isBehind({ after, direction }: Window): (id: string) => boolean {
  return (id) => after === undefined || (direction === 'DESC' ? id < after : id > after);
}

export function asId(typed: string): string | undefined {
  const id = typed.trim().toUpperCase();
  return ID_PATTERN.test(id) ? id : undefined;
}

/** Those that bear the rarer words, each once, and the words they have still to be tested for. */
type Candidates = { ids: string[]; rest: readonly Word[] };

/** Undefined if too many bear each of the words. */
async function candidatesOf(
  db: TenantReads,
  filter: Filter,
  words: readonly Word[],
  { few, countLimit }: SearchLimits,
): Promise<Candidates | undefined> {
  const [only] = words;
  if (only && words.length === 1) {
    // In two goes, because most of what is searched for is rare.
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

/** Undefined if more than `most` bear each of the words. */
async function rarestOf(
  db: TenantReads,
  filter: Filter,
  words: readonly Word[],
  most: number,
): Promise<Word | undefined> {
  let rarest: Word | undefined;
  let fewest = most + 1;
  // The last comes first: it is a surname more often than not. Of each other no more are counted than would be fewer.
  for (const word of words.toReversed()) {
    const bearerCount = await countWithWord(db, filter, word, fewest);
    if (bearerCount < fewest) [rarest, fewest] = [word, bearerCount];
    if (fewest === 0) break;
  }
  return rarest;
}

type BearerSearch = { words: readonly Word[]; rarest: Word; most: number; countLimit: number };

/** Whole words are looked up for each bearer of the rarest word. */
async function bearersOf(
  db: TenantReads,
  filter: Filter,
  { words, rarest, most, countLimit }: BearerSearch,
): Promise<Candidates> {
  const others = words.flatMap((word) => (word === rarest || word.begins ? [] : [word.text]));
  const ids = new Set(await idsWithWord(db, filter, rarest, { size: most, offset: 0, others }));
  const rest = words.filter((word) => word !== rarest && word.begins);
  return narrowed(db, filter, { ids, rest }, countLimit);
}

/** To read so many entries of the index costs as much as to look up one instance. */
const ENTRIES_PER_INSTANCE = 20;

/** Where it is cheaper, the bearers of a further word are read, instead of testing each candidate for it. */
async function narrowed(
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

async function tested(db: TenantReads, filter: Filter, words: readonly Word[], ids: string[]): Promise<string[]> {
  if (words.length === 0 && !isFiltered(filter)) return ids;
  const all: string[] = [];
  for (let from = 0; from < ids.length; from += CANDIDATES_AT_ONCE) {
    all.push(...(await passing(db, filter, words, ids.slice(from, from + CANDIDATES_AT_ONCE))));
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
  // More bear the word than are ever counted.
  const isCounted = words.length === 1 && !isFiltered(filter);
  if (isCounted && offset >= limits.countLimit) return { ids: [], total: limits.countLimit };
  const list = filter.status === undefined ? {} : { status: filter.status };
  // One more than the page holds tells whether there is another page.
  const wantedCount = offset + size + 1;
  const matches: string[] = [];
  let range = rangeBehind(filter.range, window);
  let stride = limits.firstStride;
  for (let examined = 0; matches.length < wantedCount && examined < limits.walked; stride = limits.stride) {
    const ids = await idsOf(db, filter.environment, list, range, { size: stride, offset: 0, direction });
    const match = new Set(await passing(db, filter, words, ids));
    matches.push(...ids.filter((id) => match.has(id)));
    const last = ids.at(-1);
    if (last === undefined || ids.length < stride) break;
    // No id is longer than another: what comes after one is what follows it with anything behind.
    range = direction === 'DESC' ? { ...range, below: last } : { ...range, from: `${last}0` };
    examined += stride;
    // SQLite answers within the turn: others have theirs in between.
    if (matches.length < wantedCount) await new Promise((turn) => setImmediate(turn));
  }
  return {
    ids: matches.slice(offset, offset + size),
    total: isCounted ? limits.countLimit : Math.min(matches.length, wantedCount),
  };
}
