import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placeOf } from './place.ts';

const byClock = (timeZone: string) => placeOf({ timeZone, country: undefined });

describe('the place of a browser', () => {
  it('the place of a browser is the city and the country of its time zone, for every name of the zone', async () => {
    for (const [timeZone, city, countryCode] of [
      ['Europe/Berlin', 'Berlin', 'DE'],
      ['America/Los_Angeles', 'Los Angeles', 'US'],
      ['America/Argentina/Buenos_Aires', 'Buenos Aires', 'AR'],
      ['Asia/Kolkata', 'Kolkata', 'IN'],
      ['Asia/Calcutta', 'Calcutta', 'IN'],
      ['Europe/Kyiv', 'Kyiv', 'UA'],
      ['Africa/Casablanca', 'Casablanca', 'MA'],
      ['Australia/Sydney', 'Sydney', 'AU'],
    ] as const) {
      assert.deepEqual(await byClock(timeZone), { city, countryCode }, timeZone);
    }
  });

  it('the place of a browser is unknown if its time zone names no existing city', async () => {
    for (const none of ['', 'UTC', 'Etc/GMT+5', 'EST5EDT', 'Europe/Atlantis', '<b>', 'Europe/', 'Europe/Berlin/x/y']) {
      assert.equal(await byClock(none), undefined, none);
    }
  });

  it('the place of a browser includes the country of its address if a proxy reports it', async () => {
    const of = (country: string | undefined) => placeOf({ timeZone: undefined, country });
    assert.deepEqual(await of('de'), { addressCountryCode: 'DE' });
    for (const none of [undefined, '', 'XX', 'T1', 'Germany', 'D', '<>']) assert.equal(await of(none), undefined, none);
    assert.deepEqual(await placeOf({ timeZone: 'Europe/Paris', country: 'BR' }), {
      city: 'Paris',
      countryCode: 'FR',
      addressCountryCode: 'BR',
    });
  });
});
