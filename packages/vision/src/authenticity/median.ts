/** The median; of an even number of values, the lower of the two in the middle. */
export function median(values: readonly number[]): number {
  return Float64Array.from(values).sort()[(values.length - 1) >> 1] ?? 0;
}
