import { countryOfProxy } from '../kernel/country-of-proxy.ts';

/**
 * The place of a browser, as far as it is known without another service: the city of its time zone, and the country of its
 * address if a proxy sets it. An attacker can set any time zone, so the page shows the source.
 */
export type DevicePlace = {
  readonly city?: string;
  readonly countryCode?: string;
  readonly addressCountryCode?: string;
};

export type PlaceHints = { timeZone: string | undefined; country: string | undefined };

/** Zones that are named after a place, unlike `Etc/GMT+5`, `UTC` and `EST`. */
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
 * The runtime knows the zones of each region, but takes half a second to list all of them. They are read at the first
 * hand-off, a few at a time, so that nobody else waits.
 */
async function zonesByRegion(): Promise<Map<string, string>> {
  const countriesByName = new Map<string, string>();
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const regions = LETTERS.flatMap((one) => LETTERS.map((other) => one + other)).filter(
    // A former region has the name of its successor.
    (region) => names.of(region) !== undefined && new Intl.Locale(`und-${region}`).region === region,
  );
  for (const [at, region] of regions.entries()) {
    if (at % REGIONS_AT_ONCE === 0) await new Promise(setImmediate);
    const locale: LocaleWithZones = new Intl.Locale(`und-${region}`);
    for (const zone of locale.getTimeZones?.() ?? []) if (!countriesByName.has(zone)) countriesByName.set(zone, region);
  }
  return countriesByName;
}
