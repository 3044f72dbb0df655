import { countryOfProxy } from '../kernel/country-of-proxy.ts';

/**
 * Where a browser is, as far as it can be known without asking anybody: the city of the time zone that its clock is set
 * to, and the country of its address if a proxy in front says it. Whoever deceives can set a clock, so the page says
 * where this comes from.
 */
export type DevicePlace = {
  readonly city?: string;
  readonly countryCode?: string;
  readonly addressCountryCode?: string;
};

export type PlaceHints = { timeZone: string | undefined; country: string | undefined };

/** Zones that are named after a place. The others (`Etc/GMT+5`, `UTC`, `EST`) say nothing. */
const ZONE = /^(Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)(\/[A-Za-z_-]{1,30}){1,2}$/;

export async function placeOf({ timeZone, country }: PlaceHints): Promise<DevicePlace | undefined> {
  const addressCountryCode = countryOfProxy(country);
  const devicePlace = { ...(await byClock(timeZone ?? '')), ...(addressCountryCode && { addressCountryCode }) };
  return Object.keys(devicePlace).length > 0 ? devicePlace : undefined;
}

async function byClock(timeZone: string): Promise<DevicePlace> {
  const canonical = ZONE.test(timeZone) ? canonicalZone(timeZone) : undefined;
  if (canonical === undefined) return {};
  const city = (timeZone.split('/').at(-1) as string).replaceAll('_', ' ');
  countries ??= zonesByRegion();
  const countryCode = (await countries).get(canonical);
  return { city, ...(countryCode && { countryCode }) };
}

function canonicalZone(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const REGIONS_AT_ONCE = 4;

let countries: Promise<ReadonlyMap<string, string>> | undefined;

type LocaleWithZones = Intl.Locale & { getTimeZones?(): readonly string[] | undefined };

/**
 * The runtime knows the zones of each region, but takes half a second to say all of them. They are asked for when the
 * first hand-off wants to know, a few at a time, so that nobody else waits.
 */
async function zonesByRegion(): Promise<Map<string, string>> {
  const countriesByName = new Map<string, string>();
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const regions = LETTERS.flatMap((one) => LETTERS.map((other) => one + other)).filter(
    // Regions that are no more are called by the name of those that took their place.
    (region) => names.of(region) !== undefined && new Intl.Locale(`und-${region}`).region === region,
  );
  for (const [at, region] of regions.entries()) {
    if (at % REGIONS_AT_ONCE === 0) await new Promise(setImmediate);
    const locale: LocaleWithZones = new Intl.Locale(`und-${region}`);
    for (const zone of locale.getTimeZones?.() ?? []) if (!countriesByName.has(zone)) countriesByName.set(zone, region);
  }
  return countriesByName;
}
