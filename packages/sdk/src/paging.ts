import type { LooseArguments } from './route.ts';

export type LoosePage = { readonly content: readonly unknown[]; readonly last: boolean; readonly next?: unknown };
type ListCall = (args: LooseArguments) => Promise<LoosePage>;

/** Enough that a walk over everything needs few requests, and little enough that a page is answered quickly. */
const WALK_SIZE = 100;

/**
 * The pages of a list, each asked for when it is needed. Starts at the page of the query, ends at the last. A list that names
 * where its next page begins is read from there: items that come and go meanwhile make it pass over none and show none twice.
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
    // An empty page ends the walk too, so a list that never says `last` cannot be walked for ever.
    if (answer.last || answer.content.length === 0) return;
    position = typeof answer.next === 'string' ? { after: answer.next } : { page: page + 1 };
  }
}

/** The items of a list, across its pages. */
export async function* walkItems(list: ListCall, args: LooseArguments = {}): AsyncGenerator<unknown, void, undefined> {
  const query = { ...args.query, size: args.query?.size ?? WALK_SIZE };
  for await (const page of walkPages(list, { ...args, query })) yield* page.content;
}
