/** Ids from the first up to the second, which is not among them. */
export type IdRange = { readonly from: string; readonly below: string };

/** `~` sorts after every character of an id. */
export const EVERY_ID: IdRange = { from: '', below: '~' };

/** The bound of a range that ends with this id. All ids have one length, so nothing lies between an id and this bound. */
export function boundBehind(id: string): string {
  return `${id}~`;
}

/** The part of the range after `after`. */
export function rangeBehind(
  { from, below }: IdRange,
  { after, direction }: { readonly after?: string | undefined; readonly direction: 'ASC' | 'DESC' },
): IdRange {
  if (after === undefined) return { from, below };
  const next = boundBehind(after);
  return direction === 'DESC'
    ? { from, below: below < after ? below : after }
    : { from: from > next ? from : next, below };
}
