const COUNTRY = /^[A-Z]{2}$/;
/** The values with which proxies say that the country is unknown, or that there is none. */
const NO_COUNTRY: ReadonlySet<string> = new Set(['XX', 'ZZ', 'T1']);

/** The country of a caller's address, as the header of a proxy says it; undefined if it names none. */
export function countryOfProxy(header: string | undefined): string | undefined {
  const country = header?.trim().toUpperCase() ?? '';
  return COUNTRY.test(country) && !NO_COUNTRY.has(country) ? country : undefined;
}
