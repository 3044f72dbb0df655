import type { TObject, TProperties, TSchema } from 'typebox';
import { MAX_LIST_SIZE } from './schema.ts';
import { Type } from './type.ts';

/** The page envelope of the specification, and the query every list accepts. */

const Sort = Type.Object(
  { sorted: Type.Boolean(), unsorted: Type.Boolean(), empty: Type.Boolean() },
  { title: 'Sort' },
);

const Pageable = Type.Object(
  {
    sort: Sort,
    pageSize: Type.Integer(),
    pageNumber: Type.Integer(),
    paged: Type.Boolean(),
    unpaged: Type.Boolean(),
    offset: Type.Integer(),
  },
  { title: 'Pageable' },
);

/** A page must begin within this many items: to reach a later one, the database would read every item before it. */
export const MAX_PAGED_ITEMS = 100_000;

const envelope = <S extends TSchema>(item: S) => ({
  content: Type.Array(item, { maxItems: MAX_LIST_SIZE }),
  totalElements: Type.Integer(),
  totalPages: Type.Integer(),
  number: Type.Integer(),
  size: Type.Integer(),
  numberOfElements: Type.Integer(),
  first: Type.Boolean(),
  last: Type.Boolean(),
  empty: Type.Boolean(),
  sort: Sort,
  pageable: Pageable,
});

const optionsOf = (item: TSchema) => {
  const { title } = item as { title?: string };
  return { ...(title && { title: `${title}Page` }), 'x-page': true };
};

/** A page of items. Every list operation answers with one. */
export function page<S extends TSchema>(item: S) {
  return Type.Object(envelope(item), optionsOf(item));
}

/** A page of a list that can be read to its end by `after`. */
export function cursorPage<S extends TSchema>(item: S) {
  const next = Type.Optional(
    Type.String({ maxLength: 26, description: 'Where the next page begins: send it as `after`. Absent at the end' }),
  );
  return Type.Object({ ...envelope(item), next }, optionsOf(item));
}

const paging = {
  page: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2 ** 31 - 1,
      default: 0,
      description: `The page, from 0; it must begin within the first ${MAX_PAGED_ITEMS} items`,
    }),
  ),
  size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIST_SIZE, default: 10, description: 'How many items a page has' }),
  ),
  sort: Type.Optional(
    Type.Array(Type.String({ maxLength: 80 }), {
      maxItems: 5,
      description: '`property,asc` or `property,desc`; repeat it to sort by several',
    }),
  ),
};

/** The query of a list: `page`, `size`, `sort` and the filters of its own. */
export function pageQuery<P extends TProperties>(filters: P): TObject<typeof paging & P> {
  return Type.Object({ ...paging, ...filters });
}

const cursor = {
  after: Type.Optional(
    Type.String({
      pattern: '^[0-9A-HJKMNP-TV-Z]{26}$',
      maxLength: 26,
      description:
        'The `next` of a response: returns the items after it, in the order of creation, without the limit of `page`',
    }),
  ),
};

/** `pageQuery` with `after`, for lists that grow without end. */
export function cursorQuery<P extends TProperties>(filters: P): TObject<typeof paging & typeof cursor & P> {
  return Type.Object({ ...paging, ...cursor, ...filters });
}

/** A LIKE filter with `%` and `_`, case-insensitive; `\` escapes. */
export function likeFilter(what: string, minLength = 1) {
  return Type.Optional(
    Type.String({
      minLength,
      maxLength: 255,
      'x-like': true,
      description: `Only ${what} matches; \`%\` stands for any characters, \`_\` for one`,
    }),
  );
}

export function isPage(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'x-page' in schema;
}
