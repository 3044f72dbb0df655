import { MAX_PAGED_ITEMS } from '@grove/contract';
import { invalidInput } from './errors.ts';

/** The page envelope, and the translation of `page`, `size` and `sort` into SQL. */

export const DEFAULT_PAGE_SIZE = 10;

export type PageQuery = { page?: number; size?: number; sort?: string[]; after?: string };
export type Paging = {
  number: number;
  size: number;
  offset: number;
  sorts: number;
  orderBy: string;
  /** Only items after the one with this id are listed, in the order of ids. */
  after?: string;
};

/**
 * Ensures that only columns of `columns`, the sortable properties with their columns, reach the SQL from `sort`. The order
 * is always total: `id` breaks ties.
 */
export function paging(query: PageQuery, columns: Readonly<Record<string, string>>): Paging {
  const number = query.page ?? 0;
  const size = query.size ?? DEFAULT_PAGE_SIZE;
  const sorts = (query.sort ?? []).flatMap((sort, at) => (sort === '' ? [] : readSort(sort, at, columns)));
  const { after } = query;
  if (number * size >= MAX_PAGED_ITEMS) throw invalidInput({ pointer: '/query/page', message: TOO_FAR });
  if (after !== undefined && (number > 0 || !isByIdAlone(sorts))) {
    throw invalidInput({
      pointer: '/query/after',
      message: 'can only be used with the order of creation, and without `page`',
    });
  }
  const terms = sorts.some((sort) => sort.column === 'id') ? sorts : [...sorts, { column: 'id', direction: 'ASC' }];
  return {
    number,
    size,
    offset: number * size,
    sorts: sorts.length,
    orderBy: terms.map((term) => `${term.column} ${term.direction}`).join(', '),
    ...(after !== undefined && { after }),
  };
}

/** An index is read in one direction: ties that the caller did not sort go the way of the rest. */
export function tiesAlike({ orderBy, sorts }: Pick<Paging, 'orderBy' | 'sorts'>): string {
  return sorts === 1 ? orderBy.replace(/ DESC, id ASC$/, ' DESC, id DESC') : orderBy;
}

/** Sortable properties whose columns have the usual names: `createdDtm` is sorted by `created_at`, a name without case. */
export function sortable<const P extends string>(...properties: P[]): Readonly<Record<P, string>> {
  return Object.fromEntries(properties.map((each) => [each, columnOf(each)])) as Record<P, string>;
}

function columnOf(property: string): string {
  if (property === 'name') return 'name_folded';
  return property.replace(/Dtm$/, 'At').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const TOO_FAR = `must begin within the first ${MAX_PAGED_ITEMS} items; further down, give \`next\` of an answer as \`after\`, or narrow the list by a filter`;

/** Without `sort`, lists are in the order of ids too. */
function isByIdAlone(sorts: readonly { column: string }[]): boolean {
  return sorts.length === 0 || sorts[0]?.column === 'id';
}

function readSort(sort: string, at: number, columns: Readonly<Record<string, string>>) {
  const [property = '', direction = 'asc', ...rest] = sort.split(',').map((part) => part.trim());
  const column = Object.hasOwn(columns, property) ? columns[property] : undefined;
  const pointer = `/query/sort/${at}`;
  if (!column) {
    throw invalidInput({ pointer, message: `must name one of ${Object.keys(columns).join(', ')}` });
  }
  if (rest.length > 0 || !/^(asc|desc)$/i.test(direction)) {
    throw invalidInput({ pointer, message: 'must be `property,asc` or `property,desc`' });
  }
  return { column, direction: direction.toUpperCase() };
}

/** `lastId` is the id of the last item, for lists that accept `after`. With `after`, only an empty page is the last one. */
export function toPage<T>(content: T[], totalElements: number, page: Paging, lastId?: string) {
  const { number, size, offset, sorts, orderBy, after } = page;
  const sorted = sorts > 0;
  const totalPages = Math.ceil(totalElements / size);
  const last = after === undefined ? number >= totalPages - 1 : content.length === 0;
  const next = !last && orderBy.startsWith('id ') ? lastId : undefined;
  const sort = { sorted, unsorted: !sorted, empty: !sorted };
  return {
    content,
    totalElements,
    totalPages,
    number,
    size,
    numberOfElements: content.length,
    first: number === 0 && after === undefined,
    last,
    empty: content.length === 0,
    sort,
    pageable: { sort, pageSize: size, pageNumber: number, paged: true, unpaged: false, offset },
    ...(next !== undefined && { next }),
  };
}

/** Names are compared without regard to case, in every script, so a folded copy of them is stored. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** The folded LIKE pattern of a filter; undefined if the filter is absent or matches everything. */
export function likePattern(filter: string | undefined, pointer: string): string | undefined {
  if (filter === undefined || /^%*$/.test(filter)) return undefined;
  const trailing = /\\*$/.exec(filter)?.[0].length ?? 0;
  if (trailing % 2 === 1) {
    throw invalidInput({ pointer, message: 'must not end in a single backslash, which escapes the next character' });
  }
  return fold(filter);
}
