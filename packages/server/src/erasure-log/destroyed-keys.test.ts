import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type TestPlace, testPlaces } from '../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../test/identity.ts';
import { sql } from '../db/db.ts';
import { asTenantId } from '../kernel/ids.ts';

const TENANT = asTenantId('acme');
const KEY = sql('SELECT sealed FROM data_keys WHERE tenant_id = $1 AND subject LIKE $2');
const LISTS = '/api/watchlist-manager/facewatchlists';

describe('the key of erased data (sqlite)', () => {
  const places = testPlaces();
  let place: TestPlace;
  let grove: TestIdentity;
  before(async () => {
    place = await places.create();
    grove = await openTestIdentity(place);
  });
  after(() => grove.stop());

  const keyOf = async (id: string) => {
    const row = await grove.app.db.of(TENANT).get<{ sealed: Uint8Array }>(KEY, [TENANT, `%${id}`]);
    assert.ok(row, `there is no key of ${id}`);
    return Buffer.from(row.sealed);
  };
  const isStored = (key: Buffer) =>
    ['grove.sqlite', 'grove.sqlite-wal'].some((file) => readFileSync(join(place.folder, file)).includes(key));

  it('the key of a user is in no file of the database soon after the user was deleted', async () => {
    const store = await grove.store('people');
    const { id } = await grove.user(store, { attributes: { fullName: 'Zuleikha Quillfeather' } });
    const key = await keyOf(id);
    assert.ok(isStored(key));
    assert.equal((await grove.send('DELETE', `${store}/users/${id}`)).status, 204);
    await grove.until(async () => !isStored(key));
  });

  it('the key of a watchlist is in no file of the database soon after the watchlist was deleted', async () => {
    const post = (path: string, body: object) => grove.call(path, { method: 'POST', body: JSON.stringify(body) });
    const { id } = (await post(LISTS, { name: 'fraud', type: 'EMAIL' })).body;
    const added = await post(`${LISTS}/${id}/watchlist-members`, { value: 'zuleikha@plumbago.example' });
    assert.equal(added.status, 201, added.text);
    const key = await keyOf(id);
    assert.ok(isStored(key));
    assert.ok((await grove.call(`${LISTS}/${id}`, { method: 'DELETE' })).status < 300);
    await grove.until(async () => !isStored(key));
  });
});
