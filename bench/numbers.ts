/** The middle value, because a round that was disturbed by other work on the machine does not change it. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  const lower = sorted[Math.ceil(middle) - 1];
  if (upper === undefined || lower === undefined) throw new Error('there is no median of an empty list');
  return (upper + lower) / 2;
}

/** The median of the values that could be measured; undefined if the system reports none. */
export function medianOfKnown(values: readonly (number | undefined)[]): number | undefined {
  const present = values.filter((value) => value !== undefined);
  return present.length > 0 ? median(present) : undefined;
}
