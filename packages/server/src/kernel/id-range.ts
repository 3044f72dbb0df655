/** Ids from the first up to the second, which is not among them. */
export type IdRange = { readonly from: string; readonly below: string };

export const EVERY_ID: IdRange = { from: '', below: '~' };

/** Where what ends with this id is over. All ids have one length, so nothing lies between an id and this bound. */
export function boundBehind(id: string): string {
  return `${id}~`;
}

/** The part of the range after `after`. All ids have one length, so an id with a suffix is a bound. */
export function rangeBehind(
  { from, below }: IdRange,
  { after, direction }: { readonly after?: string | undefined; readonly direction: 'ASC' | 'DESC' },
): IdRange {
  if (after === undefined) return { from, below };
  const next = `${after}0`;
  return direction === 'DESC'
    ? { from, below: below < after ? below : after }
    : { from: from > next ? from : next, below };
}
