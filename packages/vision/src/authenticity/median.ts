/** The median; of an even number of values, the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  return Float64Array.from(values).sort()[(values.length - 1) >> 1] ?? 0;
}

/** The standard deviation of a normal distribution, as a multiple of the median distance from its median. */
const NORMAL = 1.48;

/** How much the values vary; a few that are far from the others do not count. */
export function variationOf(values: readonly number[]): number {
  const usual = median(values);
  return NORMAL * median(values.map((value) => Math.abs(value - usual)));
}
