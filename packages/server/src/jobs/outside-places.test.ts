import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openOutsidePlaces } from './outside-places.ts';

it('a tenant and each of its lines leave places for outside calls to others, and a place that is given back is free again', () => {
  const places = openOutsidePlaces(16);
  const placesInUse: (() => void)[] = [];
  const takeAll = (tenant: string, part: string) => {
    for (let count = 0; ; count++) {
      const giveBack = places.take(tenant, part);
      if (!giveBack) return count;
      placesInUse.push(giveBack);
    }
  };
  assert.deepEqual(
    [takeAll('acme', 'test'), takeAll('acme', 'live'), takeAll('acme', 'store'), takeAll('other', 'live')],
    [16, 8, 4, 16],
  );
  assert.ok(takeAll('third', 'live') > 0);
  for (const giveBack of placesInUse) giveBack();
  assert.equal(takeAll('other', 'test'), 16);
});
