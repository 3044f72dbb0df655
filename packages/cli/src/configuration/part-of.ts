type Values = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As much of a value as the wanted one says: an object may have more members than the file names. */
export function partOf(value: unknown, pattern: unknown): unknown {
  if (!isObject(value) || !isObject(pattern)) return value;
  return Object.fromEntries(Object.entries(pattern).map(([name, inner]) => [name, partOf(value[name], inner)]));
}
