/** The middle one: a round that a neighbour on the machine spoilt does not move it. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  const lower = sorted[Math.ceil(middle) - 1];
  if (upper === undefined || lower === undefined) throw new Error('there is no median of nothing');
  return (upper + lower) / 2;
}

/** What could be measured; nothing, where the system does not tell. */
export function medianOfKnown(values: readonly (number | undefined)[]): number | undefined {
  const present = values.filter((value) => value !== undefined);
  return present.length > 0 ? median(present) : undefined;
}
