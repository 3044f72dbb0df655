type Values = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of a value that the pattern has: an object on the server may have more than the file. */
export function partOf(value: unknown, pattern: unknown): unknown {
  if (!isObject(value) || !isObject(pattern)) return value;
  return Object.fromEntries(
    Object.entries(pattern).map(([name, inner]) => [
      name,
      partOf(Object.hasOwn(value, name) ? value[name] : undefined, inner),
    ]),
  );
}
