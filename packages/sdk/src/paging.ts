import type { LooseArguments } from './route.ts';

export type LoosePage = { readonly content: readonly unknown[]; readonly last: boolean; readonly next?: unknown };
type ListCall = (args: LooseArguments) => Promise<LoosePage>;

/** A page is large enough that walking a long list takes few requests, and small enough to be answered quickly. */
const WALK_SIZE = 100;

/**
 * The pages of a list, from the page of the query to the last, each fetched when it is needed. If an answer names where
 * the next page begins, the walk continues there, so items that are added or removed meanwhile make it neither skip nor
 * repeat an item.
 */
export async function* walkPages(
  list: ListCall,
  args: LooseArguments = {},
): AsyncGenerator<LoosePage, void, undefined> {
  const { page: first, ...others } = args.query ?? {};
  let position: object = others.after === undefined ? { page: typeof first === 'number' ? first : 0 } : {};
  for (let page = typeof first === 'number' ? first : 0; ; page++) {
    const answer = await list({ ...args, query: { ...others, ...position } });
    yield answer;
    // An empty page also ends the walk, so that a list which never says `last` is not walked for ever.
    if (answer.last || answer.content.length === 0) return;
    position = typeof answer.next === 'string' ? { after: answer.next } : { page: page + 1 };
  }
}

/** The items of a list, across its pages. */
export async function* walkItems(list: ListCall, args: LooseArguments = {}): AsyncGenerator<unknown, void, undefined> {
  const query = { ...args.query, size: args.query?.size ?? WALK_SIZE };
  for await (const page of walkPages(list, { ...args, query })) yield* page.content;
}
